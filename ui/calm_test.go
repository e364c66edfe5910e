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

// TestTheLongestWaitIsAsSureAsThatOfItsLock: the line above the table, and a group, say of a wait that began
// before we looked that it is at least so long, as the row of the lock does.
func TestTheLongestWaitIsAsSureAsThatOfItsLock(t *testing.T) {
	a, b2 := model.KV{Key: leaseKey("/jobs/a", 0xa1), CreateRev: 7, ModRev: 7, Version: 1, Lease: 0xa1}, model.KV{Key: leaseKey("/jobs/a", 0xa2), CreateRev: 8, ModRev: 8, Version: 1, Lease: 0xa2}
	for _, r := range []struct {
		reason      string
		list        []model.KV
		line, group string
	}{
		{"in the first list: it began before", []model.KV{a, b2}, "1 waits, longest 9s+.", "9s+"},
		{"seen to begin", nil, "1 waits, longest 8s.", "8s"},
	} {
		b := newBench(t, Options{})
		if b.w.ev = nil; r.list != nil {
			b.w.add(model.LoadStarted{At: at(0), Prefix: "/", Rev: b.w.rev}, model.Listed{At: at(0), Prefix: "/", Rev: b.w.rev, KVs: r.list}, model.Loaded{At: at(0), Prefix: "/", Rev: b.w.rev})
		} else {
			b.w.add(model.LoadStarted{At: at(0), Prefix: "/", Rev: b.w.rev}, model.Loaded{At: at(0), Prefix: "/", Rev: b.w.rev})
			b.w.claim(1, "/jobs/a", "", 0xa1)
			b.w.claim(1, "/jobs/a", "", 0xa2)
		}
		b.w.watched(1, leaseKey("/jobs/a", 0xa2))
		b.w.claim(2, "/jobs/b", "", 0xb1)
		for _, id := range []model.LeaseID{0xa1, 0xa2, 0xb1} {
			b.w.read(3, id, 60, 58)
		}
		b.sync(9)
		b.sees(r.line)
		b.press("t", "home")
		if row := b.line("▌ ▸ /jobs/ 2"); !strings.HasSuffix(strings.TrimRight(row, " ┃┊"), " "+r.group) {
			t.Errorf("%s: the group says %q, want %q at its end", r.reason, row, r.group)
		}
	}
}
