package reports

import (
	"fmt"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
)

// TestOutputIsBounded: in programs, in lines, and in the length of a line; what goes is counted.
func TestOutputIsBounded(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	for i := range 1000 {
		h.Add(model.Printed{At: modeltest.At(1), Contender: "a", Left: 2, Lines: []model.Line{{At: modeltest.At(1), From: "stdout", Text: fmt.Sprint(i) + strings.Repeat("x", 5000)}}})
	}
	_, s := told(h.Events)
	o := s.outputs[0]
	if len(o.Lines) != linesMax || o.Left != 2*1000+1000-linesMax || !strings.HasPrefix(o.Lines[linesMax-1].Text, "999x") || len(o.Lines[0].Text) > lineMax+len("…") {
		t.Errorf("%d lines of %d bytes, %d left out, the last is %.9q", len(o.Lines), len(o.Lines[0].Text), o.Left, o.Lines[linesMax-1].Text)
	}
	for i := range 2 * outputsMax {
		h.Add(model.Printed{At: modeltest.At(2), Contender: fmt.Sprint("p", i), Lines: make([]model.Line, 1)})
	}
	if _, s = told(h.Events); len(s.outputs) != outputsMax || s.outputs[outputsMax-1].Contender != fmt.Sprint("p", 2*outputsMax-1) {
		t.Errorf("%d programs, the last is %s", len(s.outputs), s.outputs[len(s.outputs)-1].Contender)
	}
}

// TestAContenderOfTwoLocksStandsAtThatOfItsWord: what it says last is held against what is true of that lock.
func TestAContenderOfTwoLocksStandsAtThatOfItsWord(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	h.Add(model.Contender{At: modeltest.At(1), Name: "c", Lock: "/early", Proc: model.ProcRunning})
	h.Put(1, modeltest.ClaimKey("/orders", 0xa1), "", 0xa1)
	h.Put(2, modeltest.ClaimKey("/orders", 0xc1), "", 0xc1)
	h.Add(model.Belief{At: modeltest.At(3), Contender: "c", Lock: "/orders", State: model.BeliefWaiting, Key: modeltest.ClaimKey("/orders", 0xc1), Lease: 0xc1})
	_, s := told(h.Events)
	if c := s.Contenders()[0]; c.Lock != "/orders" {
		t.Errorf("it says that it waits, and stands at %q", c.Lock)
	} else if _, place := s.Truth(c); place != 2 {
		t.Errorf("at place %d, want 2", place)
	}
}

// TestAProgramIsKnownByItsRequests: one that says nothing competes for the lock whose keys the
// proxy saw it put, and is followed when it loses it.
func TestAProgramIsKnownByItsRequests(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	worker := model.Client{Name: "worker", Certain: true}
	h.Add(model.Contender{At: modeltest.At(1), Name: "worker", Proc: model.ProcRunning})
	h.Put(1, modeltest.ClaimKey("/lock", 0xb1), "", 0xb1)
	h.Add(model.Wrote{At: modeltest.At(1), Client: worker, Key: modeltest.ClaimKey("/lock", 0xa1), Lease: 0xa1, Rev: h.Rev + 1, Told: true})
	for _, r := range []struct {
		reason, lock string
		do           func()
		place        int
	}{
		{"it has asked, and the watch has not seen it", "/lock", func() {}, 0},
		{"it waits", "/lock", func() { h.Put(2, modeltest.ClaimKey("/lock", 0xa1), "", 0xa1) }, 2},
		{"it holds", "/lock", func() { h.Del(3, modeltest.ClaimKey("/lock", 0xb1)) }, 1},
		{"it lost it, and somebody else holds", "/lock", func() {
			h.Put(4, modeltest.ClaimKey("/lock", 0xc1), "", 0xc1)
			h.Del(5, modeltest.ClaimKey("/lock", 0xa1))
		}, 0},
		{"the name of its process is known again, and nothing is forgotten", "/lock", func() {
			h.Add(model.Contender{At: modeltest.At(6), Name: "worker", Proc: model.ProcPaused})
		}, 0},
	} {
		r.do()
		_, s := told(h.Events)
		c := s.Contenders()[0]
		if _, place := s.Truth(c); c.Lock != r.lock || place != r.place {
			t.Errorf("%s: at place %d of %q, want %d of %q", r.reason, place, c.Lock, r.place, r.lock)
		}
		if raw := s.Checkpoint()[0].(model.Contender); raw.Lock != "" {
			t.Errorf("%s: a recording begins with what was inferred", r.reason)
		}
	}
}
