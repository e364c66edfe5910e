package model

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// The search begins at what changed. Whatever happened, it knows of a circle if and
// only if a search from every session finds one, and every circle it knows stands.
func TestCirclesAreFoundFromWhatChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := New()
		h.Loaded(0)
		s := NewState()
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			lock := fmt.Sprintf("/l%d", rapid.IntRange(0, 3).Draw(t, "lock"))
			lease := LeaseID(rapid.IntRange(1, 4).Draw(t, "lease"))
			key := ClaimKey(lock, lease)
			if rapid.IntRange(0, 9).Draw(t, "shared") == 0 {
				key = fmt.Sprintf("%s/read/170000000000000000%d", lock, lease)
			}
			switch _, there := h.Keys[key]; {
			case rapid.IntRange(0, 19).Draw(t, "end") == 0:
				h.End(float64(i), lease)
			case there:
				h.Del(float64(i), key)
			default:
				h.Put(float64(i), key, "", lease)
			}
			s.Apply(Batch{Events: h.Events})
			h.Events = nil
			found := false
			for _, l := range s.byID {
				w := walker{note: func(*cycle) { found = true }, on: map[*Lease]int{}, done: map[*Lease]bool{}}
				w.walk(l, nil)
			}
			if known := len(s.circles.locks) > 0; known != found {
				t.Fatalf("step %d: a circle is known: %v; there is one: %v", i, known, found)
			}
			for _, l := range s.circles.locks {
				if !s.circles.of[l].stands() {
					t.Fatalf("step %d: the circle of %s does not stand", i, l.Name)
				}
			}
		}
	})
}

// Whatever was there, nothing is kept of it once it went and time has passed.
func TestNothingIsKeptForEver(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := Draw(t)
		var keys []string
		for k := range h.Keys {
			keys = append(keys, k)
		}
		s := apply(Batch{Events: h.Events})
		h.Events = nil
		end := s.Now().Sub(Start).Seconds() + 1
		h.Del(end, keys...)
		for _, name := range []string{"c1", "c1.1", "c1.2", "c2", "127.0.0.1:7"} { // who believes keeps what it believes in
			h.Add(Contender{At: At(end), Name: name, Proc: ProcEnded})
		}
		h.Add(Tick{At: At(end + 10)}, Tick{At: At(end + 200)})
		s.Apply(Batch{Events: h.Events})
		if len(s.claims)+len(s.dirs)+len(s.byID)+len(s.Locks())+len(s.troubled)+len(s.circles.locks)+len(s.late)+len(s.overdue)+s.free+s.own+len(s.leaseList)+s.missed != 0 {
			t.Fatalf("left: %d claims, %d directories, %d leases, %d locks, %d in trouble, %d in circles, %d late, %d overdue, %d free, %d own, %d listed leases, %d that missed a renewal",
				len(s.claims), len(s.dirs), len(s.byID), len(s.Locks()), len(s.troubled), len(s.circles.locks), len(s.late), len(s.overdue), s.free, s.own, len(s.leaseList), s.missed)
		}
	})
}
