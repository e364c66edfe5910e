package lab

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/recipe"
)

// Bounds of what is remembered of a lock of the lab.
const (
	labLocksMax = 512
	beliefsMax  = 256
	removedMax  = 256
	overlapsMax = 64
	staleMax    = 8
)

// Lock is what the lab and its proxy reported about one lock.
type Lock struct {
	name        string
	since       time.Time      // since when it is kept
	Competitors []*Competitor  // by name
	Open        []string       // the keys whose notes have something open, sorted
	removed     []RemovedClaim // the last keys that went, newest last
	beliefs     []*span        // by their beginning
	Stale       []*StaleUnlock
}

// RemovedClaim is a key that went.
type RemovedClaim struct {
	Ref       model.ClaimRef
	At, since time.Time
	Rev       int64
	left      *model.JournalEntry // how it went, if it held
}

// lock returns what the lab says of a lock, made if needed.
func (lab *Reports) lock(name string) *Lock {
	ll := lab.locks[name]
	if ll == nil {
		if len(lab.locks) >= labLocksMax {
			lab.dropIdleLocks()
		}
		ll = &Lock{name: name, since: lab.k.Now()}
		lab.locks[name] = ll
	}
	return ll
}

// dropIdleLocks forgets the locks without contenders.
func (lab *Reports) dropIdleLocks() {
	for name, ll := range lab.locks {
		if len(ll.Competitors) == 0 {
			for _, key := range ll.Open {
				n := lab.notes[key]
				n.Ghost, n.Undone, n.Watchers = nil, nil, nil
			}
			delete(lab.locks, name)
		}
	}
}

// dropLock forgets a lock about which nothing is said any more.
func (lab *Reports) dropLock(ll *Lock) {
	if len(ll.Competitors)+len(ll.Open)+len(ll.Stale) == 0 {
		delete(lab.locks, ll.name)
	}
}

// lockName is the lock for which a key competes, as far as its name tells.
func (lab *Reports) lockName(key string) string {
	if lab.locks[key] != nil {
		return key // a lock of one key
	}
	dir, _, ok := model.Split(key)
	if !ok {
		return key
	}
	if up, last, ok := model.Split(dir); ok && lab.locks[dir] == nil && lab.locks[up] != nil && recipe.IsUnder(last) {
		return up
	}
	return dir
}

// placeOf returns what the lab says of the lock of a key, nil for nothing.
func (lab *Reports) placeOf(key string) *Lock { return lab.locks[lab.lockName(key)] }

// move puts a contender to another lock than those that it competed for; "" is none.
func (lab *Reports) move(c *ContenderInfo, lock string) {
	lab.leave(c)
	if c.Lock = lock; lock != "" {
		lab.join(c, lock)
	}
}

// leave ends what a contender says of any lock.
func (lab *Reports) leave(c *ContenderInfo) {
	for _, st := range c.competitors {
		lab.drop(st)
	}
	c.competitors = nil
}

func (lab *Reports) drop(st *Competitor) {
	ll := st.place
	ll.Competitors = slices.DeleteFunc(ll.Competitors, func(o *Competitor) bool { return o == st })
	lab.dropLock(ll)
}

// join returns what a contender says of a lock, made if needed.
func (lab *Reports) join(c *ContenderInfo, lock string) *Competitor {
	if st := c.on(lock); st != nil {
		return st
	}
	if len(c.competitors) >= competitorsMax {
		lab.drop(c.competitors[0])
		c.competitors = slices.Delete(c.competitors, 0, 1)
	}
	st := &Competitor{ContenderInfo: c, place: lab.lock(lock)}
	c.competitors = append(c.competitors, st)
	i, _ := slices.BinarySearchFunc(st.place.Competitors, c.Name, func(o *Competitor, name string) int { return strings.Compare(o.Name, name) })
	st.place.Competitors = slices.Insert(st.place.Competitors, i, st)
	return st
}

// on returns what a contender says of a lock, nil if it does not compete for it.
func (c *ContenderInfo) on(lock string) *Competitor {
	if c == nil {
		return nil
	}
	for _, st := range c.competitors {
		if st.place.name == lock {
			return st
		}
	}
	return nil
}

// Follow notes what the last event changed of the keys in the locks of the lab.
func (lab *Reports) Follow() {
	if len(lab.locks)+len(lab.notes) == 0 {
		return
	}
	change := lab.k.Settled()
	for c, l := range lab.k.Gone {
		lab.keyGone(c, l, change.At, change.Rev)
	}
	for _, c := range change.Came {
		if lab.k.Claim(c.Key) == c {
			lab.keyCame(c)
		}
	}
}

func (ll *Lock) gone(g RemovedClaim) {
	if len(ll.removed) >= removedMax {
		ll.removed = slices.Delete(ll.removed, 0, 1)
	}
	ll.removed = append(ll.removed, g)
}

// Removed returns the last claim of that key, nil if it is not remembered.
func (ll *Lock) Removed(key string) *RemovedClaim {
	for i := len(ll.removed) - 1; i >= 0; i-- {
		if ll.removed[i].Ref.Key == key {
			return &ll.removed[i]
		}
	}
	return nil
}

// Of returns what was reported of a lock, nil for nothing.
func (lab *Reports) Of(lock string) *Lock { return lab.locks[lock] }

// CompetesFor says whether it is that lock of which the contender speaks.
func (c *Competitor) CompetesFor(ll *Lock) bool { return c.place == ll }
