package model

import (
	"strings"

	"locktop/model/recipe"
)

// Identity is who a claim belongs to, as far as anything tells.
type Identity struct {
	// Text is escaped, empty if nothing tells.
	Text string
	// Source is "proxy", "value", "sibling", "uuid" or "none".
	Source string
}

// identify says who a claim belongs to: by the proxy that its client went through,
// else by its value, else by what else hangs on its lease or stands beside it.
func (k *Keyspace) identify(r ClaimRef, lease *Lease, home *dir) Identity {
	if name, ok := k.witness.Owner(r.Lease); ok && r.Lease != 0 {
		return Identity{Printable(name), "proxy"}
	}
	if who := k.registered(r); who != "" {
		return Identity{Printable(who), "sibling"}
	}
	if who, source := recipe.Owner(r.Value); who != "" {
		return Identity{Printable(who), source}
	}
	if who := k.lockInfo(r, home); who != "" {
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
func (k *Keyspace) Identity(r ClaimRef) Identity {
	var home *dir
	if c := k.claims[r.Key]; c != nil {
		home = c.home
	}
	return k.identify(r, k.byID[r.Lease], home)
}

// IdentityOf says who a claim belongs to that the state has, without a search for it.
func (k *Keyspace) IdentityOf(c *Claim) Identity { return k.identify(refOf(c), c.lease, c.home) }

// lockInfo reads the key that a recipe has beside the lock. It has no lease, outlives its
// writer, and speaks of the holder that wrote it alone.
func (k *Keys) lockInfo(r ClaimRef, home *dir) string {
	if k.infos == 0 || home == nil || home.lock == nil || !home.lock.listed || home.lock.recipe.Beside == "" {
		return ""
	}
	if h := home.lock.Holder(); h == nil || h.Key != r.Key {
		return ""
	}
	info := k.claims[home.path+home.lock.recipe.Beside]
	if info == nil || info.ModRev < r.CreateRev {
		return ""
	}
	return Printable(recipe.OwnerInJSON(info.Value))
}

func (k *Keys) countInfo(c *Claim, n int) {
	if recipe.IsBeside(c.Key) {
		k.infos += n
	}
}

// registered names the owner by the key in which its program registers where it is, if
// that is watched.
func (k *Keys) registered(r ClaimRef) string {
	if r.Value == "" {
		return ""
	}
	shown := recipe.NewKey(r.Key, r.Value, int64(r.Lease), 0)
	name := recipe.Registry(&shown)
	if name == "" {
		return ""
	}
	if c := k.claims[name]; c != nil {
		return recipe.OwnerAt(r.Value, c.Value)
	}
	return ""
}

// siblingIdentity reads the values of the other keys of a lease: one that is no claim often
// says who the owner is (a registration of a session). Its name says nothing: it is that
// of a thing. JSON that tells goes first; of plain values all have to say the same.
func siblingIdentity(r ClaimRef, l *Lease) string {
	if len(l.claims) == l.competing {
		return "" // all are claims: no need to look at each
	}
	told, plain, agree, first := "", "", true, ""
	for _, c := range l.claims {
		if c.Key == r.Key || c.form.Claims() || c.Value == "" {
			continue
		}
		if who := recipe.OwnerInJSON(c.Value); who != "" {
			if told == "" || c.Key < first {
				told, first = who, c.Key
			}
			continue
		}
		who, _ := recipe.Owner(c.Value)
		agree = agree && (plain == "" || plain == who) && !strings.HasPrefix(who, "{") && !strings.HasPrefix(who, "[")
		plain = who
	}
	if told == "" && agree {
		told = plain
	}
	return Printable(told)
}

// Who names a claim for a sentence or a narrow column: its identity, else its
// lease, else its key.
func (k *Keyspace) Who(r ClaimRef) string {
	if id := k.Identity(r); id.Text != "" {
		return id.Text
	}
	if r.Lease != 0 {
		return r.Lease.Short()
	}
	return Printable(r.Key)
}

// Ref names the claim in a form that outlives it.
func (c *Claim) Ref() ClaimRef { return refOf(c) }
