package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/keyspace"
)

// The wait-for graph has sessions (leases) for nodes: one waits for the sessions
// that hold a lock in whose queue it stands. Only a session with claims in several
// locks can be part of a circle.

// step is one session of a circle: it stands in the queue of the next one's lock.
type step struct {
	lease *keyspace.Lease
	has   *keyspace.Claim // what the session before waits for
	waits *keyspace.Claim // where it waits itself
}

// cycle is a circle of sessions, each waiting for the next.
type cycle struct{ steps []step }

// circles are those that are known, by the locks in them.
type circles struct {
	of    map[*keyspace.Lock]*cycle
	locks []*keyspace.Lock // in the order in which they were found
}

// update drops the circles that were broken and looks for new ones. Of circles
// that share sessions one is known at least. When that one breaks, which is rare,
// the search is made from everywhere. The locks of all circles are marked.
func (cs *circles) update(k *keyspace.Keyspace, suspects []*keyspace.Lease) {
	known := cs.locks
	cs.locks = nil
	for _, l := range known {
		k.Mark(l)
		if cs.of[l].stands() {
			cs.locks = append(cs.locks, l)
		} else {
			delete(cs.of, l)
		}
	}
	if len(cs.locks) < len(known) {
		suspects = slices.Clone(k.Leases())
	}
	slices.SortFunc(suspects, func(a, b *keyspace.Lease) int { return a.ID.Compare(b.ID) })
	note := func(c *cycle) {
		for _, st := range c.steps {
			l := st.waits.Lock()
			if cs.of[l] == nil {
				cs.of[l] = c
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

// stands says whether every session of the circle still holds what the one before
// waits for.
func (c *cycle) stands() bool {
	for i, st := range c.steps {
		next := c.steps[(i+1)%len(c.steps)]
		held, waited := st.has.Lock(), st.waits.Lock()
		switch {
		case st.has.LeaseInfo() != st.lease || st.waits.LeaseInfo() != st.lease:
			return false
		case held == nil || !held.Holds(held.Place(st.has)):
			return false
		case waited == nil || waited != next.has.Lock() || waited.Holds(waited.Place(st.waits)):
			return false
		}
	}
	return true
}

// walker goes from sessions to those that they wait for, each of them once, and notes
// a circle wherever it meets one on its way.
type walker struct {
	note func(*cycle)
	path []step
	on   map[*keyspace.Lease]int // place in path
	done map[*keyspace.Lease]bool
}

// walk goes on to l, of which has is what the one before waits for.
func (w *walker) walk(l *keyspace.Lease, has *keyspace.Claim) {
	if at, ok := w.on[l]; ok {
		steps := slices.Clone(w.path[at:])
		steps[0].has = has
		w.note(&cycle{steps})
		return
	}
	if w.done[l] || !l.Multi() {
		return
	}
	w.done[l] = true
	here := len(w.path)
	w.on[l] = here
	w.path = append(w.path, step{lease: l, has: has})
	for _, c := range sortedClaims(l) {
		lk := c.Lock()
		if lk == nil || !lk.Recipe().HasHolder || lk.Holds(lk.Place(c)) {
			continue
		}
		w.path[here].waits = c
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

// heldIn returns the claim of the circle that holds a lock of it: to break that one
// frees this lock, and so opens the circle.
func (c *cycle) heldIn(l *keyspace.Lock) *keyspace.Claim {
	for _, st := range c.steps {
		if st.has.Lock() == l {
			return st.has
		}
	}
	return c.steps[0].has
}

// closed returns when the circle closed: the last claim of it appeared, or got what the
// session before waits for; seen is false if that was before we looked. One that appeared
// while we slept has to last from then on, as one that was seen to.
func (c *cycle) closed(woke time.Time) (since time.Time, seen bool) {
	seen = true
	note := func(at time.Time, atLeast bool) {
		if at.After(since) {
			since, seen = at, !atLeast || !woke.IsZero() && !at.Before(woke)
		}
	}
	for _, st := range c.steps {
		note(st.has.Since, st.has.SinceAtLeast)
		note(st.waits.Since, st.waits.SinceAtLeast)
		if got, atLeast, holds := st.has.HeldSince(); holds {
			note(got, atLeast)
		}
	}
	return since, seen
}

// workers says how it is seen that this is no deadlock, "" if it is not: who takes one lock
// after the other takes and lets go of none while it waits, and who leads does so for as long
// as he lives, whatever else his session stands by for.
func (c *cycle) workers() string {
	if !slices.ContainsFunc(c.steps, func(st step) bool { return !st.has.Lock().Recipe().Leads }) {
		return "each of these locks has a leader for as long as the session lives: a program that leads one and stands by for another waits like this without a deadlock"
	}
	const several = ": a session of several workers waits like this without a deadlock, but hardly for so long"
	for _, st := range c.steps {
		if st.lease.Workers {
			return "lease " + st.lease.ID.String() + " was seen to let go of a lock while it waited for another" + several
		}
		for _, other := range st.lease.Claims()[:min(len(st.lease.Claims()), keyspace.MaxScan)] {
			l := other.Lock()
			if other == st.waits || l == nil || !l.Recipe().HasHolder {
				continue
			}
			got, atLeast, holds := other.HeldSince()
			switch {
			case !holds || !l.Holds(l.Place(other)):
				return "lease " + st.lease.ID.String() + " waits for " + model.Printable(l.Name) + " at the same time" + several
			case l.Behind() == 0 && l.Handovers == 0: // nobody else wants it: it may be what the session is known by
			case other.CreateRev > st.waits.CreateRev, !atLeast && got.After(st.waits.Since):
				return "lease " + st.lease.ID.String() + " took " + model.Printable(l.Name) + " while it waited" + several
			}
		}
	}
	return ""
}

// words says the circle in a sentence.
func (c *cycle) words(k *keyspace.Keyspace, sure model.Confidence) string {
	var b strings.Builder
	for i, st := range c.steps {
		next := c.steps[(i+1)%len(c.steps)]
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s holds %s and waits for %s", k.Who(st.has.Ref()), model.Printable(st.has.Lock().Name), model.Printable(next.has.Lock().Name))
	}
	switch {
	case sure == model.Hint:
		b.WriteString("; a deadlock, unless several workers share these sessions")
	case len(c.steps) == 2:
		b.WriteString("; deadlock: neither can proceed")
	default:
		b.WriteString("; deadlock: none of them can proceed")
	}
	return b.String()
}

func (c *cycle) evidence() []string {
	var lines []string
	for _, st := range c.steps {
		lines = append(lines, fmt.Sprintf("lease %s: key %s at place %d, key %s at place %d", st.lease.ID,
			model.Printable(st.has.Key), st.has.Lock().Place(st.has)+1, model.Printable(st.waits.Key), st.waits.Lock().Place(st.waits)+1))
	}
	return lines
}

func (c *cycle) etcdctl() []string {
	var lines []string
	for _, st := range c.steps {
		lines = append(lines, st.lease.ID.Etcdctl())
	}
	return lines
}
