package locks

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"locktop/model"
)

// What is due comes longest due first, and asking changes nothing.
func TestPeek(t *testing.T) {
	random, start := rand.New(rand.NewPCG(1, 2)), time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	k := NewState()
	k.scheduler.now = start.Add(500 * time.Second)
	var all []*Lease
	for i := range 1000 {
		l := &Lease{ID: model.LeaseID(random.Int64N(1 << 40)), class: classNone}
		all = append(all, l)
		k.scheduler.place(l, classHead, start.Add(time.Duration(random.IntN(1000))*time.Second).UnixNano()) // several at once
		if i%7 == 0 {
			k.scheduler.unschedule(all[random.IntN(i+1)])
		}
	}
	all = slices.DeleteFunc(all, func(l *Lease) bool { return l.class == classNone || l.due > k.scheduler.now.UnixNano() })
	slices.SortFunc(all, func(a, b *Lease) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(uint64(a.ID), uint64(b.ID)))
	})
	for _, n := range []int{0, 1, 64, len(all), len(all) + 1} {
		want := []model.LeaseID{}
		for _, l := range all[:min(n, len(all))] {
			want = append(want, l.ID)
		}
		before := fmt.Sprint(k.scheduler.due)
		if got := k.scheduler.peek(classHead, n); !slices.Equal(got, want) {
			t.Errorf("the first %d of %d:\n%v, want\n%v", n, len(all), got, want)
		}
		if fmt.Sprint(k.scheduler.due) != before {
			t.Errorf("asking for %d changes their order", n)
		}
	}
	if got := k.scheduler.peek(classWaiter, 64); len(got) > 0 {
		t.Errorf("of a class that has none: %v", got)
	}
}

// TestTheEndOfALeaseIsRead: of a lease that runs out under a holder there is a reading in its
// last second, also where nobody is seen to wait. By that alone an expiry is told from a revoke
// where a lease is renewed by hand.
func TestTheEndOfALeaseIsRead(t *testing.T) {
	start := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for _, class := range []int8{classHead, classSeen, classShown} {
		for after := time.Duration(0); after < 2*time.Second; after += 10 * time.Millisecond {
			ends, at, last := start.Add(5*time.Second), start.Add(after), time.Time{}
			for !at.After(ends) { // etcd takes it away a moment later
				last = at
				l := &Lease{class: classNone, heads: 1, Readings: &Readings{}}
				l.HasRead, l.Read = true, model.LeaseRead{At: at, Granted: 5, Remaining: int64(ends.Sub(at) / time.Second)}
				a := scheduler{now: at}
				if at = a.nextReading(l, class); !at.After(last) {
					t.Fatalf("class %d: read at %s, and again at once", class, last.Sub(start))
				}
			}
			if left := ends.Sub(last); left >= time.Second {
				t.Fatalf("class %d, first read after %s: the last reading is %s before the end", class, after, left)
			}
		}
	}
}
