package ui

import (
	"fmt"
	"slices"
	"testing"

	"locktop/model"
)

// TestManySessionsAreRankedInPieces: between two of them keys are heard, the page shows
// what it had, and in the end the order is that of all at once.
func TestManySessionsAreRankedInPieces(t *testing.T) {
	const n = 3*rankPiece + 7
	b := crowd(t, n)
	first, waits := model.LeaseID(0x694d81e5fc650000+n/2), model.LeaseID(1)
	b.w.claim(4, fmt.Sprintf("/jobs/team-%02d/lock-%06d", n/2%7, n/2), "", waits)
	b.w.read(4, waits, 60, 50)
	b.sync(5)

	b.press("2")
	b.sees("ranking the sessions")
	b.send(rankMsg{})
	b.sees("20,008 leases to go")
	b.press("1")
	b.sees("[1 Locks]")
	b.press("2")
	for range 3 {
		b.send(rankMsg{})
	}
	s := b.sessions
	if s.unranked(b.now) || len(s.ids) != n+1 || s.total != n+1 {
		t.Fatalf("%d ids of %d sessions, %d to go", len(s.ids), s.total, len(s.todo))
	}
	if s.ids[0] != first || s.ids[n] != waits {
		t.Errorf("first %s and last %s, want who is waited for and who waits", s.ids[0], s.ids[n])
	}
	if healthy := s.ids[1:n]; !slices.IsSorted(healthy) {
		t.Error("equals are not in order of their ids")
	}

	b.press("end", "up")
	chosen := s.ids[n-1]
	b.send(tickMsg(at(100)))
	b.send(rankMsg{})
	if l := s.chosen(b.state); len(s.todo) == 0 || l == nil || l.ID != chosen {
		t.Errorf("%d to go, %v chosen, want %s as before", len(s.todo), l, chosen)
	}
	for range 3 {
		b.send(rankMsg{})
	}
	if l := s.chosen(b.state); s.unranked(b.now) || l == nil || l.ID != chosen {
		t.Errorf("%d to go, %v chosen, want %s still", len(s.todo), l, chosen)
	}
}
