package waitfor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/keyspace"
)

// Link is one session of a circle: it holds a lock for which the one before it waits, and waits
// for the lock of the next.
type Link struct {
	Lease      *keyspace.Lease
	Has, Waits *keyspace.Claim
}

// Cycle is a circle of sessions, each waiting for the next.
type Cycle struct{ Steps []Link }

// Circles are those that are known, by the locks in them.
type Circles struct {
	Of    map[*keyspace.Lock]*Cycle
	locks []*keyspace.Lock // in the order in which they were found
}

// New returns those of an empty keyspace.
func New() Circles { return Circles{Of: map[*keyspace.Lock]*Cycle{}} }

// Update drops the circles that were broken and looks for new ones. Of circles
// that share sessions one is known at least. When that one breaks, which is rare,
// the search is made from everywhere. The locks of all circles are marked.
func (cs *Circles) Update(k *keyspace.Keyspace, suspects []*keyspace.Lease) {
	known := cs.locks
	cs.locks = nil
	for _, l := range known {
		k.Mark(l)
		if cs.Of[l].Stands() {
			cs.locks = append(cs.locks, l)
		} else {
			delete(cs.Of, l)
		}
	}
	if len(cs.locks) < len(known) {
		suspects = slices.Clone(k.Leases())
	}
	slices.SortFunc(suspects, func(a, b *keyspace.Lease) int { return a.ID.Compare(b.ID) })
	note := func(c *Cycle) {
		for _, st := range c.Steps {
			l := st.Waits.Lock()
			if cs.Of[l] == nil {
				cs.Of[l] = c
				cs.locks = append(cs.locks, l)
			}
			k.Mark(l)
		}
	}
	w := walker{note: note, on: map[*keyspace.Lease]int{}, done: map[*keyspace.Lease]bool{}}
	for _, l := range suspects {
		w.walk(l, nil)
	}
	clear(suspects) // nothing is kept of those that went
}

// Stands says whether every session of the circle still holds what the one before
// waits for.
func (c *Cycle) Stands() bool {
	for i, st := range c.Steps {
		next := c.Steps[(i+1)%len(c.Steps)]
		held, waited := st.Has.Lock(), st.Waits.Lock()
		switch {
		case st.Has.LeaseInfo() != st.Lease || st.Waits.LeaseInfo() != st.Lease:
			return false
		case held == nil || !held.Holds(held.Place(st.Has)):
			return false
		case waited == nil || waited != next.Has.Lock() || waited.Holds(waited.Place(st.Waits)):
			return false
		}
	}
	return true
}

// walker goes from sessions to those that they wait for, each of them once, and notes
// a circle wherever it meets one on its way.
type walker struct {
	note func(*Cycle)
	path []Link
	on   map[*keyspace.Lease]int // place in path
	done map[*keyspace.Lease]bool
}

// walk goes on to l, of which has is what the one before waits for.
func (w *walker) walk(l *keyspace.Lease, has *keyspace.Claim) {
	if at, ok := w.on[l]; ok {
		steps := slices.Clone(w.path[at:])
		steps[0].Has = has
		w.note(&Cycle{steps})
		return
	}
	if w.done[l] || !l.Multi() {
		return
	}
	w.done[l] = true
	here := len(w.path)
	w.on[l] = here
	w.path = append(w.path, Link{Lease: l, Has: has})
	for _, c := range sortedClaims(l) {
		lk := c.Lock()
		if lk == nil || !lk.Recipe().HasHolder || lk.Holds(lk.Place(c)) {
			continue
		}
		w.path[here].Waits = c
		for holder := range lk.First(lk.Holders()) {
			if holder.LeaseInfo() != nil && holder.LeaseInfo() != l {
				w.walk(holder.LeaseInfo(), holder)
			}
		}
	}
	w.path = w.path[:here]
	delete(w.on, l)
}

func sortedClaims(l *keyspace.Lease) []*keyspace.Claim {
	claims := slices.Clone(l.Claims())
	slices.SortFunc(claims, func(a, b *keyspace.Claim) int { return strings.Compare(a.Key, b.Key) })
	return claims
}

