package store

import (
	"slices"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/modeltest"
)

// TestWhoIsFirstAmongMembersIsNotSaidToHold: keys that are named by their leases and were seen to leave in
// any order may be members or permits, unless their path speaks of locks, and so may those whose path
// speaks of them.
func TestWhoIsFirstAmongMembersIsNotSaidToHold(t *testing.T) {
	holds := func(said string) bool { return strings.Contains(said, "took") || strings.Contains(said, "holds") }
	for _, r := range []struct {
		reason, name, value string
		aside, holds        bool
	}{
		{"permits", "/pool/jobs", "worker", true, false},
		{"the path speaks of members", "/app/members", "", false, false},
		{"a waiter that gives up, by its path", "/locks/a", "", true, true},
		{"an election", "/app/a", "worker", false, true},
		{"a mutex", "/app/a", "", false, true},
	} {
		h := modeltest.New()
		h.Loaded(0)
		for i, id := range []model.LeaseID{0xa1, 0xa2, 0xa3} {
			h.Put(float64(1+i), modeltest.ClaimKey(r.name, id), r.value, id)
		}
		from := 0.0
		if r.aside {
			from = 5
			h.Del(from, modeltest.ClaimKey(r.name, 0xa2))
		}
		h.Del(6, modeltest.ClaimKey(r.name, 0xa1))
		h.Del(8, modeltest.ClaimKey(r.name, 0xa3))
		s := state(h)
		var said []string
		for _, e := range s.Journal() {
			if !e.At.After(modeltest.At(from)) {
				continue
			}
			said = append(said, e.Sentence(s.Who))
		}
		if slices.ContainsFunc(said, holds) != r.holds {
			t.Errorf("%s: %q", r.reason, said)
		}
	}
}

// TestAStarvingWaiterIsFoundWhereNoPathSpeaksOfLocks: it leaves from behind others as members do, but these
// come and go in order.
func TestAStarvingWaiterIsFoundWhereNoPathSpeaksOfLocks(t *testing.T) {
	for _, r := range []struct {
		reason  string
		inOrder bool
		found   bool
	}{
		{"the others take turns", true, true},
		{"the others leave in any order, as members do", false, false},
	} {
		h := modeltest.New()
		h.Loaded(0)
		key := func(id model.LeaseID) string { return modeltest.ClaimKey("/app/a", id) }
		const starving, oldest = model.LeaseID(0xee), model.LeaseID(0xa0)
		h.Put(1, key(oldest), "", oldest)
		h.Put(1, key(oldest+1), "", oldest+1)
		for i := range 5 {
			at, head := float64(10*(i+1)), oldest+model.LeaseID(2*i)
			h.Put(at, key(starving), "", starving)
			h.Put(at+1, key(head+2), "", head+2)
			h.Put(at+1, key(head+3), "", head+3)
			gone := []model.LeaseID{head, starving, head + 1}
			if !r.inOrder {
				gone = []model.LeaseID{head + 1, starving, head}
			}
			for j, id := range gone {
				h.Del(at+2+float64(j), key(id))
			}
		}
		s := state(h)
		i := slices.IndexFunc(s.Findings(), func(f model.Finding) bool { return f.Code == model.CodeStarvingWaiter })
		if i >= 0 != r.found {
			t.Errorf("%s: %v", r.reason, s.Findings())
		}
		if i >= 0 && s.Findings()[i].Confidence != model.Hint {
			t.Errorf("%s: %s is surer than that it is a lock", r.reason, s.Findings()[i].Confidence)
		}
	}
}
