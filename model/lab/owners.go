package lab

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
)

func (lab *Reports) noteOwner(e model.LeaseOwner) {
	old, known := lab.owners[e.Lease]
	if known && !betterOwner(old, e) {
		return
	}
	lab.owners[e.Lease] = e
	if !known {
		lab.ownerOrder = append(lab.ownerOrder, e.Lease)
		if len(lab.ownerOrder) > ownersMax {
			delete(lab.owners, lab.ownerOrder[0])
			lab.forgetLease(lab.ownerOrder[0])
			lab.ownerOrder = lab.ownerOrder[1:]
		}
	}
	if l := lab.k.Lease(e.Lease); l != nil {
		lab.k.TouchLease(l)
	}
}

// Owner returns the name of the client whose lease it is, as far as anybody told.
func (lab *Reports) Owner(id model.LeaseID) (name string, known bool) {
	o, known := lab.owners[id]
	return o.Name, known
}

// LeaseOwner returns whose lease it is and how that is known.
func (lab *Reports) LeaseOwner(id model.LeaseID) (o model.LeaseOwner, known bool) {
	o, known = lab.owners[id]
	return o, known
}

// Program returns the contender that is the process behind a name, nil if there is none.
func (lab *Reports) Program(name string) *ContenderInfo { return lab.contenders[lab.program(name)] }

// betterOwner says whether e tells more about whose a lease is: certain beats
// strong, and who was granted it beats who renews it.
func betterOwner(old, e model.LeaseOwner) bool {
	switch {
	case old.Client == e.Client && (old.Renews == e.Renews || e.Renews):
		return false
	case old.Certain != e.Certain:
		return e.Certain
	case old.Renews != e.Renews:
		return old.Renews
	}
	return !old.Certain // of two guesses the later one
}

// Shared returns the leases that several clients renew. It is the reports' own, for reading.
func (lab *Reports) Shared() map[model.LeaseID]bool { return lab.shared }

// Refusals returns the refused renewals. It is the reports' own, for reading.
func (lab *Reports) Refusals() map[model.LeaseID]model.Refused { return lab.refused }

// refusal takes a refused renewal in.
func (lab *Reports) refusal(e model.Refused) {
	if e.Method != "Lease/LeaseKeepAlive" || e.Lease == 0 {
		return
	}
	if len(lab.refused) >= refusedMax {
		for id, r := range lab.refused {
			if lab.k.Lease(id) == nil || lab.k.Now().Sub(r.At) > notesKeep {
				delete(lab.refused, id)
			}
		}
	}
	if _, known := lab.refused[e.Lease]; !known && len(lab.refused) >= refusedMax {
		return
	}
	lab.refused[e.Lease] = e
	if l := lab.k.Lease(e.Lease); l != nil {
		lab.k.TouchLease(l)
	}
}

// keeper takes in who was granted a lease, or renews it.
func (lab *Reports) keeper(e model.LeaseOwner) {
	cl := lab.client(e.Client, e.At)
	all := lab.keepers[e.Lease]
	at := slices.IndexFunc(all, func(k model.LeaseOwner) bool { return k.Client == e.Client && k.Renews == e.Renews })
	switch {
	case at >= 0:
		all[at] = e
		return
	case len(all) > keepersMax:
		return
	}
	lab.keepers[e.Lease] = append(all, e)
	if e.Renews {
		cl.renewed++
	} else {
		cl.granted++
	}
	if slices.ContainsFunc(all, func(k model.LeaseOwner) bool { return k.Name != e.Name && k.Certain && e.Certain }) {
		lab.shared[e.Lease] = true
		if l := lab.k.Lease(e.Lease); l != nil {
			lab.k.TouchLease(l)
		}
	}
}

func (lab *Reports) forgetLease(id model.LeaseID) {
	delete(lab.keepers, id)
	delete(lab.shared, id)
	delete(lab.refused, id)
}

// program is the process behind a name: of the workers c1.1 and c1.2 it is c1.
func (lab *Reports) program(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i <= 0 || strings.Trim(name[i+1:], "0123456789") != "" {
		return name
	}
	if base := name[:i]; lab.contenders[base] != nil || lab.clients[base] != nil {
		return base
	}
	return name
}

// SameProgram says whether both names are of one process.
func (lab *Reports) SameProgram(a, b string) bool {
	return a == b || lab.program(a) == lab.program(b)
}

// Workers returns what the contender of that name, and those that share its process,
// say of the locks that they compete for.
func (lab *Reports) Workers(name string) []*Competitor {
	name = lab.program(name)
	c := lab.contenders[name]
	if c == nil {
		return nil
	}
	var all []*Competitor
	for _, own := range c.competitors {
		for _, st := range own.place.Competitors {
			if lab.program(st.Name) == name {
				all = append(all, st)
			}
		}
	}
	return all
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
func (lab *Reports) Renewer(id model.LeaseID) (last model.LeaseOwner) {
	for _, k := range lab.keepers[id] {
		if k.Renews && !k.At.Before(last.At) {
			last = k
		}
	}
	return last
}
