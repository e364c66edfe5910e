package diagnose

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/keyspace"
)

// Link is one session of a ring: it holds a lock for which the one before it waits, and waits
// for the lock of the next.
type Link struct {
	Lease      *keyspace.Lease
	Has, Waits *keyspace.Claim
}

// Ring returns the sessions of the deadlock that was found of a lock, in their order, nil if
// none was.
func (d *Diagnosis) Ring(l *keyspace.Lock) []Link {
	c := d.circles.of[l]
	if c == nil || !c.stands() || !slices.ContainsFunc(l.Findings(), func(f model.Finding) bool { return f.Code == model.CodeLockCycle }) {
		return nil
	}
	ring := make([]Link, len(c.steps))
	for i, st := range c.steps {
		ring[i] = Link{st.lease, st.has, st.waits}
	}
	return ring
}

// Keys is how many keys go if the session ends; atLeast where etcd was not asked which hang on
// its lease beside those that are watched.
func (x Link) Keys() (n int, atLeast bool) {
	if _, others, known := x.Lease.Others(x.Has.Key); known {
		return others + 1, false
	}
	return len(x.Lease.Claims()), true
}

// Cheapest returns the session of a ring that costs least to end: the one with the fewest keys,
// and of equals the one that has held for the shortest time. It is sure where all keys are known.
func Cheapest(ring []Link) (at int, sure bool) {
	sure = true
	var fewest int
	var latest time.Time
	for i, x := range ring {
		n, atLeast := x.Keys()
		since, _, _ := x.Has.HeldSince()
		if i == 0 || n < fewest || n == fewest && since.After(latest) {
			at, fewest, latest = i, n, since
		}
		sure = sure && !atLeast
	}
	return at, sure
}
