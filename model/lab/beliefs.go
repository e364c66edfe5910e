package lab

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"locktop/model"
)

// believes notes what a word on a lock begins and ends.
func (st *Competitor) believes(e model.Belief) {
	holds := e.State == model.BeliefHolding
	if st.interval != nil && (!holds || st.interval.Key != e.Key) {
		st.endInterval(e.At, e.State)
	}
	if holds && st.interval == nil {
		lease := e.Lease
		if e.Key == "" {
			lease = cmp.Or(lease, st.Lease) // by which its claim is known
		}
		st.interval = &span{Believed: Believed{Contender: st.Name, Lock: st.place.name, Key: e.Key, Lease: lease, From: e.At}}
		st.place.keep(st.interval)
	}
}

func (st *Competitor) endInterval(at time.Time, after model.BeliefState) {
	if st.interval != nil {
		st.interval.To, st.interval.end = at, after
		st.interval = nil
	}
}

func (lab *Reports) noteBelief(e model.Belief) {
	c := lab.info(e.Contender)
	if e.State == model.BeliefLost && c.Belief.State != model.BeliefLost {
		lab.k.Record(&model.JournalEntry{At: e.At, Kind: model.EntryLab, Lock: e.Lock, Text: fmt.Sprintf("%s noticed that its lease is gone", e.Contender)})
	}
	if c.Lock == "" {
		lab.move(c, e.Lock) // of a worker nothing but its words is reported
	}
	if lock := orElse(e.Lock, c.Lock); lock != "" {
		st := lab.join(c, lock)
		if p := lab.contenders[lab.program(c.Name)]; p != nil && p != c {
			lab.join(p, lock) // by which its workers are found
		}
		st.believes(e)
		st.Belief = e
	}
	lab.knows(e)
	c.Belief = e
	lab.k.MarkLock(e.Lock)
	if e.Lease != 0 {
		c.Lease = e.Lease
		lab.noteOwner(model.LeaseOwner{At: e.At, Lease: e.Lease, Client: model.Client{Name: e.Contender, Certain: true}})
	}
}

// access counts what a contender did to the guarded resource.
func (lab *Reports) access(e model.Access) {
	c := lab.info(e.Contender)
	c.LastAccess = e
	if e.Accepted {
		c.Accepted++
	} else {
		c.Refused++
	}
	if st, l := c.on(e.Lock), lab.k.Lock(e.Lock); st != nil && l != nil && lab.isFalse(st, l) {
		lab.k.Mark(l) // it may prove that the contender acts on what is not true
	}
}

// Truth says what etcd says of a contender's claim on its lock: its place in the
// queue from 1, 0 if it has none. Place 1 holds.
func (lab *Reports) Truth(c ContenderInfo) (claim *model.Claim, place int) {
	return lab.truth(lab.k.Lock(c.Lock), c.Lease)
}

func (lab *Reports) truth(l *model.Lock, id model.LeaseID) (claim *model.Claim, place int) {
	lease := lab.k.Lease(id)
	if l == nil || lease == nil {
		return nil, 0
	}
	for _, claim := range lease.Claims() {
		if claim.Lock() == l {
			return claim, l.Place(claim) + 1
		}
	}
	return nil, 0
}

// Believed says whether a contender believes that it holds a lock.
func (lab *Reports) Believed(lock string) bool {
	ll := lab.locks[lock]
	if ll == nil {
		return false
	}
	for _, c := range ll.Competitors {
		if c.Belief.State == model.BeliefHolding && lab.ProcOf(c.ContenderInfo) != model.ProcEnded {
			return true
		}
	}
	return false
}

// HoldsBy says whether a worker of that process believes that it holds by a key.
func (lab *Reports) HoldsBy(name, key string) bool {
	return slices.ContainsFunc(lab.Workers(name), func(c *Competitor) bool {
		return c.Belief.State == model.BeliefHolding && c.Belief.Key == key
	})
}

// Grace is how far a contender's word and the watch may lie apart: they come by
// different ways.
const Grace = 500 * time.Millisecond

// ToldFor is how long something that is over stays a finding.
const ToldFor = time.Minute

// ClaimOf returns the claim that a contender speaks of, nil if it is not there, and its
// place in the queue from 0.
func (lab *Reports) ClaimOf(c *Competitor, l *model.Lock) (*model.Claim, int) {
	if c.Belief.Key == "" {
		claim, place := lab.truth(l, c.Lease)
		return claim, place - 1
	}
	if claim := lab.k.Claim(c.Belief.Key); claim != nil && claim.Lock() == l {
		return claim, l.Place(claim)
	}
	return nil, -1
}

// believes says whether a contender that runs says that it holds, and the keys are watched:
// else nobody's word can be held against it.
func (lab *Reports) believes(c *Competitor) bool {
	return c.interval != nil && lab.ProcOf(c.ContenderInfo) != model.ProcEnded && !lab.k.LiveSince(c.place.name).IsZero()
}

// isTrue says whether a contender holds as it says.
func (lab *Reports) isTrue(c *Competitor, l *model.Lock) bool {
	claim, place := lab.ClaimOf(c, l)
	return claim != nil && l.Holds(place)
}

func (lab *Reports) isFalse(c *Competitor, l *model.Lock) bool {
	return lab.believes(c) && !lab.isTrue(c, l)
}

// FalseSince says whether a contender believes what is not so, and since when, as far as
// the keys were watched: since its claim stopped to hold, or else since it said so.
func (lab *Reports) FalseSince(c *Competitor, l *model.Lock) (since time.Time, is bool) {
	if !lab.isFalse(c, l) {
		return since, false
	}
	since = c.interval.From
	later := func(t time.Time) {
		if t.After(since) {
			since = t
		}
	}
	later(lab.k.LiveSince(l.Name))
	if own, _ := lab.heldBy(c.interval); own != nil && !own.Gone.IsZero() {
		later(own.Gone)
	} else if g := c.place.Removed(c.interval.Key); g != nil {
		later(g.At)
	}
	return since, true
}

// NeverHeld says whether the key of a contender was gone when it began to believe
// that it held. Both times are of the same machine, and the watch sees a key go later
// than it went.
func (lab *Reports) NeverHeld(c *Competitor) bool {
	if c.Belief.Key == "" || c.interval == nil || c.interval.held {
		return false
	}
	if g := c.place.Removed(c.Belief.Key); g != nil {
		return g.At.Before(c.interval.From)
	}
	live := lab.k.LiveSince(c.place.name)
	return !live.IsZero() && live.Before(c.interval.From) && c.place.since.Before(c.interval.From)
}

// Observe takes stock of a lock before its rules are asked: which beliefs are true, and
// what came of its unlocks.
func (lab *Reports) Observe(l *model.Lock) {
	ll := lab.locks[l.Name]
	if ll == nil {
		return
	}
	for _, c := range ll.Competitors {
		if lab.believes(c) && lab.isTrue(c, l) {
			c.interval.held = true
		}
	}
	lab.settleUnlocks(ll)
}
