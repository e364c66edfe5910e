package model

import (
	"strings"
	"time"
)

// Marks are what has to be looked at again, until the rules have.
type Marks struct {
	marked      []*Lock // their findings may have changed
	spare       []*Lock // memory for the next marked
	suspects    []*Lease
	cyclesStale bool
}

// Mark notes that the findings of a lock may have changed.
func (m *Marks) Mark(l *Lock) {
	if !l.marked {
		l.marked = true
		m.marked = append(m.marked, l)
	}
}

// MarkLock does so by name; a lock that is not known needs no look.
func (k *Keyspace) MarkLock(name string) {
	if l := k.Lock(name); l != nil {
		k.Mark(l)
	}
}

// TakeMarked yields every lock that was marked and marks none, until none is left. Some
// are forgotten by now.
func (k *Keyspace) TakeMarked(yield func(*Lock)) {
	for len(k.marked) > 0 {
		marked := k.marked
		k.marked = k.spare
		for _, l := range marked {
			l.marked = false
			k.countFew(l)
			k.notePace(l)
			yield(l)
		}
		clear(marked)
		k.spare = marked[:0]
	}
}

// Recheck has a lock marked at a time, when that alone may change its findings.
func (k *Keyspace) Recheck(l *Lock, at time.Time) {
	if l.recheckAt.IsZero() || !l.recheckAt.After(k.now) || at.Before(l.recheckAt) {
		l.recheckAt = at
		k.later(deadline{at: at, check: l})
	}
}

// noteMulti notes that a session with several claims changed. A new circle goes
// through such a one, so the search begins there and not everywhere.
func (m *Marks) noteMulti(l *Lease) {
	if l == nil {
		return
	}
	is := l.Multi()
	m.cyclesStale = m.cyclesStale || is || l.wasMulti
	l.wasMulti = is
	if is {
		m.suspects = append(m.suspects, l)
	}
}

// TakeSuspects returns the sessions with several claims that changed since it was asked
// last, and whether any session did by which circles may have come or gone. The list is
// valid until the next Apply.
func (m *Marks) TakeSuspects() (list []*Lease, stale bool) {
	list, stale = m.suspects, m.cyclesStale
	m.suspects, m.cyclesStale = m.suspects[:0], false
	return list, stale
}

// Partial says that a list or a history of some prefix is under way, or that it was not
// seen since we slept: half a queue would be judged, or one of a time that is over.
func (ps *Prefixes) Partial() bool {
	for _, w := range ps.watches {
		if w.until > 0 || w.State == WatchLoading || w.behind {
			return true
		}
	}
	return false
}

// LiveSince returns since when the keys of a lock are watched without a break, zero if
// they are not.
func (ps *Prefixes) LiveSince(lock string) time.Time {
	for _, w := range ps.watches {
		if w.State == WatchLive && strings.HasPrefix(lock+"/", w.Prefix) {
			return w.Since
		}
	}
	return time.Time{}
}

// Expected returns how many contenders were declared for a lock, 0 for none.
func (k *Keyspace) Expected(lock string) int {
	want, longest := 0, -1
	for _, p := range k.pins {
		if p.Expect > 0 && len(p.Prefix) > longest && strings.HasPrefix(lock+"/", p.Prefix) {
			want, longest = p.Expect, len(p.Prefix)
		}
	}
	return want
}

// WarnWait returns from when on a wait for a lock is worth a word, 0 if nobody said.
func (k *Keyspace) WarnWait(lock string) time.Duration {
	want, longest := time.Duration(0), -1
	for _, p := range k.pins {
		if p.Wait > 0 && len(p.Prefix) > longest && strings.HasPrefix(lock+"/", p.Prefix) {
			want, longest = p.Wait, len(p.Prefix)
		}
	}
	return want
}

// countFew notes since when a lock has fewer claims than declared.
func (k *Keyspace) countFew(l *Lock) {
	switch want := k.Expected(l.Name); {
	case want == 0 || l.Own() >= want || !l.recipe.HasHolder:
		l.fewSince = time.Time{}
	case l.fewSince.IsZero():
		l.fewSince = k.now
	}
}

// SetFindings puts a list, the worst first, in the place of what was found of a lock.
func (k *Keyspace) SetFindings(l *Lock, found []Finding) {
	l.findings = found
	k.version++
	l.version = k.version
}

// Renew says that something changed that is of no lock.
func (k *Keyspace) Renew() { k.version++ }
