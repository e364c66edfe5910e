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
