package model

// Role is what a key is in the queue of a lock, in a word.
type Role string

// Roles.
const (
	RoleHolds   Role = "holds"
	RoleWaits   Role = "waits"
	RoleBlocks  Role = "blocks"  // it stands first, and is no claim of the lock
	RoleForeign Role = "foreign" // no claim of the lock either, and counted by the recipe
	RoleMember  Role = "member"  // of keys side by side, of which none is known to hold
)

// Name returns the name of the role in JSON and CSV.
func (r Role) Name() string {
	switch r {
	case RoleHolds:
		return "holder"
	case RoleBlocks, RoleForeign:
		return "foreign"
	}
	return "waiter" // also of a member: programs know it by that name
}

// RoleAt returns the role of the key c at that place, from 0.
func (l *Lock) RoleAt(c *Claim, place int) Role {
	switch {
	case l.Holds(place):
		return RoleHolds
	case !l.IsClaim(c) && place == 0 && l.recipe.HasHolder:
		return RoleBlocks
	case !l.IsClaim(c):
		return RoleForeign
	case !l.recipe.HasHolder:
		return RoleMember
	}
	return RoleWaits
}

// Role returns the role of a key in the queue. Its place is looked up only where
// several may hold.
func (l *Lock) Role(c *Claim) Role {
	place := 0
	switch {
	case c == l.Head():
	case l.holds > 1:
		place = l.Place(c)
	default:
		place = 1
	}
	return l.RoleAt(c, place)
}
