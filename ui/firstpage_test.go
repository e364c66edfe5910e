package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"locktop/model"
)

// TestAFilterMovesNoColumnOfTheJournal: it is of all locks, whichever of them the table shows.
func TestAFilterMovesNoColumnOfTheJournal(t *testing.T) {
	b := newBench(t, Options{})
	for i, lock := range []string{"/jobs/a-rather-long-name", "/lock/a", "/lock/b"} {
		b.w.claim(float64(i), lock, "", model.LeaseID(0xa0+i))
		b.w.read(4, model.LeaseID(0xa0+i), 60, 58)
	}
	b.sync(5)
	column := func() int {
		for _, line := range strings.Split(b.text(), "\n") {
			if strings.Contains(line, "/lock/b") && strings.Contains(line, "took the lock") {
				return strings.Index(line, "a2 ")
			}
		}
		t.Fatalf("no line of /lock/b:\n%s", b.text())
		return 0
	}
	before := column()
	b.press("/", "l", "o", "c")
	b.sync(9)
	if after := column(); after != before {
		t.Errorf("it stood in column %d, with a filter in %d:\n%s", before, after, b.text())
	}
}

// TestTheJournalFollowsAgainOnceTheKeyboardLeftIt: whoever looked at its first lines and went elsewhere sees what
// happens.
func TestTheJournalFollowsAgainOnceTheKeyboardLeftIt(t *testing.T) {
	b := newBench(t, Options{})
	for i := range 60 {
		b.w.claim(float64(i), "/lock/a", "", model.LeaseID(0x100+i))
		b.w.read(float64(i), model.LeaseID(0x100+i), 60, 58)
	}
	b.sync(61)
	lines := func() int { return strings.Count(b.text(), "joined the queue") }
	before := lines()
	b.press("tab", "tab", "g")
	b.sees("newer below")
	b.press("esc")
	b.w.claim(62, "/lock/a", "", 0x200)
	b.sync(63)
	b.sees("place 61")
	if after := lines(); after < before {
		t.Errorf("%d lines, and %d before:\n%s", after, before, b.text())
	}
}

// While keys are listed a sort may be of a part of them. The page is whole with the
// list, and not only when the next sort is due.
func TestTheFirstWholePageIsOfAllLocks(t *testing.T) {
	x := newBench(t, Options{})
	x.w.batch() // of a world that was listed already
	part := func(rev int64, lock string) model.Event {
		return model.Listed{At: t0, Prefix: "/", Rev: 9, KVs: []model.KV{
			{Key: leaseKey(lock, model.LeaseID(rev)), CreateRev: rev, ModRev: rev, Version: 1, Lease: model.LeaseID(rev)}}}
	}
	x.send(batchMsg{Events: []model.Event{model.LoadStarted{At: t0, Prefix: "/", Rev: 9}, part(5, "/jobs/a")}})
	if !slices.Equal(x.viewState.Locks.Order.IDs, []string{"/jobs/a"}) {
		t.Fatalf("while the list is read: %q", x.viewState.Locks.Order.IDs)
	}
	x.send(batchMsg{Events: []model.Event{part(6, "/jobs/b"), model.Loaded{At: t0, Prefix: "/", Rev: 9}}})
	if got := ansi.Strip(x.View()); !strings.Contains(got, "2 locks") || !strings.Contains(got, "/jobs/b") {
		t.Errorf("when it was read:\n%s", got)
	}
}
