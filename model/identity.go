package model

import "locktop/model/recipe"

// Identity is who a claim belongs to, as far as anything tells.
type Identity struct {
	// Text is escaped, empty if nothing tells.
	Text string
	// Source is "proxy", "value", "sibling", "uuid" or "none".
	Source string
}

// identify says who a claim belongs to: by the proxy that its client went through,
// else by its value, else by what else hangs on its lease or stands beside it.
func (s *State) identify(r ClaimRef, lease *Lease, home *dir) Identity {
	if o, ok := s.lab.owners[r.Lease]; ok && r.Lease != 0 {
		return Identity{Printable(o.Name), "proxy"}
	}
	if who, source := recipe.Owner(r.Value); who != "" {
		return Identity{Printable(who), source}
	}
	if who := s.lockInfo(r, home); who != "" {
		return Identity{who, "sibling"}
	}
	if lease != nil {
		if who := siblingIdentity(r.Key, lease); who != "" {
			return Identity{who, "sibling"}
		}
	}
	return Identity{Source: "none"}
}

// Identity says who the claim of a reference belongs to. For a claim that is gone
// only the proxy and its value can tell.
func (s *State) Identity(r ClaimRef) Identity {
	var home *dir
	if c := s.claims[r.Key]; c != nil {
		home = c.home
	}
	return s.identify(r, s.leases[r.Lease], home)
}

// IdentityOf says who a claim belongs to that the state has, without a search for it.
func (s *State) IdentityOf(c *Claim) Identity { return s.identify(refOf(c), c.lease, c.home) }

// lockInfo reads the key that a recipe has beside the lock. It has no lease, outlives its
// writer, and speaks of the holder that wrote it alone.
func (s *State) lockInfo(r ClaimRef, home *dir) string {
	if s.infos == 0 || home == nil || home.lock == nil || !home.lock.listed || home.lock.recipe.Beside == "" {
		return ""
	}
	if h := home.lock.Holder(); h == nil || h.Key != r.Key {
		return ""
	}
	info := s.claims[home.path+home.lock.recipe.Beside]
	if info == nil || info.ModRev < r.CreateRev {
		return ""
	}
	return Printable(recipe.OwnerInJSON(info.Value))
}

func (s *State) countInfo(c *Claim, n int) {
	if recipe.IsBeside(c.Key) {
		s.infos += n
	}
}

// siblingIdentity looks at the other keys of a lease: one that is no claim often
// names the owner (Patroni's members/<name>, a registration of a session).
func siblingIdentity(key string, l *Lease) string {
	if len(l.claims) == l.competing {
		return "" // all are claims: no need to look at each
	}
	var best *Claim
	for _, c := range l.claims {
		if c.Key == key || c.form.Claims() {
			continue
		}
		if best == nil || c.Key < best.Key {
			best = c
		}
	}
	if best == nil {
		return ""
	}
	_, last, _ := split(best.Key)
	if who := Printable(recipe.OwnerInJSON(best.Value)); who != "" && who != last {
		return Printable(last) + " (" + who + ")"
	}
	return Printable(last)
}

// Who names a claim for a sentence or a narrow column: its identity, else its
// lease, else its key.
func (s *State) Who(r ClaimRef) string {
	if id := s.Identity(r); id.Text != "" {
		return id.Text
	}
	if r.Lease != 0 {
		return r.Lease.Short()
	}
	return Printable(r.Key)
}

// GrantedBy returns the name of the member that granted a lease, "" if the id does
// not tell: the server puts the low 16 bits of its member id, sign bit cleared, on
// top of the time of its start (etcd pkg/idutil/id.go). Clients may choose ids that
// tell nothing.
func (s *State) GrantedBy(id LeaseID) string {
	found := ""
	for _, m := range s.cluster.Members {
		if m.ID == 0 || uint64(id)>>48 != m.ID&0x7fff {
			continue
		}
		if found != "" {
			return "" // two members share these bits
		}
		found = m.label()
	}
	return found
}

// Ref names the claim in a form that outlives it.
func (c *Claim) Ref() ClaimRef { return refOf(c) }
