package reports

import (
	"cmp"
	"slices"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
)

// believes notes what a word on a lock begins and ends.
func (c *Competitor) believes(e model.Belief) {
	holds := e.State == model.BeliefHolding
	if c.interval != nil && (!holds || c.Belief.SpeaksOfOther(e)) {
		c.endInterval(e.At, e.State)
	}
	if holds && c.interval == nil {
		lease := e.Lease
		if e.Key == "" {
			lease = cmp.Or(lease, c.Lease) // by which its claim is known
		}
		c.interval = &span{Believed: Believed{Contender: c.Name, Lock: c.place.name, Key: e.Key, Lease: lease, From: e.At},
			silent: e.Key == "" && lease == 0}
		c.place.keep(c.interval)
	}
	if holds {
		c.interval.token = cmp.Or(c.interval.token, e.Token)
	}
}

func (c *Competitor) endInterval(at time.Time, after model.BeliefState) {
	if c.interval != nil {
		c.interval.To, c.interval.end = at, after
		c.interval = nil
	}
}

func (rs *Reports) noteBelief(e model.Belief) {
	c := rs.info(e.Contender)
	if e.State == model.BeliefLost && c.Belief.State != model.BeliefLost {
		rs.news.write(&journal.Entry{At: e.At, Kind: journal.Lab, Lock: e.Lock, Text: model.Say("noticed-lease-gone", e.Contender)})
	}
	if c.Lock == "" {
		rs.places.move(c, e.Lock) // of a worker nothing but its words is reported
	}
	if lock := cmp.Or(e.Lock, c.Lock); lock != "" {
		st := rs.places.join(c, lock)
		if p := rs.Programs.contenders[rs.Programs.program(c.Name)]; p != nil && p != c {
			rs.places.join(p, lock) // by which its workers are found
		}
		st.believes(e)
		st.Belief = e
		if l := rs.k.Keys.Lock(lock); l != nil {
			rs.adopt(st, l)
		}
	}
	rs.knows(e)
	c.Belief = e
	rs.news.due(e.Lock)
	if e.Lease != 0 {
		c.Lease = e.Lease
	}
}

// access counts what a contender did to the guarded resource.
func (rs *Reports) access(e model.Access) {
	c := rs.info(e.Contender)
	c.LastAccess = e
	if line := rs.remember(e); line != nil {
		rs.news.write(line)
	}
	if e.Accepted {
		c.Accepted++
	} else {
		c.Refused++
	}
	if st, l := c.competitorOn(e.Lock), rs.k.Keys.Lock(e.Lock); st != nil && l != nil && rs.isFalse(st, l) {
		rs.news.due(l.Name) // it may prove that the contender acts on what is not true
	}
}

// adopt finds the claim of a program that says that it holds and names no claim, as a line of
// its output does: one of a lease that is certainly its own, if there is one.
func (rs *Reports) adopt(c *Competitor, l *locks.Lock) {
	if c.interval == nil || !c.interval.silent {
		return
	}
	for i := range min(l.Len(), locks.MaxScan) {
		if claim := l.At(i); owns(rs, c.Name, claim.Ref().Lease) && (l.Holds(i) || c.interval.Lease == 0) {
			c.interval.Lease = claim.Ref().Lease
			return
		}
	}
}

// owns says whether a lease is certainly one of the program behind a name.
func owns(lab *Reports, name string, id model.LeaseID) bool {
	owner, known := lab.k.Owners.LeaseOwner(id)
	return known && owner.Certain && lab.Programs.SameProgram(owner.Name, name)
}

// Truth says what etcd says of a contender's claim on its lock: its place in the
// queue from 1, 0 if it has none. Place 1 holds.
func (rs *Reports) Truth(c ContenderInfo) (claim *locks.Claim, place int) {
	lease := c.Lease
	if st := c.competitorOn(c.Lock); lease == 0 && st != nil && st.interval != nil {
		lease = st.interval.Lease
	}
	return rs.truth(rs.k.Keys.Lock(c.Lock), lease)
}

