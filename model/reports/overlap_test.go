package reports_test

import (
	"slices"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
)

// For how long two believed has one answer: the finding, the belief and the overlap go by
// the same intervals.
func TestAFalseBeliefBeginsWithItsOverlap(t *testing.T) {
	for _, r := range []struct {
		key, reason string
	}{
		{modeltest.ClaimKey("/lock", 0xa1), "the contender names its key"},
		{"", "it names its lease alone, by which its claim is known"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Add(model.Contender{At: modeltest.At(1), Name: "c1", Lock: "/lock", Recipe: "mutex", TTL: 10, Proc: model.ProcRunning})
		h.Put(1, modeltest.ClaimKey("/lock", 0xa1), "", 0xa1)
		h.Put(1, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
		h.Add(model.Belief{At: modeltest.At(2), Contender: "c1", Lock: "/lock", State: model.BeliefHolding, Key: r.key, Lease: 0xa1},
			model.Tick{At: modeltest.At(3)})
		s := store.New()
		s.Apply(model.Batch{Events: h.Events})
		if got := s.Reports().Overlaps("/lock"); len(got) > 0 {
			t.Errorf("%s: one that holds overlaps %+v", r.reason, got)
		}
		h.Events = nil
		h.Del(30, modeltest.ClaimKey("/lock", 0xa1))
		h.Add(model.Tick{At: modeltest.At(31)})
		s.Apply(model.Batch{Events: h.Events})
		c := s.Reports().Lock("/lock").Competitors[0]
		since, is := s.Reports().FalseSince(c, s.Lock("/lock"))
		over := s.Reports().Overlaps("/lock")
		if !is || len(over) != 1 || !since.Equal(over[0].From) || !since.Equal(modeltest.At(30)) {
			t.Errorf("%s: false since %v (%v), overlaps %+v; want both from second 30 on", r.reason, since, is, over)
		}
		if found := s.Findings(); len(found) > 0 {
			t.Errorf("%s: a word may be late, and it is found %+v", r.reason, found)
		}
		s.Apply(model.Batch{Events: []model.Event{model.Tick{At: modeltest.At(32)}}})
		if found := s.Findings(); len(found) != 1 || found[0].Code != model.CodeStaleHolder {
			t.Errorf("%s: %v after the loss: %+v", r.reason, 2*time.Second, found)
		}
	}
}

// TestAnUnknownRecipeMakesNobodyALiar: of a key whose recipe is not known nobody can say that
// it does not hold. Of a waiter in a queue that is known it is said.
func TestAnUnknownRecipeMakesNobodyALiar(t *testing.T) {
	for _, r := range []struct {
		keys   []string // the last is that of who says that it holds
		known  bool
		reason string
	}{
		{[]string{"/job10/3f2b8c1e-5a4d-4e6f-8a9b-0c1d2e3f4a5b"}, false, "one key of that form tells no recipe"},
		{[]string{modeltest.ClaimKey("/job10", 0xa1), modeltest.ClaimKey("/job10", 0xa2)}, true, "the second key of a mutex waits"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Add(model.Contender{At: modeltest.At(1), Name: "c1", Lock: "/job10", TTL: 10, Proc: model.ProcRunning})
		for i, key := range r.keys {
			h.Put(1, key, "", model.LeaseID(0xa1+i))
		}
		mine := len(r.keys) - 1
		h.Add(model.Belief{At: modeltest.At(2), Contender: "c1", Lock: "/job10", State: model.BeliefHolding, Key: r.keys[mine], Lease: model.LeaseID(0xa1 + mine)},
			model.Tick{At: modeltest.At(20)})
		s := store.New()
		s.Apply(model.Batch{Events: h.Events})
		if got := s.Lock("/job10").Recipe().HasHolder; got != r.known {
			t.Errorf("%s: known %v", r.reason, got)
		}
		if found := slices.ContainsFunc(s.Findings(), func(f model.Finding) bool { return f.Code == model.CodeStaleHolder }); found != r.known {
			t.Errorf("%s: stale-holder found %v: %+v", r.reason, found, s.Findings())
		}
	}
}
