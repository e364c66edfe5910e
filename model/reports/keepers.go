package reports

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/locks"
)

func newKeepers(k *locks.State, n *news) *Keepers {
	return &Keepers{k: k, news: n, keepers: map[model.LeaseID][]model.LeaseOwner{},
		refused: map[model.LeaseID]model.Refused{}, shared: map[model.LeaseID]bool{}}
}

// Shared returns the leases that several clients renew. It is not a copy: only for reading.
func (ks *Keepers) Shared() map[model.LeaseID]bool { return ks.shared }

// Refusals returns the refused renewals. It is not a copy: only for reading.
func (ks *Keepers) Refusals() map[model.LeaseID]model.Refused { return ks.refused }

// refusal takes a refused renewal in.
func (ks *Keepers) refusal(e model.Refused) {
	if e.Method != "Lease/LeaseKeepAlive" || e.Lease == 0 {
		return
	}
	if len(ks.refused) >= refusedMax {
		for id, r := range ks.refused {
			if ks.k.Leases.Lease(id) == nil || ks.k.Now().Sub(r.At) > notesKeep {
				delete(ks.refused, id)
			}
		}
	}
	if _, known := ks.refused[e.Lease]; !known && len(ks.refused) >= refusedMax {
		return
	}
	ks.refused[e.Lease] = e
	ks.news.leaseChanged(e.Lease)
}

// keeper takes in who was granted a lease, or renews it, and says whether that is new.
func (ks *Keepers) keeper(e model.LeaseOwner) bool {
	all := ks.keepers[e.Lease]
	at := slices.IndexFunc(all, func(k model.LeaseOwner) bool { return k.Client == e.Client && k.Renews == e.Renews })
	switch {
	case at >= 0:
		all[at] = e
		return false
	case len(all) > keepersMax:
		return false
	}
	if len(all) == 0 {
		if ks.order = append(ks.order, e.Lease); len(ks.order) > locks.OwnersMax {
			ks.forgetLease(ks.order[0])
			ks.order = ks.order[1:]
		}
	}
	ks.keepers[e.Lease] = append(all, e)
	if slices.ContainsFunc(all, func(k model.LeaseOwner) bool { return k.Name != e.Name && k.Certain && e.Certain }) {
		ks.shared[e.Lease] = true
		ks.news.leaseChanged(e.Lease)
	}
	return true
}

func (ks *Keepers) forgetLease(id model.LeaseID) {
	delete(ks.keepers, id)
	delete(ks.shared, id)
	delete(ks.refused, id)
}

// ForeignKeepers names who renews a lease, if that is not its owner alone. Only
// clients count that have listeners of their own and are there.
func (rs *Reports) ForeignKeepers(id model.LeaseID, now time.Time) (names []string) {
	owner, foreign := "", false
	for _, k := range rs.Keepers.keepers[id] {
		if k.Certain && !k.Renews {
			owner = rs.Programs.program(k.Name)
		}
	}
	for _, k := range rs.Keepers.keepers[id] {
		if !k.Certain || !k.Renews || !rs.Programs.connected(k.Name, now) {
			continue
		}
		name := rs.Programs.program(k.Name)
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
func (ks *Keepers) Renewer(id model.LeaseID) (last model.LeaseOwner) {
	for _, k := range ks.keepers[id] {
		if k.Renews && !k.At.Before(last.At) {
			last = k
		}
	}
	return last
}
