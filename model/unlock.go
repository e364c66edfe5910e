package model

import (
	"slices"
	"time"
)

// staleUnlock is a delete by which a client took a claim of its own, which it may not
// have meant: Unlock deletes by name (etcd-io/etcd#22082).
type staleUnlock struct {
	key, client string
	at          time.Time
	rev         int64
	retried     bool      // an earlier delete of the key was not answered
	victim      string    // who still believed afterwards, once that is known
	shared      bool      // another worker of the same session let go
	told        time.Time // when that was found out
}

// noteUnlock remembers the delete of a claim by which its own client may harm itself.
func (lab *Reports) noteUnlock(n *keyNotes, w Wrote) {
	ll := lab.placeOf(n.key)
	if ll == nil || !w.Told || len(lab.workers(w.Name)) == 0 {
		return
	}
	g := ll.removedBy(n.key)
	if g == nil || g.rev != w.Rev {
		return
	}
	for _, u := range ll.stale {
		if u.rev == w.Rev && u.key == n.key {
			return
		}
	}
	u := &staleUnlock{key: n.key, client: w.Name, at: w.At, rev: w.Rev}
	if g.at.After(u.at) {
		u.at = g.at
	}
	for _, d := range n.writes {
		before := d.At.Before(g.since)
		if d.Rev > 0 {
			before = d.Rev < g.ref.CreateRev
		}
		u.retried = u.retried || d.Delete && !d.Told && before && lab.sameProgram(d.Name, w.Name)
	}
	if len(ll.stale) >= staleMax {
		ll.stale = ll.stale[1:]
	}
	ll.stale = append(ll.stale, u)
	lab.k.MarkLock(ll.name)
}

// believedBefore says whether a contender believes that it holds, and did at a time: it
// may have said so again since.
func (st *competitor) believedBefore(t time.Time) bool {
	return st.interval != nil && st.interval.From.Before(t)
}

// settleUnlocks finds out which of the deletes did harm, and forgets those that did not.
func (lab *Reports) settleUnlocks(ll *labLock) {
	kept := ll.stale[:0]
	for _, u := range ll.stale {
		if lab.settleUnlock(ll, u) {
			kept = append(kept, u)
		}
	}
	clear(ll.stale[len(kept):])
	ll.stale = kept
}

// settleUnlock says whether u is still of interest.
func (lab *Reports) settleUnlock(ll *labLock, u *staleUnlock) bool {
	now := lab.k.Now()
	if u.victim != "" {
		return now.Sub(u.told) < ToldFor
	}
	if now.Sub(u.at) < Grace {
		return true
	}
	for _, c := range lab.workers(u.client) {
		switch {
		case c.place != ll:
		case c.Belief.Key == u.key && c.believedBefore(u.at):
			u.victim, u.told = c.Name, now
		case c.Belief.At.Sub(u.at).Abs() < Grace && (c.Belief.State == BeliefIdle || c.Belief.State == BeliefLeaving):
			u.shared = true
		}
	}
	return u.victim != ""
}

// TookItself says whether a contender's own client took the claim that the contender
// believes in.
func (lab *Reports) TookItself(c *competitor) bool {
	return slices.ContainsFunc(c.place.stale, func(u *staleUnlock) bool {
		return u.key == c.Belief.Key && c.believedBefore(u.at) && lab.sameProgram(u.client, c.Name)
	})
}

// HangsInUnlock says whether a contender deleted its claim and has not heard of it.
func (lab *Reports) HangsInUnlock(c *competitor) bool {
	n, g := lab.notes[c.Belief.Key], c.place.removedBy(c.Belief.Key)
	return n != nil && g != nil && lab.asksToLetGo(n, c.Name, g.rev)
}

// BelievesOn says whether the one who was harmed believes still.
func (lab *Reports) BelievesOn(u *staleUnlock, lock string) bool {
	c := lab.contenders[u.victim].on(lock)
	return c != nil && c.Belief.State == BeliefHolding && c.Belief.Key == u.key
}
