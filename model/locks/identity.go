package locks

import (
	"strings"

	"locktop/model"
	"locktop/model/recipe"
)

// Owners tell whose claims are.
type Owners struct {
	keys    *Keys
	leases  *LeaseTable
	change  *currentChange
	byLease map[model.LeaseID]model.LeaseOwner // what the proxy, or a client, reported
	order   []model.LeaseID                    // of those reports, oldest first
}

func newOwners(keys *Keys, leases *LeaseTable, change *currentChange) *Owners {
	return &Owners{keys: keys, leases: leases, change: change, byLease: map[model.LeaseID]model.LeaseOwner{}}
}

// OwnersMax bounds how many leases are remembered with their client, ended ones included: the
// journal still names them.
const OwnersMax = 4096

// reported takes in whose lease it is, if that tells more than what was reported before.
func (o *Owners) reported(e model.LeaseOwner) {
	old, known := o.byLease[e.Lease]
	if known && !betterOwner(old, e) {
		return
	}
	o.byLease[e.Lease] = e
	if !known {
		if o.order = append(o.order, e.Lease); len(o.order) > OwnersMax {
			delete(o.byLease, o.order[0])
			o.order = o.order[1:]
		}
	}
	if l := o.leases.byID[e.Lease]; l != nil {
		o.change.leaseChanged(l)
	}
}

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

// LeaseOwner returns whose lease it is and how that is known, as far as the proxy or a client
// reported.
func (o *Owners) LeaseOwner(id model.LeaseID) (owner model.LeaseOwner, known bool) {
	owner, known = o.byLease[id]
	return owner, known
}

// checkpoint returns the reports.
func (o *Owners) checkpoint() []model.Event {
	var all []model.Event
	for _, id := range o.order {
		all = append(all, o.byLease[id])
	}
	return all
}

// Identity is who a claim belongs to, as far as anything tells.
type Identity struct {
	// Text is escaped, empty if nothing tells.
	Text string
	// Source is "proxy", "value", "sibling", "uuid" or "none".
	Source string
}

// identify says who a claim belongs to: by the proxy that its client went through,
// else by its value, else by what else hangs on its lease or stands beside it.
func (o *Owners) identify(r model.ClaimRef, lease *Lease, home *dir) Identity {
	if owner, known := o.byLease[r.Lease]; known && r.Lease != 0 {
		return Identity{model.Printable(owner.Name), "proxy"}
	}
	if who := o.keys.registered(r); who != "" {
		return Identity{model.Printable(who), "sibling"}
	}
	if who, source := recipe.Owner(r.Value); who != "" {
		return Identity{model.Printable(who), source}
	}
	if who := o.keys.lockInfo(r, home); who != "" {
		return Identity{who, "sibling"}
	}
	if lease != nil {
		if who := siblingIdentity(r, lease); who != "" {
			return Identity{who, "sibling"}
		}
	}
	return Identity{Source: "none"}
}

// Identity says who the claim of a reference belongs to. For a claim that is gone
// only the proxy and its value can tell.
func (o *Owners) Identity(r model.ClaimRef) Identity {
	var home *dir
	if c := o.keys.claims[r.Key]; c != nil {
		home = c.home
	}
	return o.identify(r, o.leases.byID[r.Lease], home)
}

// IdentityOf says who a claim belongs to that the state has, without a search for it.
func (o *Owners) IdentityOf(c *Claim) Identity { return o.identify(refOf(c), c.lease, c.home) }

// Who names a claim for a sentence or a narrow column: its identity, else its
// lease, else its key.
func (o *Owners) Who(r model.ClaimRef) string {
	if id := o.Identity(r); id.Text != "" {
		return id.Text
	}
	if r.Lease != 0 {
		return r.Lease.Short()
	}
	return model.Printable(r.Key)
}

// lockInfo reads the key that a recipe has beside the lock. It has no lease, outlives its
// writer, and speaks of the holder that wrote it alone.
func (ks *Keys) lockInfo(r model.ClaimRef, home *dir) string {
	if ks.infos == 0 || home == nil || home.lock == nil || !home.lock.listed || home.lock.recipe.Beside == "" {
		return ""
	}
	if h := home.lock.Holder(); h == nil || h.Key != r.Key {
		return ""
	}
	info := ks.claims[home.path+home.lock.recipe.Beside]
	if info == nil || info.ModRev < r.CreateRev {
		return ""
	}
	return model.Printable(recipe.OwnerInJSON(info.Value))
}

func (ks *Keys) countInfo(c *Claim, n int) {
	if recipe.IsBeside(c.Key) {
		ks.infos += n
	}
}

// registered names the owner by the key in which its program registers where it is, if
// that is watched.
func (ks *Keys) registered(r model.ClaimRef) string {
	if r.Value == "" {
		return ""
	}
	shown := recipe.NewKey(r.Key, r.Value, int64(r.Lease), 0)
	name := recipe.Registry(&shown)
	if name == "" {
		return ""
	}
	if c := ks.claims[name]; c != nil {
		return recipe.OwnerAt(r.Value, c.Value)
	}
	return ""
}

// siblingIdentity reads the values of the other keys of a lease: one that is not a claim often
// says who the owner is (a registration of a session). Its name says nothing: it is that
// of a thing. JSON that tells goes first; of plain values all have to say the same. Of more than
// MaxScan keys so many are looked at.
func siblingIdentity(r model.ClaimRef, l *Lease) string {
	named, plain, agree, first := "", "", true, ""
	beside := l.otherKeys()
	for _, c := range beside[:min(len(beside), MaxScan)] {
		if c.Key == r.Key || c.Value == "" {
			continue
		}
		if who := recipe.OwnerInJSON(c.Value); who != "" {
			if named == "" || c.Key < first {
				named, first = who, c.Key
			}
			continue
		}
		who, _ := recipe.Owner(c.Value)
		agree = agree && (plain == "" || plain == who) && !strings.HasPrefix(who, "{") && !strings.HasPrefix(who, "[")
		plain = who
	}
	if named == "" && agree {
		named = plain
	}
	return model.Printable(named)
}