func (rs *Reports) truth(l *locks.Lock, id model.LeaseID) (claim *locks.Claim, place int) {
	lease := rs.k.Leases.Lease(id)
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
func (rs *Reports) Believed(lock string) bool {
	ll := rs.places.locks[lock]
	if ll == nil {
		return false
	}
	for _, c := range ll.Competitors {
		if c.Belief.State == model.BeliefHolding && rs.Programs.ProcOf(c.ContenderInfo) != model.ProcEnded {
			return true
		}
	}
	return false
}

// tellBelieved notes the locks that contenders began or ceased to believe they hold, after a word of
// the contender of that name, or a change of its process. A process that ends can end the belief of
// its workers on any lock, so all locks that are believed to be held are looked at: those of a lab are few.
func (rs *Reports) tellBelieved(name string) {
	for lock := range rs.believed {
		if !rs.Believed(lock) {
			delete(rs.believed, lock)
			rs.news.believed(lock, false)
		}
	}
	for _, c := range rs.Programs.Workers(name) {
		if lock := c.place.name; !rs.believed[lock] && rs.Believed(lock) {
			rs.believed[lock] = true
			rs.news.believed(lock, true)
		}
	}
}

// HoldsBy says whether a worker of that process believes that it holds by a key.
func (rs *Reports) HoldsBy(name, key string) bool {
	return slices.ContainsFunc(rs.Programs.Workers(name), func(c *Competitor) bool {
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
func (rs *Reports) ClaimOf(c *Competitor, l *locks.Lock) (*locks.Claim, int) {
	if c.Belief.Key == "" {
		lease := c.Lease
		if c.interval != nil && c.interval.silent {
			lease = c.interval.Lease
		}
		claim, place := rs.truth(l, lease)
		return claim, place - 1
	}
	if claim := rs.k.Keys.Claim(c.Belief.Key); claim != nil && claim.Lock() == l && c.Belief.SpeaksOf(claim.Ref()) {
		return claim, l.Place(claim)
	}
	return nil, -1
}

// believes says whether a contender that runs says that it holds, and the keys are watched:
// else nobody's word can be held against it.
func (rs *Reports) believes(c *Competitor) bool {
	return c.interval != nil && rs.Programs.ProcOf(c.ContenderInfo) != model.ProcEnded && !rs.k.Prefixes.LiveSince(c.place.name).IsZero()
}

// isTrue says whether a contender holds as it says.
func (rs *Reports) isTrue(c *Competitor, l *locks.Lock) bool {
	claim, place := rs.ClaimOf(c, l)
	return claim != nil && l.Holds(place)
}

// isFalse says whether a contender does not hold as it says. Of keys whose recipe is not
// known nobody can tell who holds, as long as its key is there; nor of one whose claim nobody
// named or saw.
func (rs *Reports) isFalse(c *Competitor, l *locks.Lock) bool {
	if c.interval != nil && c.interval.silent && c.interval.Lease == 0 {
		return false
	}
	claim, place := rs.ClaimOf(c, l)
	return rs.believes(c) && (claim == nil || l.Recipe().HasHolder && !l.Holds(place))
}

// FalseSince says whether a contender believes what is not so, and since when, as far as
// the keys were watched: since its claim stopped holding, or else since it said so.
func (rs *Reports) FalseSince(c *Competitor, l *locks.Lock) (since time.Time, is bool) {
	if !rs.isFalse(c, l) {
		return since, false
	}
	since = c.interval.From
	later := func(t time.Time) {
		if t.After(since) {
			since = t
		}
	}
	later(rs.k.Prefixes.LiveSince(l.Name))
	if own, _ := rs.heldBy(c.interval); own != nil && !own.Gone.IsZero() {
		later(own.Gone)
	} else if g := c.place.RemovedOf(c.Belief); g != nil {
		later(g.At)
	}
	return since, true
}

// NeverHeld says whether the key of a contender was gone when it began to believe
// that it held. Both times are of the same machine, and the watch sees a key go later
// than it went.
func (rs *Reports) NeverHeld(c *Competitor) bool {
	if c.Belief.Key == "" || c.interval == nil || c.interval.held || rs.k.Keys.Claim(c.Belief.Key) != nil {
		return false // or the key is somebody else's by now
	}
	if slices.ContainsFunc(c.place.beliefs, func(b *span) bool {
		return b.held && b.Contender == c.Name && b.Key == c.interval.Key && b.Lease == c.interval.Lease && b.token == c.interval.token
	}) {
		return false // it held by that claim before, as one who locked twice and let go once
	}
	if g := c.place.RemovedOf(c.Belief); g != nil {
		return g.At.Before(c.interval.From)
	}
	live := rs.k.Prefixes.LiveSince(c.place.name)
	return !live.IsZero() && live.Before(c.interval.From) && c.place.since.Before(c.interval.From)
}

// observe takes stock of the locks that changed, or about which something was said: which beliefs
// are true, and what came of unlocks, which time tells. While keys are not seen whole it waits.
func (rs *Reports) observe(changes []locks.Change) {
	if len(rs.places.locks) == 0 {
		return
	}
	switch partial := rs.k.Prefixes.Partial(); {
	case partial:
		rs.lagging = true
		return
	case rs.lagging:
		rs.lagging = false
		for name := range rs.places.locks {
			rs.observeLock(rs.k.Keys.Lock(name))
		}
	default:
		for _, all := range [2][]locks.Change{changes, rs.news.all} {
			for i := range all {
				rs.observeLock(all[i].Lock)
			}
		}
	}
	for ll := range rs.unlocks {
		if rs.k.Keys.Lock(ll.name) != nil {
			rs.settleUnlocks(ll)
		}
		if len(ll.Stale) == 0 || rs.places.locks[ll.name] != ll {
			delete(rs.unlocks, ll)
		}
	}
}

// observeLock does so of one lock.
func (rs *Reports) observeLock(l *locks.Lock) {
	if l == nil || !l.Listed() || l.Head() != nil && l.Head().LeaseInfo().Stale() {
		return
	}
	ll := rs.places.locks[l.Name]
	if ll == nil {
		return
	}
	for _, c := range ll.Competitors {
		if rs.adopt(c, l); rs.believes(c) && rs.isTrue(c, l) {
			c.interval.held = true
		}
	}
}
