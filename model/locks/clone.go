package locks

import (
	"maps"
	"slices"

	"locktop/model/copies"
	"locktop/model/journal"
)

// Copies has the copies of the records of a state. The parts that point to such records take theirs
// from here, too.
type Copies struct {
	journal *journal.Copies
	claims  copies.Set[Claim]
	leases  copies.Set[Lease]
	locks   copies.Set[Lock]
	dirs    copies.Set[dir]
}

// Claim returns the copy of a claim, nil for nil.
func (c *Copies) Claim(x *Claim) *Claim { return c.claims.Get(x) }

// Lease returns the copy of a lease, nil for nil.
func (c *Copies) Lease(x *Lease) *Lease { return c.leases.Get(x) }

// Lock returns the copy of a lock, nil for nil.
func (c *Copies) Lock(x *Lock) *Lock { return c.locks.Get(x) }

// Entry returns the copy of an entry of the journal, nil for nil. One that stays as it is, is its
// own.
func (c *Copies) Entry(f *journal.Entry) *journal.Entry { return c.journal.Entry(f) }

// Complete puts copies in the place of all that the copies point to. It comes last: each record that
// a part asked for before is a copy then, and so is all that belongs to it.
func (c *Copies) Complete() {
	for more := true; more; {
		claims := c.claims.Complete(c.completeClaim)
		leases := c.leases.Complete(c.completeLease)
		locks := c.locks.Complete(c.completeLock)
		dirs := c.dirs.Complete(c.completeDir)
		entries := c.journal.Complete()
		more = claims || leases || locks || dirs || entries
	}
}

func (c *Copies) completeClaim(x *Claim) {
	x.dir, x.home, x.lease = c.dirs.Get(x.dir), c.dirs.Get(x.home), c.leases.Get(x.lease)
}

func (c *Copies) completeLease(l *Lease) {
	if l.Readings != neverRead {
		read := *l.Readings
		l.Readings = &read
	}
	switch all := l.claims; {
	case len(all) == 1 && l.inline[0] != nil, len(all) == 0:
		l.inline[0] = c.claims.Get(l.inline[0])
		l.claims = l.inline[:len(all)]
	default:
		l.claims = c.claims.List(all)
	}
	l.pending = copies.List(l.pending, c.Entry)
}

func (c *Copies) completeLock(l *Lock) {
	l.queue, l.others = l.queue.clone(c.Claim), l.others.clone(c.Claim)
	l.sharing = copies.Keys(l.sharing, c.Claim)
	l.lastLoss, l.journal = c.Entry(l.lastLoss), copies.List(l.journal, c.Entry)
	l.holdTimes, l.waitTimes, l.stops = slices.Clone(l.holdTimes), slices.Clone(l.waitTimes), slices.Clone(l.stops)
	l.evidence.turns = slices.Clone(l.evidence.turns)
	l.headAtMark = c.claims.Get(l.headAtMark)
	l.dir = c.dirs.Get(l.dir)
}

func (c *Copies) completeDir(d *dir) {
	d.parent, d.self, d.lock = c.dirs.Get(d.parent), c.claims.Get(d.self), c.locks.Get(d.lock)
	d.children, d.others = copies.Keys(d.children, c.dirs.Get), copies.Keys(d.others, c.Claim)
}

// clone returns a queue of the copies.
func (q *Queue[E]) clone(get func(E) E) Queue[E] {
	own := *q
	own.chunks = copies.List(q.chunks, func(chunk []E) []E { return copies.List(chunk, get) })
	return own
}

// Clone returns a state that goes its own way, and the copies of its records, which are complete only
// once the parts that point to them were copied, too. What is asked meanwhile has to wait for that.
func (s *State) Clone() (*State, *Copies) {
	c := &Copies{journal: journal.NewCopies(s.scheduler.now)}
	c.claims.Expect(len(s.Keys.claims))
	c.leases.Expect(len(s.Leases.leaseList))
	c.dirs.Expect(len(s.Keys.dirs))
	c.locks.Expect(len(s.Keys.order))
	own := newState(s.Pins, s.Prefixes.clone())
	own.rev, own.keysRev, *own.Members = s.rev, s.keysRev, *s.Members
	own.Members.changes, own.Members.leads = slices.Clone(s.Members.changes), slices.Clone(s.Members.leads)
	own.Members.rounds = slices.Clone(s.Members.rounds)
	s.scheduler.cloneInto(own.scheduler, c)
	s.change.cloneInto(own.change)
	s.Leases.cloneInto(own.Leases, c)
	s.Keys.cloneInto(own.Keys, c)
	own.Owners.byLease, own.Owners.order = maps.Clone(s.Owners.byLease), slices.Clone(s.Owners.order)
	own.Journals.log, own.Journals.lines = s.Journals.log.Clone(c.journal), s.Journals.lines
	own.transitions.free, own.transitions.believed = s.transitions.free, maps.Clone(s.transitions.believed)
	own.lists.listings = copies.Values(s.lists.listings, func(l *listing) *listing {
		return &listing{number: l.number, touched: c.locks.List(l.touched), room: l.room}
	})
	return own, c
}

func (ps *Prefixes) clone() *Prefixes {
	own := *ps
	own.watches = copies.Values(ps.watches, func(w *Watch) *Watch {
		one := *w
		return &one
	})
	return &own
}

func (s *scheduler) cloneInto(own *scheduler, c *Copies) {
	*own = *s
	for class, h := range s.due {
		own.due[class] = c.leases.List(h)
	}
	own.deadlines = copies.List(s.deadlines, func(d deadline) deadline {
		d.lock, d.check = c.Lock(d.lock), c.Lock(d.check)
		return d
	})
}

// cloneInto leaves out what the last event changed.
func (ch *currentChange) cloneInto(own *currentChange) {
	*own = *ch
	own.all, own.touched, own.newClaims, own.removed, own.stayed, own.told = nil, nil, nil, nil, stayed{}, nil
}

func (t *LeaseTable) cloneInto(own *LeaseTable, c *Copies) {
	scheduler, change := own.scheduler, own.change
	*own = *t
	own.scheduler, own.change = scheduler, change
	own.byID, own.leaseList = copies.Values(t.byID, c.Lease), c.leases.List(t.leaseList)
	own.late, own.overdue = copies.Keys(t.late, c.Lease), copies.Keys(t.overdue, c.Lease)
	own.early, own.focused, own.keysNeeded = slices.Clone(t.early), c.leases.List(t.focused), slices.Clone(t.keysNeeded)
}

func (ks *Keys) cloneInto(own *Keys, c *Copies) {
	pins, change := own.pins, own.change
	*own = *ks
	own.pins, own.change = pins, change
	own.inferences, own.played = ks.inferences.clone(), maps.Clone(ks.played)
	own.claims, own.dirs = copies.Values(ks.claims, c.Claim), copies.Values(ks.dirs, c.dirs.Get)
	own.lastDir, own.order = c.dirs.Get(ks.lastDir), c.locks.List(ks.order)
}

func (is *Inferences) clone() Inferences {
	return Inferences{names: slices.Clone(is.names), byName: copies.Values(is.byName, func(h *Inference) *Inference {
		one := *h
		one.owners = slices.Clone(h.owners)
		return &one
	})}
}
