package findings

import (
	"slices"

	"locktop/model/copies"
	"locktop/model/locks"
	"locktop/model/reports"
)

// Clone returns what the rules found of another state, of which c has the records, that goes its
// own way.
func (set *Set) Clone(k *locks.State, said *reports.Reports, c *locks.Copies) *Set {
	own := New(k, said)
	own.cluster = slices.Clone(set.cluster)
	own.few = copies.Keys(set.few, c.Lock)
	for l, found := range set.byLock {
		own.byLock[c.Lock(l)] = slices.Clone(found)
	}
	set.cycles.cloneInto(own.cycles, c)
	own.names.byName = copies.Values(set.names.byName, func(all []*locks.Lease) []*locks.Lease { return copies.List(all, c.Lease) })
	own.names.gathered = set.names.gathered
	set.leaks.cloneInto(own.leaks)
	set.queues.cloneInto(own.queues, c)
	set.work.cloneInto(own.work, c)
	return own
}

func (cs *Cycles) cloneInto(own *Cycles, c *locks.Copies) {
	var all copies.Set[Cycle]
	work := own.work
	*own = *cs
	own.work, own.locks, own.changed = work, copies.List(cs.locks, c.Lock), copies.Keys(cs.changed, c.Lease)
	own.ByLock = make(map[*locks.Lock]*Cycle, len(cs.ByLock))
	for l, cycle := range cs.ByLock {
		own.ByLock[c.Lock(l)] = all.Get(cycle)
	}
	all.Complete(func(cycle *Cycle) {
		cycle.Steps = copies.List(cycle.Steps, func(st Link) Link { return Link{c.Lease(st.Lease), c.Claim(st.Holds), c.Claim(st.Waits)} })
		cycle.held = copies.Values(copies.Keys(cycle.held, c.Lock), c.Claim)
		if cycle.report != nil {
			report := *cycle.report
			report.Cycle = all.Get(report.Cycle)
			cycle.report = &report
		}
	})
}

func (ol *OrphanLeases) cloneInto(own *OrphanLeases) {
	var names copies.Set[OrphanName]
	var leases copies.Set[OrphanLease]
	own.unread = slices.Clone(ol.unread) // no name has one of them yet
	own.names, own.order, own.found = copies.Values(ol.names, names.Get), names.List(ol.order), names.List(ol.found)
	own.leases = copies.Values(ol.leases, leases.Get)
	ol.outliving.cloneInto(&own.outliving)
	for more := true; more; {
		more = names.Complete(func(n *OrphanName) { n.leases, n.leftLeases = leases.List(n.leases), slices.Clone(n.leftLeases) })
		more = leases.Complete(func(l *OrphanLease) { l.name = names.Get(l.name) }) || more
	}
}

func (o *outlivingLeases) cloneInto(own *outlivingLeases) {
	own.list = copies.List(o.list, func(x *OutlivingLease) *OutlivingLease {
		one := *x
		return &one
	})
	own.byLease, own.byLock = copies.Values(o.byLease, slices.Clone[gaps]), copies.Values(o.byLock, slices.Clone[gaps])
	own.order, own.locks = slices.Clone(o.order), slices.Clone(o.locks)
}

func (w *worklist) cloneInto(own *worklist, c *locks.Copies) {
	own.all, own.queued, own.at, own.seq = copies.List(w.all, c.Lock), copies.Keys(w.queued, c.Lock), copies.Keys(w.at, c.Lock), w.seq
	own.times = copies.List(w.times, func(x alarm) alarm {
		x.lock = c.Lock(x.lock)
		return x
	})
}
