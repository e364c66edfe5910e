package locks

import (
	"time"

	"locktop/model"
	"locktop/model/recipe"
)

// commit takes keys in and out, as revisions and lists tell them.
type commit struct {
	scheduler   *scheduler
	keys        *Keys
	leases      *LeaseTable
	change      *currentChange
	causes      *attribution
	transitions *transitions
}

// apply takes in one revision as a whole. It happened after unseen if that is not zero, when is not
// known.
func (cm *commit) apply(e model.Committed, unseen time.Time) {
	past := e.Past || !unseen.IsZero()
	if e.Past {
		unseen = time.Time{} // it was before we looked
	}
	cm.change.unobserved, cm.change.timed, cm.change.unseen = past, !past, unseen
	defer func() { cm.change.unobserved, cm.change.timed, cm.change.unseen = false, false, time.Time{} }()
	cm.change.begin()
	for _, ch := range e.Changes { // places are those before the revision, and not between its parts
		if c := cm.keys.claims[ch.KV.Key]; ch.Deleted && c != nil && c.ModRev <= ch.KV.ModRev && !c.leaving {
			cm.going(c)
		}
	}
	for i := range cm.change.removed {
		cm.drop(cm.change.removed[i].claim)
	}
	for _, ch := range e.Changes {
		if !ch.Deleted {
			cm.put(ch.KV, e.At, past)
		}
	}
	cm.transitions.compareWithBefore(e.At, e.Rev, false)
}

// put takes a key in as it is now; listed if it comes from a list or from history, and
// not from a revision that was seen as it happened.
func (cm *commit) put(kv model.KV, at time.Time, listed bool) *Claim {
	var c *Claim
	if kv.Key <= cm.keys.maxKey { // a list comes in key order: most of it needs no search
		c = cm.keys.claims[kv.Key]
	}
	if c != nil && c.CreateRev != kv.CreateRev && c.ModRev < kv.ModRev {
		cm.take(c) // deleted and created again, unseen or in one transaction
		c = nil
	}
	switch {
	case c == nil:
		return cm.create(kv, at, listed)
	case c.ModRev < kv.ModRev:
		cm.rewrite(c, kv)
		c.put, c.putLate = at.UnixMicro(), listed
	}
	return c
}

func (cm *commit) create(kv model.KV, at time.Time, listed bool) *Claim {
	c := &Claim{KV: kv, Since: at, SinceAtLeast: listed}
	cm.keys.claims[kv.Key] = c
	cm.keys.maxKey = max(cm.keys.maxKey, kv.Key)
	cm.keys.noValues = cm.keys.noValues || kv.Unread
	cm.keys.countInfo(c, 1)
	cm.hang(c)
	cm.causes.livedOn(c)
	if path, _, ok := model.Split(kv.Key); ok {
		c.dir = cm.keys.dirAt(path)
		for d := c.dir; d != nil; d = d.parent {
			d.keys++
		}
	}
	h := cm.keys.inferences.Returned(&c.KV, kv.Unread)
	cm.keys.enter(c)
	if h != nil {
		cm.keys.continues(c, h)
	}
	cm.leases.hangs(c.lease)
	cm.change.session(c.lease) // scheduled by settle, when it is known whether c is a head
	cm.change.newClaims = append(cm.change.newClaims, c)
	return c
}

// take removes a key.
func (cm *commit) take(c *Claim) {
	cm.going(c)
	cm.drop(c)
}

// going notes what a key that is to be removed was. Its lease stays until the transition has
// asked why it went.
func (cm *commit) going(c *Claim) {
	c.leaving = true
	cm.keys.ended(c, cm.scheduler.now)
	g := removedKey{claim: c, lease: c.lease, lock: c.Lock()}
	if g.lock != nil {
		cm.change.remember(g.lock)
		g.place = g.lock.queue.Rank(c)
		g.head = g.lock.headAtMark == c
		g.judged = g.lock.recipe.HasHolder
	}
	if g.lease != nil {
		g.lease.going++
		cm.leases.hangs(g.lease)
	}
	cm.change.removed = append(cm.change.removed, g)
	if g.head {
		g.lock.headGone = len(cm.change.removed)
	}
}

// drop removes a key of which it is noted what it was.
func (cm *commit) drop(c *Claim) {
	cm.keys.leave(c)
	c.setHead(false)
	cm.unhang(c)
	delete(cm.keys.claims, c.Key)
	cm.keys.countInfo(c, -1)
	for d := c.dir; d != nil; d = d.parent {
		d.keys--
	}
}

// hang puts a key on its lease, and notes when that got its first one.
func (cm *commit) hang(c *Claim) {
	cm.leases.attach(c)
	if l := c.lease; l != nil && cm.change.timed && l.born == 0 && len(l.claims) == 1 && len(l.pending) == 0 {
		l.born = cm.scheduler.now.UnixMicro()
	}
	cm.shared(c.lease)
}

// unhang takes a key off its lease.
func (cm *commit) unhang(c *Claim) {
	l := c.lease
	c.detach()
	cm.shared(l)
}

// sharedAfter is how long what the locks of one lease say of each other may be late: a program
// that takes and releases a hundred of them has each of them looked at once in that time.
const sharedAfter = time.Second

// shared has the locks of a lease looked at again after a key came to it or went: each of them
// tells that it shares its lease, and with how many. That there is another at all is told at
// once. After a list every lock is looked at anyway.
func (cm *commit) shared(l *Lease) {
	if l == nil || len(l.claims) > MaxScan {
		return
	}
	for _, c := range l.claims {
		lock := c.Lock()
		switch {
		case lock == nil:
		case len(l.claims) <= 2:
			cm.change.due(lock)
		case cm.change.timed || cm.change.unobserved:
			cm.scheduler.recheck(lock, cm.scheduler.now.Add(sharedAfter))
		}
	}
}

// rewrite takes a later put of the same key in.
func (cm *commit) rewrite(c *Claim, kv model.KV) {
	cm.keys.leave(c)
	c.setHead(false) // settled again at the end of the revision
	old := c.lease
	moved := c.KV.Lease != kv.Lease
	if moved {
		cm.unhang(c)
	}
	c.moved = kv.Lease != 0 && (c.moved || moved && c.KV.Lease != 0 && c.form.Form().ByLease)
	c.detached = kv.Lease == 0 && c.form.Shape() == recipe.Single && (c.KV.Lease != 0 || c.detached)
	c.KV = kv
	cm.keys.noValues = cm.keys.noValues || kv.Unread
	if moved {
		cm.hang(c)
		cm.causes.livedOn(c)
		cm.leases.hangs(c.lease)
		if old != nil {
			cm.leases.hangs(old)
			cm.change.session(old)
			cm.leases.releaseLease(old)
		}
	}
	cm.keys.enter(c)
	cm.leaseChanged(c.lease)
}

// leaseChanged follows up on a change of the claims that hang on a lease.
func (cm *commit) leaseChanged(l *Lease) {
	if l != nil {
		cm.scheduler.schedule(l)
		cm.change.session(l)
	}
}
