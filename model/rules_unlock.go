package model

import (
	"fmt"
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
func (lab *labState) noteUnlock(s *State, n *keyNotes, w Wrote) {
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
	s.markLock(ll.name)
}

// staleUnlocks finds a contender whose claim its own client deleted while it believes
// on: an unlock that was tried again took a later claim of the same name. Where
// workers share a session, the unlock of one of them does the same.
func staleUnlocks(x *ruleContext) {
	if x.lab == nil {
		return
	}
	kept := x.lab.stale[:0]
	for _, u := range x.lab.stale {
		if x.judgeUnlock(u) {
			kept = append(kept, u)
		}
	}
	clear(x.lab.stale[len(kept):])
	x.lab.stale = kept
}

// judgeUnlock reports u if it did harm, and says whether it is still of interest.
func (x *ruleContext) judgeUnlock(u *staleUnlock) bool {
	if u.victim == "" {
		if x.s.now.Sub(u.at) < beliefGrace {
			x.recheck(u.at.Add(beliefGrace))
			return true
		}
		for _, c := range x.s.lab.workers(u.client) {
			switch {
			case c.place != x.lab:
			case c.Belief.Key == u.key && c.believedBefore(u.at):
				u.victim, u.told = c.Name, x.s.now
			case c.Belief.At.Sub(u.at).Abs() < beliefGrace && (c.Belief.State == BeliefIdle || c.Belief.State == BeliefLeaving):
				u.shared = true
			}
		}
	}
	if u.victim == "" || x.s.now.Sub(u.told) >= toldFor {
		return false
	}
	x.recheck(u.told.Add(toldFor))
	f := Finding{Code: CodeStaleUnlock, Severity: SevWarning, Confidence: Certain,
		Summary:  fmt.Sprintf("%s deleted a claim by which %s went on to believe that it held: the lock was let go under it", Printable(u.client), Printable(u.victim)),
		Evidence: []string{fmt.Sprintf("the proxy saw %s delete %s at revision %d; %s did not say that it let go", Printable(u.client), Printable(u.key), u.rev, Printable(u.victim))},
		Advice:   []string{"stop " + Printable(u.victim) + ": it does not hold any more", "in the client: a session of its own for each acquisition, or a delete guarded by the create revision"}}
	if u.retried {
		f.Evidence = append(f.Evidence, "an earlier delete of that key was not answered, so the client tried again")
	}
	if u.shared && !u.retried {
		f.Code, f.Confidence = CodeSameSession, Strong
		f.Advice[1] = "give each worker a session of its own"
	}
	if c := x.s.lab.contenders[u.victim].on(x.l.Name); c != nil && c.Belief.State == BeliefHolding && c.Belief.Key == u.key {
		f.Severity = SevError
	}
	x.report(f, nil)
	return true
}

// believedBefore says whether a contender believes that it holds, and did at a time: it
// may have said so again since.
func (st *competitor) believedBefore(t time.Time) bool {
	return st.interval != nil && st.interval.From.Before(t)
}

// tookItself returns the delete by which a contender's client took the claim that the
// contender believes in, nil for none.
func (x *ruleContext) tookItself(c *competitor) *staleUnlock {
	for _, u := range x.lab.stale {
		if u.key == c.Belief.Key && c.believedBefore(u.at) && x.s.lab.sameProgram(u.client, c.Name) {
			return u
		}
	}
	return nil
}
