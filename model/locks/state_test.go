package locks_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/model/text"
)

// After any history the indices agree with the plain list of keys.
func TestIndicesAgreeWithTheKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := locks.NewState()
		for _, e := range modeltest.Draw(t).Events {
			k.Apply(e)
		}
		if err := k.Check(); err != nil {
			t.Fatal(err)
		}
	})
}

// Whatever was there, nothing is kept of it once it went and time has passed.
func TestNothingIsKeptForEver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := modeltest.Draw(t)
		var keys []string
		for k := range h.Keys {
			keys = append(keys, k)
		}
		s, k := store.New(), locks.NewState()
		apply := func() {
			s.Apply(model.Batch{Events: h.Events})
			for _, e := range h.Events {
				k.Apply(e)
			}
			h.Events = nil
		}
		apply()
		end := s.Now().Sub(modeltest.Start).Seconds() + 1
		h.Del(end, keys...)
		for _, name := range []string{"c1", "c1.1", "c1.2", "c2", "127.0.0.1:7"} { // who believes keeps what it believes in
			h.Add(model.Contender{At: modeltest.At(end), Name: name, Proc: model.ProcEnded})
		}
		h.Add(model.Tick{At: modeltest.At(end + 10)}, model.Tick{At: modeltest.At(end + 200)})
		apply()
		if left := k.Kept(); left != "" || len(s.Findings()) > 0 {
			t.Fatalf("left: %s; %v", left, s.Findings())
		}
	})
}

// Of more claims that go than can ever be asked about, those that wait longest give up
// early: what is kept of them does not grow with how much happens.
func TestEntriesThatWaitForAReadingAreBounded(t *testing.T) {
	const n = locks.UnexplainedMax + 500
	s := locks.NewState()
	for _, e := range modeltest.TenClaims(n) {
		s.Apply(e)
	}
	e := model.Committed{At: modeltest.At(1), Rev: n}
	for i := range n {
		lease := model.LeaseID(0x694d81e5fc650000 + i)
		e.Rev++
		e.Changes = []model.Change{{Deleted: true, KV: model.KV{Key: fmt.Sprintf("/bench/lock-%06d/%s", i/10, lease), ModRev: e.Rev}}}
		s.Apply(e)
	}
	_, first := s.Unexplained()
	s.Apply(model.Tick{At: e.At.Add(100 * time.Millisecond)})
	if got, _ := s.Unexplained(); got != locks.UnexplainedMax {
		t.Errorf("%d entries wait for a reading, want %d", got, locks.UnexplainedMax)
	}
	if want := "its lease has not been read since; no reading within 0.1 s"; first.Pending || text.English(first.Evidence) != want {
		t.Errorf("the first that went: pending %v, %q; want %q", first.Pending, text.English(first.Evidence), want)
	}
	s.Apply(model.Tick{At: e.At.Add(locks.CauseWait)})
	if got, _ := s.Unexplained(); got != 0 || len(s.Leases.Leases()) != 0 {
		t.Errorf("%d entries wait and %d leases are known when all have given up", got, len(s.Leases.Leases()))
	}
}
