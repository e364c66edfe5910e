package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The wait-for graph has sessions (leases) for nodes: one waits for the sessions
// that hold a lock in whose queue it stands. Only a session with claims in several
// locks can be part of a circle.

// step is one session of a circle: it stands in the queue of the next one's lock.
type step struct {
	lease *Lease
	has   *Claim // what the session before waits for
	waits *Claim // where it waits itself
}

// cycle is a circle of sessions, each waiting for the next.
type cycle struct{ steps []step }

// multi says whether a lease competes in more than one place.
func (l *Lease) multi() bool { return l.competing > 1 }

// noteMulti notes that a session with several claims changed. A new circle goes
// through such a one, so the search begins there and not everywhere.
func (s *State) noteMulti(l *Lease) {
	if l == nil {
		return
	}
	is := l.multi()
	s.cyclesStale = s.cyclesStale || is || l.wasMulti
	l.wasMulti = is
	if is {
		s.suspects = append(s.suspects, l)
	}
}

// findCycles drops the circles that were broken and looks for new ones. Of circles
// that share sessions one is known at least. When that one breaks, which is rare,
// the search is made from everywhere.
func (s *State) findCycles() {
	s.cyclesStale = false
	known := s.cyclic
	s.cyclic = nil
	for _, l := range known {
		s.mark(l)
		if l.cycle.stands() {
			s.cyclic = append(s.cyclic, l)
		} else {
			l.cycle = nil
		}
	}
	if len(s.cyclic) < len(known) {
		s.suspects = slices.Clone(s.leaseList)
	}
	slices.SortFunc(s.suspects, func(a, b *Lease) int { return compareIDs(a.ID, b.ID) })
	w := walker{note: s.noteCycle, on: map[*Lease]int{}, done: map[*Lease]bool{}}
	for _, l := range s.suspects {
		w.walk(l, nil)
	}
	clear(s.suspects)
	s.suspects = s.suspects[:0]
}

func (s *State) noteCycle(c *cycle) {
	for _, st := range c.steps {
		l := st.waits.Lock()
		if l.cycle == nil {
			l.cycle = c
			s.cyclic = append(s.cyclic, l)
		}
		s.mark(l)
	}
}

func compareIDs(a, b LeaseID) int { return cmp.Compare(uint64(a), uint64(b)) }

// stands says whether every session of the circle still holds what the one before
// waits for.
func (c *cycle) stands() bool {
	for i, st := range c.steps {
		next := c.steps[(i+1)%len(c.steps)]
		held, waited := st.has.Lock(), st.waits.Lock()
		switch {
		case st.has.lease != st.lease || st.waits.lease != st.lease:
			return false
		case held == nil || !held.Holds(held.queue.rank(st.has)):
			return false
		case waited == nil || waited != next.has.Lock() || waited.Holds(waited.queue.rank(st.waits)):
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
	on   map[*Lease]int // place in path
	done map[*Lease]bool
}

// walk goes on to l, of which has is what the one before waits for.
func (w *walker) walk(l *Lease, has *Claim) {
	if at, ok := w.on[l]; ok {
		steps := slices.Clone(w.path[at:])
		steps[0].has = has
		w.note(&cycle{steps})
		return
	}
	if w.done[l] || !l.multi() {
		return
	}
	w.done[l] = true
	here := len(w.path)
	w.on[l] = here
	w.path = append(w.path, step{lease: l, has: has})
	for _, c := range l.sortedClaims() {
		lk := c.Lock()
		if lk == nil || !lk.recipe.HasHolder || lk.Holds(lk.queue.rank(c)) {
			continue
		}
		w.path[here].waits = c
		for holder := range lk.first(lk.holds) {
			if holder.lease != nil && holder.lease != l {
				w.walk(holder.lease, holder)
			}
		}
	}
	w.path = w.path[:here]
	delete(w.on, l)
}

func (l *Lease) sortedClaims() []*Claim {
	claims := slices.Clone(l.claims)
	slices.SortFunc(claims, func(a, b *Claim) int { return strings.Compare(a.Key, b.Key) })
	return claims
}

// heldIn returns the claim of the circle that holds a lock of it: to break that one
// frees this lock, and so opens the circle.
func (c *cycle) heldIn(l *Lock) *Claim {
	for _, st := range c.steps {
		if st.has.Lock() == l {
			return st.has
		}
	}
	return c.steps[0].has
}

// closed returns when the last claim of the circle appeared; seen is false if that
// was before we looked.
func (c *cycle) closed() (since time.Time, seen bool) {
	seen = true
	for _, st := range c.steps {
		for _, cl := range []*Claim{st.has, st.waits} {
			if cl.Since.After(since) {
				since, seen = cl.Since, !cl.SinceAtLeast
			}
		}
	}
	return since, seen
}

// words says the circle in a sentence.
func (c *cycle) words(s *State) string {
	var b strings.Builder
	for i, st := range c.steps {
		next := c.steps[(i+1)%len(c.steps)]
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s holds %s and waits for %s", s.Who(st.has.Ref()), Printable(st.has.home.path), Printable(next.has.home.path))
	}
	b.WriteString(": none of them ever gets on")
	return b.String()
}

func (c *cycle) evidence(s *State) []string {
	var lines []string
	for _, st := range c.steps {
		lines = append(lines, fmt.Sprintf("lease %s: key %s at place %d, key %s at place %d", st.lease.ID,
			Printable(st.has.Key), st.has.Lock().queue.rank(st.has)+1, Printable(st.waits.Key), st.waits.Lock().queue.rank(st.waits)+1))
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
