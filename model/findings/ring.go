package findings

import (
	"time"
)

// Keys is how many keys go if the session ends; atLeast where etcd was not asked which hang on
// its lease beside those that are watched.
func (l Link) Keys() (n int, atLeast bool) {
	if _, others, known := l.Lease.Others(l.Holds.Key); known {
		return others + 1, false
	}
	return len(l.Lease.Claims()), true
}

// Cheapest returns the session of a ring that costs least to end: the one with the fewest keys,
// and of equals the one that has held for the shortest time. It is sure where all keys are known.
func Cheapest(ring []Link) (at int, sure bool) {
	sure = true
	var fewest int
	var latest time.Time
	for i, x := range ring {
		n, atLeast := x.Keys()
		since, _, _ := x.Holds.HeldSince()
		if i == 0 || n < fewest || n == fewest && since.After(latest) {
			at, fewest, latest = i, n, since
		}
		sure = sure && !atLeast
	}
	return at, sure
}
