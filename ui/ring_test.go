package ui

import (
	"strings"
	"testing"

	"locktop/model"
)

// ringOf is a deadlock of n sessions: each holds a lock and waits for that of the next.
func ringOf(t *testing.T, n int, o Options) *bench {
	b := newBench(t, o)
	lock := func(i int) string { return "/orders/l" + string(rune('0'+i%n)) }
	for i := range n {
		b.w.claim(float64(1+i), lock(i), "", model.LeaseID(0xa0+i))
	}
	for i := range n {
		b.w.claim(float64(20+i), lock(i+1), "", model.LeaseID(0xa0+i))
	}
	b.w.put(30, "/presence/a1", "", 0xa1)
	b.w.claim(31, "/orders/l0", "", 0xcc) // waits, and is in no ring
	for i := range n {
		b.w.read(32, model.LeaseID(0xa0+i), 60, 50)
	}
	b.sync(33)
	b.w.add(model.Tick{At: at(60)})
	b.sync(60)
	b.press(":", "lock /orders/l0", "enter")
	return b
}

// TestRing: a deadlock is drawn as a ring on the page of a queue, at every size, with what each
// holds, for what it waits, and the session that costs least to end.
func TestRing(t *testing.T) {
	for _, n := range []int{2, 3, 4, 5, 9} {
		for _, signs := range []bool{false, true} {
			b := ringOf(t, n, Options{Profile: colours, Signs: signSet(signs)})
			for w := 20; w <= 200; w += 9 {
				for _, h := range []int{10, 16, 20, 24, 36, 50} {
					b.size(w, h)
					exact(t, b.View(), w, h)
				}
			}
		}
	}
	for _, r := range []struct {
		n, w, h int
		name    string
	}{{2, 120, 36, "ring-120x36"}, {2, 80, 24, "ring-80x24"}, {3, 120, 36, "ring3-120x36"}, {5, 80, 24, "ring5-80x24"}} {
		b := ringOf(t, r.n, Options{})
		b.size(r.w, r.h)
		golden(t, r.name, b.text())
		b.sees("who waits for whom")
		b.sees("waits ")
		b.sees("holds")
	}
}

// TestRingCosts: the session with the fewest keys costs least. As long as etcd has not said which
// keys hang on the leases, only those that are watched are known, and that is said.
func TestRingCosts(t *testing.T) {
	b := ringOf(t, 2, Options{})
	b.size(120, 36)
	b.sees("← fewest keys seen")
	b.sees("2 keys or more")
	b.sees("3 keys or more")
	marked := func() string {
		for _, line := range strings.Split(b.text(), "\n") {
			if i := strings.Index(line, " ← "); i > 0 {
				return line[max(0, i-4):i]
			}
		}
		return ""
	}
	if got := marked(); !strings.HasSuffix(got, "a0") {
		t.Errorf("%q is marked, want a0:\n%s", got, b.text())
	}
	for i, keys := range [][]string{{"/orders/l0/a0", "/orders/l1/a0", "/elsewhere/1", "/elsewhere/2"}, {"/orders/l0/a1", "/orders/l1/a1", "/presence/a1"}} {
		b.w.add(model.LeaseKeys{At: at(61), ID: model.LeaseID(0xa0 + i), Rev: b.w.rev, Keys: keys, Total: len(keys)})
	}
	b.sync(62)
	b.sees("← costs least")
	b.sees("4 keys")
	if got := marked(); !strings.HasSuffix(got, "a1") || strings.Contains(b.text(), "or more") {
		t.Errorf("%q is marked, want a1: a0 has keys elsewhere:\n%s", got, b.text())
	}
	b.w.del(63, leaseKey("/orders/l1", 0xa0)) // it gives up: no ring, and nobody is to be ended
	b.sync(64)
	if strings.Contains(b.text(), "who waits for whom ─") {
		t.Errorf("the ring is open, and drawn still:\n%s", b.text())
	}
}

// TestARingThatMayBeNone: one look cannot tell a deadlock from sessions that workers share, so
// nothing is said to stand still for good.
func TestARingThatMayBeNone(t *testing.T) {
	b := newBench(t, Options{})
	kv := func(lock string, id model.LeaseID, rev int64) model.KV {
		return model.KV{Key: leaseKey(lock, id), CreateRev: rev, ModRev: rev, Version: 1, Lease: id}
	}
	b.w.add(model.LoadStarted{At: at(1), Prefix: "/", Rev: b.w.rev}, model.Listed{At: at(1), Prefix: "/", Rev: b.w.rev,
		KVs: []model.KV{kv("/orders/l0", 0xa0, 11), kv("/orders/l0", 0xa1, 14), kv("/orders/l1", 0xa0, 13), kv("/orders/l1", 0xa1, 12)}},
		model.Loaded{At: at(1), Prefix: "/", Rev: b.w.rev})
	b.w.read(2, 0xa0, 60, 50)
	b.w.read(2, 0xa1, 60, 50)
	b.sync(3)
	b.press(":", "lock /orders/l0", "enter")
	for _, size := range [][2]int{{80, 24}, {120, 36}, {200, 50}} {
		b.size(size[0], size[1])
		b.sees("who waits for whom")
		b.sees("Deadlock?")
		b.sees("deadlock?")
		b.sees("Deadlock? Sessions of 2 locks wait for each other, perhaps only in passing")
		if text := b.text(); strings.Contains(text, "can proceed") || strings.Contains(text, "never: break one") {
			t.Errorf("%v: a hint is told as a fact:\n%s", size, text)
		}
	}
	b.sees("workers may share them")
}

// TestNoRing: two who wait for one another only in passing, or for a third, are no ring.
func TestNoRing(t *testing.T) {
	b := newBench(t, Options{})
	b.w.claim(1, "/l0", "", 0xa0)
	b.w.claim(2, "/l1", "", 0xa1)
	b.w.claim(3, "/l1", "", 0xa0)
	b.sync(60)
	b.press(":", "lock /l0", "enter")
	if strings.Contains(b.text(), "who waits for whom ─") {
		t.Errorf("a chain is drawn as a ring:\n%s", b.text())
	}
}
