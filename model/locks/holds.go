package locks

import (
	"time"

	"locktop/model/recipe"
)

// noteRenewal dates the put of the key of such a lock.
func (l *Lock) noteRenewal(c *Claim, at time.Time, live bool) {
	if c != nil && l.recipe.OfKube() && c.ModRev != l.renewed.rev {
		l.renewed = renewal{c.ModRev, at, live}
	}
}

// countHolders returns how many of the first keys hold: one, or all that hold together.
func (l *Lock) countHolders() int {
	switch h := l.Holder(); {
	case h == nil:
		return 0
	case !l.recipe.Shares(h.form):
		return 1
	}
	n := 0
	l.queue.All(func(c *Claim) bool {
		if !l.recipe.Shares(c.form) || n > 0 && n == l.recipe.Permits {
			return false
		}
		n++
		return true
	})
	return n
}

// noteHolds notes which of the first keys hold from now on, and which do not any more. over
// says that the key of the first one is another's now.
func (t *transitions) noteHolds(l *Lock, at time.Time, late, over bool) {
	if over {
		t.change.unhold(l, l.headRef, l.headAtMark, at, late)
	}
	i := 0
	for c := range l.First(max(l.holds, l.holdsAtMark)) {
		t.noteHold(l, c, at, i < l.holds, late)
		i++
	}
	if c := l.headAtMark; c != nil && c != l.queue.First() && t.keys.claims[c.Key] == c {
		t.noteHold(l, c, at, l.Holds(l.queue.Rank(c)), late)
	}
}

func (t *transitions) noteHold(l *Lock, c *Claim, at time.Time, holds, late bool) {
	switch {
	case !l.IsClaim(c): // it counts here, and is of another lock
	case holds && c.got == 0:
		c.got, c.gotLate = at.UnixMicro(), late
		c.count()
	case !holds && c.got != 0:
		c.setHead(false)
		t.change.unhold(l, refOf(c), c, at, late)
	}
}

// heldOn says whether the first claim held before the revision at hand, together with
// the one that was first.
func (l *Lock) heldOn() bool {
	first := l.queue.First()
	return l.sharing[first] && first != l.headAtMark
}

// heldWith returns how many of those that held together hold on.
func (l *Lock) heldWith() (n int) {
	for c := range l.sharing {
		if !c.leaving {
			n++
		}
	}
	return n
}

// share notes who holds a lock that several may hold, and returns those that began to
// since it was settled last. The head is among them.
func (l *Lock) share() (joined []*Claim) {
	if h := l.queue.First(); h == nil || l.holds == 0 || !l.recipe.Shares(h.form) {
		l.sharing = nil
		return nil
	}
	now := make(map[*Claim]bool, l.holds)
	for c := range l.First(l.holds) {
		if !l.sharing[c] {
			joined = append(joined, c)
		}
		now[c] = true
	}
	l.sharing = now
	return joined
}

// writtenOver says whether another owner put the key of the holder again in place: with
// another lease, and a value that names somebody else. One that only has a new lease is the
// same program's, in a later run or that renews so.
func (l *Lock) writtenOver(now *Claim) bool {
	was := l.headRef.Lease
	if l.recipe.Held != nil {
		return ownerOf(l.headWrote) != ownerOf(now.Value)
	}
	return was != 0 && now.KV.Lease != 0 && was != now.KV.Lease && ownerOf(l.headWrote) != ownerOf(now.Value)
}

func ownerOf(value string) string {
	who, _ := recipe.Owner(value)
	return who
}
