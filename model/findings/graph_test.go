package findings

import (
	"fmt"
	"testing"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/modeltest"
	"locktop/model/recipe"

	"pgregory.net/rapid"
)

// The search begins at what changed. Whatever happened, it knows of a cycle if and
// only if a search from every session finds one, and every cycle it knows stands.
func TestCyclesAreFoundFromWhatChanged(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := modeltest.New()
		h.Loaded(0)
		k := locks.NewState(model.Pin{Prefix: "/lock3", Recipe: recipe.Named("semaphore:2")})
		cs := newCycles(newWorklist(k))
		for i := range rapid.IntRange(1, 60).Draw(t, "steps") {
			lock := fmt.Sprintf("/lock%d", rapid.IntRange(0, 3).Draw(t, "lock"))
			lease := model.LeaseID(rapid.IntRange(1, 4).Draw(t, "lease"))
			key := modeltest.ClaimKey(lock, lease)
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
			for _, e := range h.Events {
				cs.note(k.Apply(e))
				if k.Prefixes.Partial() {
					continue
				}
				cs.Update(k)
			}
			h.Events = nil
			found := false
			for _, l := range k.Leases.Leases() {
				w := walker{note: func(*Cycle) { found = true }, places: map[*locks.Lease]int{}, done: map[*locks.Lease]bool{}}
				w.walk(l, nil)
			}
			if known := len(cs.locks) > 0; known != found {
				t.Fatalf("step %d: a cycle is known: %v; there is one: %v", i, known, found)
			}
			for _, l := range cs.locks {
				if !cs.ByLock[l].Stands() {
					t.Fatalf("step %d: the cycle of %s does not stand", i, l.Name)
				}
			}
		}
	})
}
