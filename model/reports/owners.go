package reports

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/locks"
)

func newOwners(k *locks.State, n *news) *Owners {
	return &Owners{k: k, news: n, keepers: map[model.LeaseID][]model.LeaseOwner{},
		refused: map[model.LeaseID]model.Refused{}, shared: map[model.LeaseID]bool{}}
}

// Shared returns the leases that several clients renew. It is not a copy: only for reading.
func (o *Owners) Shared() map[model.LeaseID]bool { return o.shared }

// Refusals returns the refused renewals. It is not a copy: only for reading.
func (o *Owners) Refusals() map[model.LeaseID]model.Refused { return o.refused }

// refusal takes a refused renewal in.
func (o *Owners) refusal(e model.Refused) {
	if e.Method != "Lease/LeaseKeepAlive" || e.Lease == 0 {
		return
	}
	if len(o.refused) >= refusedMax {
		for id, r := range o.refused {
			if o.k.Lease(id) == nil || o.k.Now().Sub(r.At) > notesKeep {
				delete(o.refused, id)
			}
		}
	}
	if _, known := o.refused[e.Lease]; !known && len(o.refused) >= refusedMax {
		return
	}
	o.refused[e.Lease] = e
	o.leaseChanged(e.Lease)
}

// keeper takes in who was granted a lease, or renews it, and says whether that is new.
func (o *Owners) keeper(e model.LeaseOwner) bool {
	all := o.keepers[e.Lease]
	at := slices.IndexFunc(all, func(k model.LeaseOwner) bool { return k.Client == e.Client && k.Renews == e.Renews })
	switch {
	case at >= 0:
		all[at] = e
		return false
	case len(all) > keepersMax:
		return false
	}
	if len(all) == 0 {
		if o.order = append(o.order, e.Lease); len(o.order) > locks.OwnersMax {
			o.forgetLease(o.order[0])
			o.order = o.order[1:]
		}
	}
	o.keepers[e.Lease] = append(all, e)
	if slices.ContainsFunc(all, func(k model.LeaseOwner) bool { return k.Name != e.Name && k.Certain && e.Certain }) {
		o.shared[e.Lease] = true
		o.leaseChanged(e.Lease)
	}
	return true
}

func (o *Owners) forgetLease(id model.LeaseID) {
	delete(o.keepers, id)
	delete(o.shared, id)
	delete(o.refused, id)
}

// ForeignKeepers names who renews a lease, if that is not its owner alone. Only
// clients count that have listeners of their own and are there.
func (lab *Reports) ForeignKeepers(id model.LeaseID, now time.Time) (names []string) {
	owner, foreign := "", false
	for _, k := range lab.keepers[id] {
		if k.Certain && !k.Renews {
			owner = lab.program(k.Name)
		}
	}
	for _, k := range lab.keepers[id] {
		if !k.Certain || !k.Renews || !lab.there(k.Name, now) {
			continue
		}
		name := lab.program(k.Name)
		foreign = foreign || owner != "" && name != owner || owner == "" && len(names) > 0
		names = append(names, model.Printable(name))
	}
	if !foreign {
		return nil
	}
	slices.Sort(names)
	if owner != "" && !slices.Contains(names, model.Printable(owner)) {
		names[len(names)-1] += ", not by " + model.Printable(owner) + " that was granted it"
	}
	return names
}

// Renewer returns who renewed a lease last, as far as the proxy reported.
func (o *Owners) Renewer(id model.LeaseID) (last model.LeaseOwner) {
	for _, k := range o.keepers[id] {
		if k.Renews && !k.At.Before(last.At) {
			last = k
		}
	}
	return last
}
