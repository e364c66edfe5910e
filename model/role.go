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
	case RoleMember:
		return "member"
	}
	return "waiter"
}

// Remains says what no way of breaking such a key changes.
func (r Role) Remains() string {
	switch r {
	case RoleHolds:
		return "the old holder may still believe that it holds"
	case RoleBlocks, RoleForeign:
		return "it is no claim of this lock: some program may need it"
	case RoleMember:
		return "its program is not told that it went, and may need it"
	}
	return "its client may still believe that it waits in the queue"
}

// ToBreak returns the claim that is meant where only the lock is named to be broken: its
// holder. Why says in words that there is none, and that a key has to be chosen.
func (l *Lock) ToBreak() (c *Claim, why string) {
	switch head := l.Head(); {
	case head == nil:
		return nil, "nobody holds it and nobody waits"
	case !l.recipe.HasHolder:
		return nil, Printable(l.Name) + " is no lock that is known: none of its keys is known to hold it"
	case !l.IsClaim(head):
		return nil, Printable(head.Key) + " stands first, and is no claim of " + Printable(l.Name)
	default:
		return head, ""
	}
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
	case !l.recipe.HasHolder, l.recipe.Held != nil: // the key of a lock that nobody holds waits for nothing
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
