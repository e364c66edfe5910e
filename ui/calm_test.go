package ui

import (
	"strings"
	"testing"

	"locktop/model"
)

// TestLocksAreCalledFineOnlyIfTheyAreKnown: the line above the table says that all is well of locks whose
// leases were read, and that are locks for sure.
func TestLocksAreCalledFineOnlyIfTheyAreKnown(t *testing.T) {
	for _, r := range []struct {
		reason string
		more   func(w *world)
		says   string
	}{
		{"both are known", func(w *world) {
			w.claim(2, "/lock/b", "", 0xb1)
			w.read(3, 0xb1, 60, 58)
		}, "Both locks are fine: 2 held. Nobody waits."},
		{"a lease was not read", func(w *world) {
			w.claim(2, "/lock/b", "", 0xb1)
		}, "No problem seen on 2 locks: 1 held, 1 not read yet. Nobody waits."},
		{"keys that may be of something else", func(w *world) {
			for _, id := range []model.LeaseID{0xb1, 0xb2} {
				w.put(2, leaseKey("/jobs/b", id), "", id)
				w.read(3, id, 60, 58)
			}
		}, "No problem seen on 2 locks: 1 held, 1 may be a lock. 1 waits, longest "},
	} {
		b := newBench(t, Options{})
		b.w.claim(1, "/lock/a", "", 0xa1)
		b.w.read(3, 0xa1, 60, 58)
		r.more(b.w)
		b.sync(5)
		if !strings.Contains(b.text(), r.says) {
			t.Errorf("%s: no %q in\n%s", r.reason, r.says, b.text())
		}
	}
}
