package status

import (
	"locktop/model"
	"locktop/model/locks"
)

// ToBreak returns the claim that is meant where only the lock is named to be broken: its
// holder. Why says that there is none, or that there are several, and that a key has to be
// chosen.
func ToBreak(l *locks.Lock) (c *locks.Claim, why model.Message) {
	switch head := l.Head(); {
	case head == nil:
		return nil, model.Say("is-free")
	case !l.Recipe().HasHolder:
		return nil, model.Say("not-a-known-lock", l.Name)
	case !l.IsClaim(head):
		return nil, model.Say("stands-first-and-is-no-claim", head.Key, l.Name)
	case l.Presumed():
		return nil, l.Unsure()
	case l.Holders() > 1:
		var keys []model.Message
		for c := range l.First(min(l.Holders(), toNameMax)) {
			keys = append(keys, model.Say("key", c.Key))
		}
		if l.Holders() > toNameMax {
			keys = append(keys, model.Say("and-so-on"))
		}
		return nil, model.Say("hold-together", l.Holders(), l.Name, keys)
	case l.RecipeConfidence() == model.Hint:
		return nil, l.Unsure()
	default:
		return head, model.Message{}
	}
}

// toNameMax is how many of those that hold together are named.
const toNameMax = 3

// Without says what becomes of a lock without a key that holds it, and without all keys of
// its lease if that is not 0: how many hold on, and if none does, which key comes first, nil
// if no claim waits. A key that is no claim of the lock blocks it then.
func Without(l *locks.Lock, c *locks.Claim, lease model.LeaseID) (holdOn int, next *locks.Claim) {
	place := 0
	for o := range l.First(l.Len()) {
		stays := o != c && (lease == 0 || o.KV.Lease != lease)
		switch {
		case place >= l.Holders() && holdOn > 0:
			return holdOn, nil
		case place >= l.Holders() && stays:
			if next == nil {
				next = o
			}
			if l.IsClaim(o) {
				return 0, next
			}
		case stays:
			holdOn++
		}
		place++
	}
	return holdOn, nil
}

// RoleAt returns the role of the key c at that place, from 0.
func RoleAt(l *locks.Lock, c *locks.Claim, place int) model.Role {
	switch {
	case l.Holds(place):
		return model.RoleHolds
	case !l.IsClaim(c) && place == 0 && l.Recipe().HasHolder:
		return model.RoleBlocks
	case !l.IsClaim(c):
		return model.RoleForeign
	case !l.Recipe().HasHolder, l.Recipe().Held != nil: // the key of a lock that nobody holds waits for nothing
		return model.RoleMember
	}
	return model.RoleWaits
}

// Role returns the role of a key in the queue. Its place is looked up only where
// several may hold.
func Role(l *locks.Lock, c *locks.Claim) model.Role {
	place := 0
	switch {
	case c == l.Head():
	case l.Holders() > 1:
		place = l.Place(c)
	default:
		place = 1
	}
	return RoleAt(l, c, place)
}

// Outruns says in what the claim of a delete, as the plan has it, and as the watch
// has it, are different, "" for nothing. What a person sees comes from the watch.
func Outruns(c *locks.Claim, p model.Plan) model.Message {
	for _, kv := range p.Goes {
		switch {
		case p.Action.Kind != model.DeleteClaim || c == nil || kv.Key != c.Key || kv.CreateRev == 0:
		case kv.ModRev < c.ModRev:
			return kv.Changed(c.KV)
		default:
			return c.Changed(kv)
		}
	}
	return model.Message{}
}
