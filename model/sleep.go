package model

import "time"

// slept takes in that nothing was observed for a while. What was known then may have
// changed, so every time that spans the gap is a lower bound, and every lease counts as
// unread until it is read again.
func (k *Keyspace) slept(e Slept) {
	if k.woke = e.At; e.At.Before(k.now) {
		k.woke = k.now
	}
	for _, w := range k.watches {
		w.behind = w.State != WatchLost // that one is listed again, or comes back
	}
	for _, c := range k.claims {
		c.SinceAtLeast, c.gotLate = true, c.got != 0
	}
	for _, l := range k.Locks() {
		l.headAtLeast = true
		l.freePast = l.freePast || !l.freeSince.IsZero()
		if !l.fewSince.IsZero() {
			l.fewSince = e.At
		}
		k.changed(l)
	}
	for _, l := range k.leaseList {
		if l.HasRead {
			l.HasRead, l.stale = false, true
			k.index(l)
			k.schedule(l)
		}
	}
	k.Record(&JournalEntry{At: e.At, Kind: EntryGap, Text: "locktop did not run for " + Duration(e.At.Sub(e.Since), false) +
		": when things happened meanwhile is not known, and times that span it are lower bounds"})
}

// Woke returns when the observer last came back from a sleep, zero for never.
func (ps *Prefixes) Woke() time.Time { return ps.woke }

// CatchingUp says whether what is told now may have happened while the observer slept.
func (ps *Prefixes) CatchingUp() bool {
	for _, w := range ps.watches {
		if w.behind {
			return true
		}
	}
	return false
}

// Stale says whether the lease was read before the observer slept and neither was since
// nor could be: it will be.
func (l *Lease) Stale() bool { return l != nil && l.stale && l.Unread == "" }
