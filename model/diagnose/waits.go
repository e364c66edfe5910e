package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"locktop/model"
)

// The wait-for graph has sessions (leases) for nodes: one waits for the sessions
// that hold a lock in whose queue it stands. Only a session with claims in several
// locks can be part of a circle.

// step is one session of a circle: it stands in the queue of the next one's lock.
type step struct {
	lease *model.Lease
	has   *model.Claim // what the session before waits for
	waits *model.Claim // where it waits itself
}

// cycle is a circle of sessions, each waiting for the next.
type cycle struct{ steps []step }

// circles are those that are known, by the locks in them.
type circles struct {
	of    map[*model.Lock]*cycle
	locks []*model.Lock // in the order in which they were found
}

// update drops the circles that were broken and looks for new ones. Of circles
// that share sessions one is known at least. When that one breaks, which is rare,
// the search is made from everywhere. The locks of all circles are marked.
func (cs *circles) update(k *model.Keyspace, suspects []*model.Lease) {
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
	slices.SortFunc(suspects, func(a, b *model.Lease) int { return a.ID.Compare(b.ID) })
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
	w := walker{note: note, on: map[*model.Lease]int{}, done: map[*model.Lease]bool{}}
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
	on   map[*model.Lease]int // place in path
	done map[*model.Lease]bool
}

// walk goes on to l, of which has is what the one before waits for.
func (w *walker) walk(l *model.Lease, has *model.Claim) {
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

func sortedClaims(l *model.Lease) []*model.Claim {
	claims := slices.Clone(l.Claims())
	slices.SortFunc(claims, func(a, b *model.Claim) int { return strings.Compare(a.Key, b.Key) })
	return claims
}

// heldIn returns the claim of the circle that holds a lock of it: to break that one
// frees this lock, and so opens the circle.
func (c *cycle) heldIn(l *model.Lock) *model.Claim {
	for _, st := range c.steps {
		if st.has.Lock() == l {
			return st.has
		}
	}
	return c.steps[0].has
}

// closed returns when the last claim of the circle appeared; seen is false if that
// was before we looked. One that appeared while we slept has to last from then on, as
// one that was seen to.
func (c *cycle) closed(woke time.Time) (since time.Time, seen bool) {
	seen = true
	for _, st := range c.steps {
		for _, cl := range []*model.Claim{st.has, st.waits} {
			if cl.Since.After(since) {
				since, seen = cl.Since, !cl.SinceAtLeast || !woke.IsZero() && !cl.Since.Before(woke)
			}
		}
	}
	return since, seen
}

// words says the circle in a sentence.
func (c *cycle) words(k *model.Keyspace) string {
	var b strings.Builder
	for i, st := range c.steps {
		next := c.steps[(i+1)%len(c.steps)]
		if i > 0 {
			b.WriteString("; ")
		}
		fmt.Fprintf(&b, "%s holds %s and waits for %s", k.Who(st.has.Ref()), model.Printable(st.has.Lock().Name), model.Printable(next.has.Lock().Name))
	}
	if len(c.steps) == 2 {
		b.WriteString("; deadlock: neither can proceed")
	} else {
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
