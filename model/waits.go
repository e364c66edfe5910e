package model

import (
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

// multi says whether a lease has claims in more than one place.
func (l *Lease) multi() bool {
	n := 0
	for _, c := range l.claims {
		if c.form.claims() {
			if n++; n > 1 {
				return true
			}
		}
	}
	return false
}

// noteMulti keeps the set of leases that can be part of a circle, and asks for a
// new search when one of them changed.
func (s *State) noteMulti(l *Lease) {
	if l == nil {
		return
	}
	_, was := s.multi[l]
	is := l.multi()
	switch {
	case is:
		s.multi[l] = struct{}{}
	case was:
		delete(s.multi, l)
	}
	s.cyclesStale = s.cyclesStale || is || was
}

// holding is a claim that holds, of a session with several.
type holding struct {
	claim *Claim
	lease *Lease
}

// findCycles searches all circles anew. Its cost grows with the claims of sessions
// that have several, not with the queues.
func (s *State) findCycles() {
	s.cyclesStale = false
	for _, l := range s.cyclic {
		l.cycle = nil
		s.mark(l)
	}
	s.cyclic = nil
	byLock := map[*Lock][]holding{}
	var leases []*Lease
	for l := range s.multi {
		leases = append(leases, l)
		for _, c := range l.claims {
			if lk := c.Lock(); lk != nil && lk.recipe.WaitersVisible && lk.Holds(lk.queue.rank(c)) {
				byLock[lk] = append(byLock[lk], holding{c, l})
			}
		}
	}
	slices.SortFunc(leases, func(a, b *Lease) int { return compareIDs(a.ID, b.ID) })
	for _, in := range byLock { // readers may hold together
		slices.SortFunc(in, func(a, b holding) int { return strings.Compare(a.claim.Key, b.claim.Key) })
	}
	done := map[*Lease]bool{}
	for _, l := range leases {
		if c := s.search(l, byLock, done); c != nil {
			for _, st := range c.steps {
				lk := st.waits.Lock()
				if lk.cycle == nil {
					lk.cycle = c
					s.cyclic = append(s.cyclic, lk)
				}
				s.mark(lk)
			}
		}
	}
}

func compareIDs(a, b LeaseID) int {
	switch {
	case uint64(a) < uint64(b):
		return -1
	case uint64(a) > uint64(b):
		return 1
	}
	return 0
}

// search walks from one session along what it waits for until it meets itself.
func (s *State) search(from *Lease, byLock map[*Lock][]holding, done map[*Lease]bool) *cycle {
	var path []step
	on := map[*Lease]int{}
	var walk func(l *Lease, has *Claim) *cycle
	walk = func(l *Lease, has *Claim) *cycle {
		if at, ok := on[l]; ok {
			steps := slices.Clone(path[at:])
			steps[0].has = has
			return &cycle{steps}
		}
		if done[l] {
			return nil
		}
		done[l] = true
		on[l] = len(path)
		path = append(path, step{lease: l, has: has})
		defer func() { path = path[:len(path)-1]; delete(on, l) }()
		for _, c := range l.sortedClaims() {
			lk := c.Lock()
			if lk == nil || !lk.recipe.Judged || lk.Holds(lk.queue.rank(c)) {
				continue
			}
			path[len(path)-1].waits = c
			for _, a := range byLock[lk] {
				if a.lease == l {
					continue
				}
				if found := walk(a.lease, a.claim); found != nil {
					return found
				}
			}
		}
		return nil
	}
	return walk(from, nil)
}

func (l *Lease) sortedClaims() []*Claim {
	claims := slices.Clone(l.claims)
	slices.SortFunc(claims, func(a, b *Claim) int { return strings.Compare(a.Key, b.Key) })
	return claims
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
