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
		at     float64
		more   func(w *world)
		says   string
	}{
		{"both are known", 5, func(w *world) {
			w.claim(2, "/lock/b", "", 0xb1)
			w.read(3, 0xb1, 60, 58)
		}, "Both locks are fine: 2 held. Nobody waits."},
		{"a lease was not read", 5, func(w *world) {
			w.claim(2, "/lock/b", "", 0xb1)
		}, "No problem seen on 2 locks: 1 held, 1 not read yet. Nobody waits."},
		{"keys that may be of something else", 5, func(w *world) {
			for _, id := range []model.LeaseID{0xb1, 0xb2} {
				w.put(2, leaseKey("/jobs/b", id), "", id)
				w.read(3, id, 60, 58)
			}
		}, "No problem seen on 2 locks: 1 held, 1 may be a lock. 1 waits, longest "},
		{"one is held for long, and who waits may only stand by", 884, func(w *world) {
			w.claim(2, "/lock/b", "", 0xb1)
			w.claim(2, "/lock/b", "", 0xb2)
			for s := 3.0; s < 900; s += 20 {
				for _, id := range []model.LeaseID{0xa1, 0xb1, 0xb2} {
					w.read(s, id, 60, 58)
				}
			}
		}, "No problem seen on 2 locks: 1 held, 1 held long. 1 waits, longest 14m"},
	} {
		b := newBench(t, Options{})
		b.w.claim(1, "/lock/a", "", 0xa1)
		b.w.read(3, 0xa1, 60, 58)
		r.more(b.w)
		b.sync(r.at)
		if !strings.Contains(b.text(), r.says) {
			t.Errorf("%s: no %q in\n%s", r.reason, r.says, b.text())
		}
	}
}
