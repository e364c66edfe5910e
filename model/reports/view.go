package reports

import (
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// View is what reports answer to others than the rules, and [Reports] are one: nothing of it
// changes them.
type View interface {
	// Contenders returns the contenders of the lab and the external programs, c2 before c10.
	Contenders() []ContenderInfo
	// Clients returns the clients of the proxy.
	Clients() []ClientInfo
	// Faults returns the faults in force, oldest first.
	Faults() []model.FaultOn
	// Outputs returns what programs printed last.
	Outputs() []*Output
	// Lock returns what was reported of a lock, nil for nothing.
	Lock(lock string) *Lock
	// Accesses returns the last accesses to what a lock guards.
	Accesses(lock string) []Accessed
	// Beliefs returns when each client believed that it held a lock, Overlaps when several did.
	Beliefs(lock string) []Believed
	Overlaps(lock string) []Overlap
	// Truth returns the claim of a contender and its place, nil if it has none.
	Truth(c ContenderInfo) (claim *locks.Claim, place int)
	// FalseSince returns since when a belief is not true, and whether that is so.
	FalseSince(c *Competitor, l *locks.Lock) (since time.Time, is bool)
}

// Clients implements [View].
func (rs *Reports) Clients() []ClientInfo { return rs.Programs.Clients() }

// Outputs implements [View].
func (rs *Reports) Outputs() []*Output { return rs.outputs }

// Lock implements [View].
func (rs *Reports) Lock(lock string) *Lock { return rs.places.locks[lock] }
