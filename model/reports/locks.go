package reports

import (
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/locks"
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

// lock returns what the lab says of a lock, made if needed.
func (p *places) lock(name string) *Lock {
	ll := p.locks[name]
	if ll == nil {
		if len(p.locks) >= labLocksMax {
			p.dropIdleLocks()
		}
		ll = &Lock{name: name, since: p.k.Now()}
		p.locks[name] = ll
	}
	return ll
}

// dropIdleLocks forgets the locks without contenders.
func (p *places) dropIdleLocks() {
	for name, ll := range p.locks {
		if len(ll.Competitors) == 0 {
			for _, n := range ll.Open {
				n.Ghost, n.Undone, n.Watchers = nil, nil, nil
			}
			delete(p.locks, name)
		}
	}
}

// dropLock forgets a lock about which nothing is said any more.
func (p *places) dropLock(ll *Lock) {
	if len(ll.Competitors)+len(ll.Open)+len(ll.Stale) == 0 {
		delete(p.locks, ll.name)
	}
}

// lockName is the lock for which a key competes, as far as its name tells.
func (p *places) lockName(key string) string {
	if p.locks[key] != nil {
		return key // a lock of one key
	}
	dir, _, ok := model.Split(key)
	if !ok {
		return key
	}
	if up, last, ok := model.Split(dir); ok && p.locks[dir] == nil && p.locks[up] != nil && recipe.IsUnder(last) {
		return up
	}
	return dir
}

// placeOf returns what the lab says of the lock of a key, nil for nothing.
func (p *places) placeOf(key string) *Lock { return p.locks[p.lockName(key)] }

// move puts a contender to another lock than those that it competed for; "" is none.
func (p *places) move(c *ContenderInfo, lock string) {
	p.leave(c)
	if c.Lock = lock; lock != "" {
		p.join(c, lock)
	}
}

// leave ends what a contender says of any lock.
func (p *places) leave(c *ContenderInfo) {
	for _, st := range c.competitors {
		p.drop(st)
	}
	c.competitors = nil
}

func (p *places) drop(st *Competitor) {
	ll := st.place
	ll.Competitors = slices.DeleteFunc(ll.Competitors, func(o *Competitor) bool { return o == st })
	p.dropLock(ll)
}

// join returns what a contender says of a lock, made if needed.
func (p *places) join(c *ContenderInfo, lock string) *Competitor {
	if st := c.competitorOn(lock); st != nil {
		return st
	}
	if len(c.competitors) >= competitorsMax {
		p.drop(c.competitors[0])
		c.competitors = slices.Delete(c.competitors, 0, 1)
	}
	st := &Competitor{ContenderInfo: c, place: p.lock(lock)}
	c.competitors = append(c.competitors, st)
	i, _ := slices.BinarySearchFunc(st.place.Competitors, c.Name, func(o *Competitor, name string) int { return strings.Compare(o.Name, name) })
	st.place.Competitors = slices.Insert(st.place.Competitors, i, st)
	return st
}

// competitorOn returns what a contender says of a lock, nil if it does not compete for it.
func (c *ContenderInfo) competitorOn(lock string) *Competitor {
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

// keysChanged takes in which keys came and went, those that went first.
func (rs *Reports) keysChanged(changes []locks.Change) {
	if len(rs.places.locks)+len(rs.notebook.notes) == 0 {
		return
	}
	for i := range changes {
		switch c := &changes[i]; {
		case c.Kind == locks.Gone:
			rs.keyGone(c.Claim, c.Lock, c.At, c.Rev)
		case c.Kind == locks.Came && rs.k.Keys.Claim(c.Claim.Key) == c.Claim:
			rs.keyCame(c.Claim)
		}
	}
}

func (l *Lock) remember(g RemovedClaim) {
	if len(l.removed) >= removedMax {
		l.removed = slices.Delete(l.removed, 0, 1)
	}
	l.removed = append(l.removed, g)
}

// Removed returns the last claim of that key, nil if it is not remembered.
func (l *Lock) Removed(key string) *RemovedClaim {
	return l.lastRemoved(func(c model.ClaimRef) bool { return c.Key == key })
}

// RemovedOf returns the last claim that a belief may be about, nil if it is not remembered.
func (l *Lock) RemovedOf(b model.Belief) *RemovedClaim { return l.lastRemoved(b.SpeaksOf) }

// Unfenced returns the claim of a belief that had gone when the resource accepted the access that was made
// with it, nil if it was not accepted so: the resource is not fenced.
func (l *Lock) Unfenced(a model.Access, b model.Belief) *RemovedClaim {
	g := l.RemovedOf(b)
	if g == nil || !a.Accepted || a.Lock != l.name || !a.At.After(g.At) || a.Token > g.Ref.CreateRev {
		return nil
	}
	return g
}

func (l *Lock) lastRemoved(is func(model.ClaimRef) bool) *RemovedClaim {
	for i := range slices.Backward(l.removed) {
		if is(l.removed[i].Ref) {
			return &l.removed[i]
		}
	}
	return nil
}

// CompetesFor says whether it is that lock of which the contender speaks.
func (c *Competitor) CompetesFor(ll *Lock) bool { return c.place == ll }
