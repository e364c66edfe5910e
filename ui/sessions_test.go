package ui

import (
	"fmt"
	"slices"
	"testing"

	"locktop/model"
	"locktop/ui/table"
)

// TestManySessionsAreRankedInPieces: between two of them keys are heard, the page shows
// what it had, and in the end the order is that of all at once.
func TestManySessionsAreRankedInPieces(t *testing.T) {
	const n = 3*table.RankPiece + 7
	b := crowd(t, n)
	first, waits := model.LeaseID(0x694d81e5fc650000+n/2), model.LeaseID(1)
	b.w.claim(4, fmt.Sprintf("/jobs/team-%02d/lock-%06d", n/2%7, n/2), "", waits)
	b.w.read(4, waits, 60, 50)
	b.sync(5)
	b.rank() // the locks

	b.press("2")
	b.sees("ranking the sessions")
	b.send(rankMsg{})
	b.sees("20,008 leases to go")
	b.press("1")
	b.sees("1 Locks")
	b.press("2")
	s := b.sessions()
	b.rank()
	if len(s.IDs) != n+1 || s.Total != n+1 {
		t.Fatalf("%d ids of %d sessions, %d to go", len(s.IDs), s.Total, s.Left())
	}
	if s.IDs[0] != first || s.IDs[n] != waits {
		t.Errorf("first %s and last %s, want who is waited for and who waits", s.IDs[0], s.IDs[n])
	}
	if healthy := s.IDs[1:n]; !slices.IsSorted(healthy) {
		t.Error("equals are not in order of their ids")
	}

	b.press("end", "up")
	chosen := s.IDs[n-1]
	b.press("1")
	b.w.add(model.LeaseUnread{At: at(99), ID: waits, Reason: model.Say("quote", "the members are slow")}) // something has changed
	b.sync(100)
	b.rank() // the locks
	b.press("2")
	b.send(rankMsg{})
	if l := s.Chosen(b.state.View); s.Left() == 0 || l == nil || l.ID != chosen {
		t.Errorf("%d to go, %v chosen, want %s as before", s.Left(), l, chosen)
	}
	b.w.del(101, leaseKey("/jobs/team-00/lock-000000", 0x694d81e5fc650000)) // its place is taken by one that was ranked
	b.sync(101)
	b.press("up", "down")
	b.rank()
	if !s.Going || len(s.IDs) != n+1 {
		t.Errorf("%d sessions right after a cursor key, going %v: the rows moved", len(s.IDs), s.Going)
	}
	b.send(tickMsg(at(110)))
	b.rank()
	if l := s.Chosen(b.state.View); l == nil || l.ID != chosen || len(s.IDs) != n || s.Total != n {
		t.Errorf("%v chosen of %d of %d, want %s still, of one less", l, len(s.IDs), s.Total, chosen)
	}
	if slices.Contains(s.IDs, 0x694d81e5fc650000) || !slices.IsSorted(s.IDs[1:n-1]) {
		t.Error("who has gone is still there, or the order is not that of all")
	}
}

// TestManyLocksAreRankedInPieces: the same on the page of locks.
func TestManyLocksAreRankedInPieces(t *testing.T) {
	const n = 3*table.RankPiece + 7
	b := crowd(t, n)
	o := &b.viewState.Locks.Order
	b.press("end")
	last := o.IDs[n-1]
	if b.viewState.Locks.Pick.ID != last {
		t.Fatalf("%q chosen, want %q", b.viewState.Locks.Pick.ID, last)
	}
	b.send(tickMsg(at(100)))
	b.press("s")
	if b.send(rankMsg{}); !o.Going || o.IDs[n-1] != last {
		t.Errorf("going %v and %q last after one piece, want what was shown until all is ranked", o.Going, o.IDs[n-1])
	}
	b.rank()
	if o.Total != n || len(o.IDs) != n || b.viewState.Locks.Pick.ID != last || o.IDs[b.viewState.Locks.Pick.Place] != last {
		t.Errorf("%d of %d locks, %q chosen at %d", len(o.IDs), o.Total, b.viewState.Locks.Pick.ID, b.viewState.Locks.Pick.Place)
	}
	before := slices.Clone(o.IDs)
	b.w.claim(101, "/aaa", "", 1)
	b.sync(101)
	b.send(rankMsg{})
	b.press("up")
	b.rank()
	if !slices.Equal(o.IDs, before) {
		t.Error("the rows moved right after a cursor key")
	}
	b.send(tickMsg(at(110)))
	b.rank()
	if o.Total != n+1 || !slices.Contains(o.IDs, "/aaa") {
		t.Errorf("%d locks when the rows may move again, want %d", o.Total, n+1)
	}
}

// rank does what the messages for it would, until there is nothing more to do.
func (b *bench) rank() {
	for b.unranked(b.Frame()) {
		b.send(rankMsg{})
	}
}
