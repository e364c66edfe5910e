package model

import "time"

// share notes who holds a lock that several may hold, and returns those that began to
// since it was settled last. The head is among them.
func (k *Keyspace) share(l *Lock) (joined []*Claim) {
	if h := l.queue.first(); h == nil || l.holds == 0 || !l.recipe.Shares(h.form) {
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

// HoldsSince returns since when a claim that holds does; atLeast if it did before we
// looked.
func (l *Lock) HoldsSince(c *Claim) (since time.Time, atLeast bool) {
	if since, atLeast, holds := c.HeldSince(); holds && l.sharing[c] {
		return since, atLeast
	}
	return l.headSince, l.headAtLeast
}

// heldOn says whether the first claim held before the revision at hand, together with
// the one that was first.
func (l *Lock) heldOn() bool {
	first := l.queue.first()
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

// journalJoined writes that claims which had waited hold together with the first one. Of
// those that just came journalCame tells.
func (k *Keyspace) journalJoined(l *Lock, joined []*Claim, first *Claim, at time.Time, rev int64) {
	for _, c := range joined {
		if c == first || c.CreateRev == rev {
			continue
		}
		f := &JournalEntry{At: at, Rev: rev, Kind: EntryShared, Lock: l.Name, Claim: refOf(c), Place: l.queue.rank(c) + 1}
		if !k.past {
			f.Waited, _ = c.Waited(at)
		}
		k.Record(f)
	}
}
