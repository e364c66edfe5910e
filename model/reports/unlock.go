package reports

import (
	"slices"
	"time"

	"locktop/model"
)

// noteUnlock remembers the delete of a claim by which its own client may harm itself.
func (rs *Reports) noteUnlock(n *Notes, w model.Wrote) {
	ll := rs.places.placeOf(n.Key)
	if ll == nil || !w.Told || len(rs.Programs.Workers(w.Name)) == 0 {
		return
	}
	g := ll.Removed(n.Key)
	if g == nil || g.Rev != w.Rev {
		return
	}
	for _, u := range ll.Stale {
		if u.Rev == w.Rev && u.Key == n.Key {
			return
		}
	}
	u := &StaleUnlock{Key: n.Key, Client: w.Name, At: w.At, Rev: w.Rev}
	if g.At.After(u.At) {
		u.At = g.At
	}
	for _, d := range n.writes {
		before := d.At.Before(g.since)
		if d.Rev > 0 {
			before = d.Rev < g.Ref.CreateRev
		}
		u.Retried = u.Retried || d.Delete && !d.Told && before && rs.Programs.SameProgram(d.Name, w.Name)
	}
	if len(ll.Stale) >= staleMax {
		ll.Stale = ll.Stale[1:]
	}
	ll.Stale = append(ll.Stale, u)
	rs.unlocks[ll] = true
	rs.news.due(ll.name)
}

// believedBefore says whether a contender believes that it holds, and did at a time: it
// may have said so again since.
func (c *Competitor) believedBefore(t time.Time) bool {
	return c.interval != nil && c.interval.From.Before(t)
}

// settleUnlocks finds out which of the deletes did harm, and forgets those that did not.
func (rs *Reports) settleUnlocks(ll *Lock) {
	open := ll.Stale[:0]
	for _, u := range ll.Stale {
		if rs.settleUnlock(ll, u) {
			open = append(open, u)
		}
	}
	clear(ll.Stale[len(open):])
	ll.Stale = open
}

// settleUnlock says whether u is still of interest.
func (rs *Reports) settleUnlock(ll *Lock, u *StaleUnlock) bool {
	now := rs.k.Now()
	if u.Victim != "" {
		return now.Sub(u.FoundAt) < ToldFor
	}
	if now.Sub(u.At) < Grace {
		return true
	}
	for _, c := range rs.Programs.Workers(u.Client) {
		switch {
		case c.place != ll:
		case c.Belief.Key == u.Key && c.believedBefore(u.At):
			u.Victim, u.FoundAt = c.Name, now
		case c.Belief.At.Sub(u.At).Abs() < Grace && (c.Belief.State == model.BeliefIdle || c.Belief.State == model.BeliefLeaving):
			u.Shared = true
		}
	}
	return u.Victim != ""
}

// TookItself says whether a contender's own client took the claim that the contender
// believes in.
func (rs *Reports) TookItself(c *Competitor) bool {
	return slices.ContainsFunc(c.place.Stale, func(u *StaleUnlock) bool {
		return u.Key == c.Belief.Key && c.believedBefore(u.At) && rs.Programs.SameProgram(u.Client, c.Name)
	})
}

// HangsInUnlock says whether a contender deleted its claim and has not heard of it.
func (rs *Reports) HangsInUnlock(c *Competitor) bool {
	n, g := rs.notebook.notes[c.Belief.Key], c.place.Removed(c.Belief.Key)
	return n != nil && g != nil && rs.asksToLetGo(n, c.Name, g.Rev)
}

// BelievesOn says whether the one who was harmed believes still.
func (rs *Reports) BelievesOn(u *StaleUnlock, lock string) bool {
	c := rs.Programs.contenders[u.Victim].competitorOn(lock)
	return c != nil && c.Belief.State == model.BeliefHolding && c.Belief.Key == u.Key
}
