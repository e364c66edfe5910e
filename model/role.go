package model

// Role is what a key is in the queue of a lock, in a word.
type Role string

// Roles.
const (
	RoleHolds   Role = "holds"
	RoleWaits   Role = "waits"
	RoleBlocks  Role = "blocks"  // it stands first, and is not a claim of the lock
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
func (r Role) Remains() Message {
	switch r {
	case RoleHolds:
		return Say("old-holder-may-believe")
	case RoleBlocks, RoleForeign:
		return Say("not-a-claim-of-this-lock")
	case RoleMember:
		return Say("program-is-not-told")
	}
	return Say("client-may-believe-it-waits")
}