// HeldIn returns the claim of the circle that holds a lock of it: to break that one
// frees this lock, and so opens the circle.
func (c *Cycle) HeldIn(l *keyspace.Lock) *keyspace.Claim {
	for _, st := range c.Steps {
		if st.Has.Lock() == l {
			return st.Has
		}
	}
	return c.Steps[0].Has
}

// Closed returns when the circle closed: the last claim of it appeared, or got what the
// session before waits for; seen is false if that was before we looked. One that appeared
// while we slept has to last from then on, as one that was seen to.
func (c *Cycle) Closed(woke time.Time) (since time.Time, seen bool) {
	seen = true
	note := func(at time.Time, atLeast bool) {
		if at.After(since) {
			since, seen = at, !atLeast || !woke.IsZero() && !at.Before(woke)
		}
	}
	for _, st := range c.Steps {
		note(st.Has.Since, st.Has.SinceAtLeast)
		note(st.Waits.Since, st.Waits.SinceAtLeast)
		if got, atLeast, holds := st.Has.HeldSince(); holds {
			note(got, atLeast)
		}
	}
	return since, seen
}

// Workers says how it is seen that this is no deadlock, "" if it is not: who takes one lock
// after the other takes and lets go of none while it waits, and who leads does so for as long
// as he lives, whatever else his session stands by for.
func (c *Cycle) Workers() string {
	if !slices.ContainsFunc(c.Steps, func(st Link) bool { return !st.Has.Lock().Recipe().Leads }) {
		return "each of these locks has a leader for as long as the session lives: a program that leads one and stands by for another waits like this without a deadlock"
	}
	const several = ": a session of several workers waits like this without a deadlock, but hardly for so long"
	for _, st := range c.Steps {
		if st.Lease.Workers {
			return "lease " + st.Lease.ID.String() + " was seen to let go of a lock while it waited for another" + several
		}
		for _, other := range st.Lease.Claims()[:min(len(st.Lease.Claims()), keyspace.MaxScan)] {
			l := other.Lock()
			if other == st.Waits || l == nil || !l.Recipe().HasHolder {
				continue
			}
			got, atLeast, holds := other.HeldSince()
			switch {
			case !holds || !l.Holds(l.Place(other)):
				return "lease " + st.Lease.ID.String() + " waits for " + model.Printable(l.Name) + " at the same time" + several
			case l.Behind() == 0 && l.Handovers == 0: // nobody else wants it: it may be what the session is known by
			case other.CreateRev > st.Waits.CreateRev, !atLeast && got.After(st.Waits.Since):
				return "lease " + st.Lease.ID.String() + " took " + model.Printable(l.Name) + " while it waited" + several
			}
		}
	}
	return ""
}

// Words says the circle in a sentence.
func (c *Cycle) Words(k *keyspace.Keyspace, sure model.Confidence) string {
	var b strings.Builder
	for i, st := range c.Steps {
		next := c.Steps[(i+1)%len(c.Steps)]
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s holds %s and waits for %s", k.Who(st.Has.Ref()), model.Printable(st.Has.Lock().Name), model.Printable(next.Has.Lock().Name))
	}
	switch {
	case sure == model.Hint:
		b.WriteString("; a deadlock, unless several workers share these sessions")
	case len(c.Steps) == 2:
		b.WriteString("; deadlock: neither can proceed")
	default:
		b.WriteString("; deadlock: none of them can proceed")
	}
	return b.String()
}

// Evidence says of each session where it stands.
func (c *Cycle) Evidence() []string {
	var lines []string
	for _, st := range c.Steps {
		lines = append(lines, fmt.Sprintf("lease %s: key %s at place %d, key %s at place %d", st.Lease.ID,
			model.Printable(st.Has.Key), st.Has.Lock().Place(st.Has)+1, model.Printable(st.Waits.Key), st.Waits.Lock().Place(st.Waits)+1))
	}
	return lines
}

// Etcdctl are the commands that show each lease with its keys.
func (c *Cycle) Etcdctl() []string {
	var lines []string
	for _, st := range c.Steps {
		lines = append(lines, st.Lease.ID.Etcdctl())
	}
	return lines
}
