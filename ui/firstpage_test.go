package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"locktop/model"
)

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
