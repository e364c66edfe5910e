package model

import (
	"time"

	"locktop/model/recipe"
)

func (k *Keyspace) seen(rev int64) { k.rev = max(k.rev, rev) }

// commit applies one revision as a whole.
func (k *Keyspace) commit(e Committed) {
	k.seen(e.Rev)
	k.past = e.Past || k.CatchingUp()
	k.timed = !k.past
	defer func() { k.past, k.timed = false, false }()
	k.begin()
	for _, ch := range e.Changes { // places are those before the revision, and not between its parts
		if c := k.claims[ch.KV.Key]; ch.Deleted && c != nil && c.ModRev <= ch.KV.ModRev && !c.leaving {
			k.going(c)
		}
	}
	for i := range k.gone {
		k.drop(k.gone[i].claim)
	}
	for _, ch := range e.Changes {
		if !ch.Deleted {
			k.put(ch.KV, e.At, k.past)
		}
	}
	k.compareWithBefore(e.At, e.Rev, false)
}

// begin starts a settling: what is touched from here on is compared with now. There is one
// in an event at most.
func (k *Keyspace) begin() {
	k.round++
}

// remember notes the head of a lock before the settling changes it.
func (k *Keyspace) remember(l *Lock) {
	if l.mark != k.round {
		l.mark = k.round
		l.headAtMark = l.queue.first()
		l.headRef = refOf(l.headAtMark)
		l.heldAtMark = l.Holder() != nil
		l.headWrote = l.headRef.Value
		if l.heldAtMark && l.heldAs != "" {
			l.headRef.Value = l.heldAs
		}
		l.holdsAtMark = l.holds
		l.headGone = 0
		k.touched = append(k.touched, l)
	}
}

func (k *Keyspace) changed(l *Lock) {
	k.version++
	l.version = k.version
	k.Mark(l)
}

// put takes a key in as it is now; listed if it comes from a list or from history, and
// not from a revision that was seen as it happened.
func (k *Keyspace) put(kv KV, at time.Time, listed bool) *Claim {
	var c *Claim
	if kv.Key <= k.maxKey { // a list comes in key order: most of it needs no search
		c = k.claims[kv.Key]
	}
	if c != nil && c.CreateRev != kv.CreateRev && c.ModRev < kv.ModRev {
		k.take(c) // deleted and created again, unseen or in one transaction
		c = nil
	}
	switch {
	case c == nil:
		return k.create(kv, at, listed)
	case c.ModRev < kv.ModRev:
		k.rewrite(c, kv)
	}
	return c
}

func (k *Keyspace) create(kv KV, at time.Time, listed bool) *Claim {
	c := &Claim{KV: kv, Since: at, SinceAtLeast: listed}
	k.claims[kv.Key] = c
	k.maxKey = max(k.maxKey, kv.Key)
	k.countInfo(c, 1)
	k.attach(c)
	k.livedOn(c)
	if path, _, ok := Split(kv.Key); ok {
		c.dir = k.dirAt(path)
		for d := c.dir; d != nil; d = d.parent {
			d.keys++
		}
	}
	h := k.came(c)
	k.enter(c)
	if h != nil {
		k.continues(c, h)
	}
	k.hangs(c.lease)
	k.noteMulti(c.lease) // scheduled by settle, when it is known whether c is a head
	k.Came = append(k.Came, c)
	return c
}

// take removes a key.
func (k *Keyspace) take(c *Claim) {
	k.going(c)
	k.drop(c)
}

// going notes what a key that is to be removed was. Its lease stays until the settling has
// asked why it went.
func (k *Keyspace) going(c *Claim) {
	c.leaving = true
	k.ended(c, k.timed)
	g := gone{claim: c, lease: c.lease, lock: c.Lock()}
	if g.lock != nil {
		k.remember(g.lock)
		g.place = g.lock.queue.rank(c)
		g.head = g.lock.headAtMark == c
		g.judged = g.lock.recipe.HasHolder
	}
	if g.lease != nil {
		g.lease.going++
		k.hangs(g.lease)
	}
	k.gone = append(k.gone, g)
	if g.head {
		g.lock.headGone = len(k.gone)
	}
}

// drop removes a key of which it is noted what it was.
func (k *Keyspace) drop(c *Claim) {
	k.leave(c)
	k.setHead(c, false)
	k.detach(c)
	delete(k.claims, c.Key)
	k.countInfo(c, -1)
	for d := c.dir; d != nil; d = d.parent {
		d.keys--
	}
}

// setHead notes whether c is the head of its own lock, for its lease.
func (k *Keyspace) setHead(c *Claim, head bool) {
	if c.head == head {
		return
	}
	c.head = head
	if c.lease == nil {
		return
	}
	if head {
		c.lease.heads++
	} else {
		c.lease.heads--
	}
}

// rewrite takes a later put of the same key in.
func (k *Keyspace) rewrite(c *Claim, kv KV) {
	k.leave(c)
	k.setHead(c, false) // settled again at the end of the revision
	old := c.lease
	moved := c.KV.Lease != kv.Lease
	if moved {
		k.detach(c)
	}
	c.detached = kv.Lease == 0 && c.form.Shape() == recipe.Single && (c.KV.Lease != 0 || c.detached)
	c.KV = kv
	if moved {
		k.attach(c)
		k.livedOn(c)
		k.hangs(c.lease)
		if old != nil {
			k.hangs(old)
			k.noteMulti(old)
			k.releaseLease(old)
		}
	}
	k.enter(c)
	k.leaseChanged(c.lease)
}

// leaseChanged follows up on a change of the claims that hang on a lease.
func (k *Keyspace) leaseChanged(l *Lease) {
	if l != nil {
		k.schedule(l)
		k.noteMulti(l)
	}
}
