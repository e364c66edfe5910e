package locks_test

import (
	"fmt"
	"testing"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/modeltest"
)

// Of few locks the last thirty lines of each are kept, of very many no more than all locks
// together may have; one that is forgotten takes its lines along.
func TestLockJournalsAreBounded(t *testing.T) {
	const all, few = 64_000, 4
	for _, r := range []struct {
		locks, handovers int
		least, most, sum int
		reason           string
	}{
		{3, 200, 32, 64, 3 * 64, "few locks"},
		{1500, 60, few, 64, all + 1500*2*few, "more than fit with all of their lines"},
		{9000, 12, few, 64, all + 9000*2*few, "very many"},
	} {
		k := locks.NewState()
		h := modeltest.New()
		h.Loaded(0)
		sec := 1.0
		for i := range r.handovers {
			for j := range r.locks {
				lock, id := fmt.Sprintf("/lock%d", j), model.LeaseID(1+i*r.locks+j)
				sec += 0.001
				h.Put(sec, modeltest.ClaimKey(lock, id), "", id)
				if i > 0 {
					h.Del(sec, modeltest.ClaimKey(lock, id-model.LeaseID(r.locks)))
				}
			}
			for _, e := range h.Events {
				k.Apply(e)
			}
			h.Events = nil
		}
		sum := 0
		for _, l := range k.Keys.Locks() {
			n := len(l.Journal())
			if sum += n; n < r.least || n > r.most {
				t.Fatalf("%s: %d lines of %s, want %d to %d", r.reason, n, l.Name, r.least, r.most)
			}
		}
		if sum > r.sum {
			t.Errorf("%s: %d lines in all, want %d at most", r.reason, sum, r.sum)
		}
		last := k.Keys.Locks()[0].Journal()
		if e := last[len(last)-1]; e.Kind != journal.Handover {
			t.Errorf("%s: the last line is %s, want the last handover", r.reason, e.Kind)
		}
	}
}

// A lock that comes and goes leaves nothing behind that counts for others.
func TestJournalsOfForgottenLocksDoNotCount(t *testing.T) {
	k := locks.NewState()
	h := modeltest.New()
	h.Loaded(0)
	for i := range 40_000 {
		lock := fmt.Sprintf("/once%d", i)
		h.Put(float64(i), modeltest.ClaimKey(lock, 1), "", 1)
		h.Del(float64(i)+0.5, modeltest.ClaimKey(lock, 1))
	}
	for i := range 60 {
		h.Put(50_000+float64(i), modeltest.ClaimKey("/stays", model.LeaseID(2+i)), "", model.LeaseID(2+i))
	}
	for _, e := range h.Events {
		k.Apply(e)
	}
	if n := len(k.Keys.Lock("/stays").Journal()); n < 32 {
		t.Errorf("%d lines are kept of a lock that is nearly alone, want 32 at least", n)
	}
}
