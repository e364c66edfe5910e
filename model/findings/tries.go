package findings

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/copies"
	"locktop/model/locks"
	"locktop/model/recipe"
)

// Queues is what was seen of the queues over time, where it says more than the queue of now: who left
// one without having had the lock, and for how long a queue grew.
type Queues struct {
	byLock map[*locks.Lock]*pastQueue
}

// pastQueue is what was seen of one queue.
type pastQueue struct {
	tries []Tries // the one that left last comes last
	growth
}

// Tries is somebody who left a queue without having had the lock, once or more often in a row.
type Tries struct {
	Lease model.LeaseID
	who   string // whom the value of its key names, by which it is known where it comes back on another lease
	// Times is how often it left, First and Last when; Waited is the longest of its waits.
	Times       int
	First, Last time.Time
	Waited      time.Duration
	// Handovers counts those of the lock before it left first.
	Handovers int
}

// Bounds of what is remembered.
const (
	triesMax  = 16              // of a lock
	queuesMax = 1_000           // locks
	tryLeast  = time.Second     // TryLock is gone before; nobody waits for so short
	tryKept   = 5 * time.Minute // who did not come back for so long went elsewhere
)

// Apply takes in which claims came and went.
func (q *Queues) Apply(e model.Event, changes []locks.Change) {
	c, seen := e.(model.Committed)
	for i := range changes {
		x := &changes[i]
		switch {
		case x.Kind == locks.Gone && x.Lock != nil && seen && !c.Past:
			q.left(x)
			q.grow(x.Lock, x.At)
		case x.Kind == locks.LetGo && x.Lock != nil:
			q.had(x.Lock, x.Hold.Claim)
		case x.Kind == locks.Came && seen && !c.Past:
			if l := x.Claim.Lock(); l != nil {
				q.grow(l, x.At)
			}
		case x.Kind == locks.Changed && !x.Lock.Listed():
			delete(q.byLock, x.Lock)
		}
	}
}

// pastOf returns what was seen of a queue, made if needed. It is nil where there is no room.
func (q *Queues) pastOf(l *locks.Lock) *pastQueue {
	p := q.byLock[l]
	if p == nil && len(q.byLock) < queuesMax {
		p = &pastQueue{}
		q.byLock[l] = p
	}
	return p
}

// left notes that a claim went: who had the lock is no longer one who waits in vain.
func (q *Queues) left(x *locks.Change) {
	l, ref := x.Lock, x.Claim.Ref()
	if _, _, held := x.Claim.HeldSince(); held {
		q.had(l, ref)
		return
	}
	waited := x.At.Sub(x.Claim.Since)
	if waited < tryLeast || l.Free() || !l.Recipe().HasHolder || !l.Recipe().WaitersVisible() {
		return
	}
	p := q.pastOf(l)
	if p == nil {
		return
	}
	t := Tries{Lease: ref.Lease, who: named(ref), First: x.At, Handovers: l.Handovers}
	if at := p.find(ref); at >= 0 {
		if x.At.Sub(p.tries[at].Last) <= tryKept {
			t = p.tries[at]
		}
		p.tries = slices.Delete(p.tries, at, at+1)
	}
	t.Lease, t.Last, t.Times, t.Waited = ref.Lease, x.At, t.Times+1, max(t.Waited, waited)
	if len(p.tries) == triesMax {
		p.tries = slices.Delete(p.tries, 0, 1)
	}
	p.tries = append(p.tries, t)
}

// had forgets that somebody left the queue: it had the lock.
func (q *Queues) had(l *locks.Lock, ref model.ClaimRef) {
	if p := q.byLock[l]; p != nil {
		if at := p.find(ref); at >= 0 {
			p.tries = slices.Delete(p.tries, at, at+1)
		}
	}
}

// find returns the place of whom a claim is of, by its lease or by its value, -1 for none.
func (p *pastQueue) find(ref model.ClaimRef) int {
	return slices.IndexFunc(p.tries, func(t Tries) bool {
		return t.Lease == ref.Lease && ref.Lease != 0 || t.who != "" && t.who == named(ref)
	})
}

// named is who the value of a claim names, "" for nobody.
func named(ref model.ClaimRef) string {
	who, _ := recipe.Owner(ref.Value)
	return who
}

// growth is how a queue grew. Of each while the shortest length counts, so that who comes and goes at
// once is no growth.
type growth struct {
	from    time.Time // since when the while at hand lasts
	low     int       // the shortest in it
	last    int       // and in the one before
	since   time.Time // since when it grows, zero while it does not
	start   int       // how long it was then
	rose    time.Time // when it last grew
	moved   int       // the handovers up to since
	longest time.Duration
	first   time.Time // since when it is followed
}

// Bounds of growth.
const (
	growWhile = 10 * time.Second
	growPause = time.Minute // after so long without growth it is over
	growLeast = 5           // shorter queues are not followed
)

// grow notes how long the queue of a lock is.
func (q *Queues) grow(l *locks.Lock, at time.Time) {
	n := l.Behind()
	p := q.byLock[l]
	if p == nil || p.first.IsZero() {
		if n < growLeast {
			return
		}
		if p = q.pastOf(l); p == nil {
			return
		}
		p.growth = growth{from: at, low: n, last: n, first: at}
		return
	}
	if at.Sub(p.from) < growWhile {
		p.low = min(p.low, n)
		return
	}
	switch {
	case p.low > p.last:
		if p.since.IsZero() {
			p.since, p.start, p.moved = p.from, p.last, l.Handovers
		}
		p.rose = at
	case !p.since.IsZero() && (p.low < p.last || at.Sub(p.rose) > growPause):
		p.longest = max(p.longest, p.rose.Sub(p.since))
		p.since = time.Time{}
	}
	p.from, p.low, p.last = at, n, p.low
}

func (q *Queues) cloneInto(own *Queues, c *locks.Copies) {
	own.byLock = copies.Keys(copies.Values(q.byLock, func(p *pastQueue) *pastQueue {
		one := *p
		one.tries = slices.Clone(p.tries)
		return &one
	}), c.Lock)
}
