package findings

import (
	"strings"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/recipe"
)

// leasesByName are the leases by the names that their keys carry. They are gathered at most once
// a second, and only when a holder is not renewed: when one client with thousands of locks
// dies, each of them asks.
type leasesByName struct {
	byName   map[string][]*locks.Lease // those that came last first
	gathered time.Time
}

// Bounds of what is gathered: the leases that came last, and some keys of each.
const (
	namesMaxLeases = 20_000
	namesMaxKeys   = 8
	namesMaxAge    = time.Second
)

// gather goes through the leases unless that was done within the second.
func (n *leasesByName) gather(k *locks.State) {
	now := k.Now()
	if n.byName != nil && !now.Before(n.gathered) && now.Sub(n.gathered) < namesMaxAge {
		return
	}
	n.byName, n.gathered = map[string][]*locks.Lease{}, now
	all := k.Leases.Leases()
	for i := len(all) - 1; i >= max(0, len(all)-namesMaxLeases); i-- {
		l := all[i]
		for _, c := range firstKeys(l) {
			for _, name := range namesOn(k, c) {
				if same := n.byName[name]; recipe.NamesOne(name) && (len(same) == 0 || same[len(same)-1] != l) {
					n.byName[name] = append(same, l)
				}
			}
		}
	}
}

// firstKeys are those of a lease by which its name is looked for.
func firstKeys(l *locks.Lease) []*locks.Claim {
	return l.Claims()[:min(len(l.Claims()), namesMaxKeys)]
}

// namesOn are the names that a key carries: those of its claim, of its value and, as
// registrations do, its own.
func namesOn(k *locks.State, c *locks.Claim) [3]string {
	owner, _ := recipe.Owner(c.Value)
	return [...]string{k.Owners.IdentityOf(c).Text, model.Printable(c.Key[strings.LastIndexByte(c.Key, '/')+1:]), model.Printable(owner)}
}
