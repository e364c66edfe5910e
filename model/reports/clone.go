package reports

import (
	"maps"
	"slices"

	"locktop/model"
	"locktop/model/copies"
	"locktop/model/locks"
	"locktop/model/timeline"
)

// Clone returns the reports about another state, of which c has the records, that go their own way.
func (rs *Reports) Clone(k *locks.State, spans *timeline.Timeline, c *locks.Copies) *Reports {
	r := records{}
	own := NewReports(k, spans)
	own.faults, own.revokes, own.lagging = slices.Clone(rs.faults), slices.Clone(rs.revokes), rs.lagging
	own.believed = maps.Clone(rs.believed)
	own.unlocks = copies.Keys(rs.unlocks, r.locks.Get)
	own.Programs.contenders = copies.Values(rs.Programs.contenders, r.contenders.Get)
	own.Programs.clients = copies.Values(rs.Programs.clients, (*client).clone)
	rs.Keepers.cloneInto(own.Keepers)
	own.notebook.notes, own.notebook.order = copies.Values(rs.notebook.notes, r.notes.Get), slices.Clone(rs.notebook.order)
	own.places.locks = copies.Values(rs.places.locks, r.locks.Get)
	own.accesses = slices.Clone(rs.accesses)
	own.outputs = copies.List(rs.outputs, func(o *Output) *Output {
		return &Output{o.Contender, slices.Clone(o.Lines), o.Left}
	})
	r.complete(c)
	return own
}

// records has the copies of what the reports point to.
type records struct {
	contenders  copies.Set[ContenderInfo]
	competitors copies.Set[Competitor]
	locks       copies.Set[Lock]
	spans       copies.Set[span]
	notes       copies.Set[Notes]
	stale       copies.Set[StaleUnlock]
}

// complete puts copies in the place of all that the copies point to.
func (r *records) complete(c *locks.Copies) {
	for more := true; more; {
		contenders := r.contenders.Complete(func(x *ContenderInfo) { x.competitors = r.competitors.List(x.competitors) })
		competitors := r.competitors.Complete(func(x *Competitor) {
			x.ContenderInfo, x.place, x.interval = r.contenders.Get(x.ContenderInfo), r.locks.Get(x.place), r.spans.Get(x.interval)
		})
		places := r.locks.Complete(func(ll *Lock) {
			ll.Competitors, ll.Open = r.competitors.List(ll.Competitors), r.notes.List(ll.Open)
			ll.beliefs, ll.Stale = r.spans.List(ll.beliefs), r.stale.List(ll.Stale)
			ll.removed = copies.List(ll.removed, func(g RemovedClaim) RemovedClaim {
				g.loss = c.Entry(g.loss)
				return g
			})
		})
		notes := r.notes.Complete(func(n *Notes) { n.writes, n.Watchers = slices.Clone(n.writes), slices.Clone(n.Watchers) })
		more = contenders || competitors || places || notes
	}
}

func (cl *client) clone() *client {
	own := *cl
	own.conns, own.watching = slices.Clone(cl.conns), maps.Clone(cl.watching)
	return &own
}

func (ks *Keepers) cloneInto(own *Keepers) {
	own.order = slices.Clone(ks.order)
	own.keepers = copies.Values(ks.keepers, slices.Clone[[]model.LeaseOwner])
	own.refused, own.shared = maps.Clone(ks.refused), maps.Clone(ks.shared)
}

// Clone returns the drill as it is now.
func (r *DrillRun) Clone() *DrillRun {
	own := *r
	own.Steps, own.Judged = slices.Clone(r.Steps), slices.Clone(r.Judged)
	return &own
}
