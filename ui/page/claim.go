package page

import (
	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/ui/draw"
	"locktop/ui/table"
	"locktop/ui/timeline"
)

// RoleLook says what a key is in the queue of a lock, with a question mark if that may be none.
func RoleLook(f table.View, l *locks.Lock, c *locks.Claim, i int) (draw.Style, string, string) {
	th, role := f.Th, status.RoleAt(l, c, i)
	st, sign := draw.Waiting, th.Sign.Waits
	switch {
	case !l.Recipe().HasHolder:
		st = draw.Dim
	case role == model.RoleBlocks, role == model.RoleForeign:
		st, sign = blockedLook(f, l)
		return st, sign, th.Word(role)
	case role == model.RoleHolds:
		st, sign = timeline.HolderLook(f, l, c)
	default:
		if how := c.LeaseInfo().State().Condition(); how.Trouble() {
			st, trouble := th.Level(how.Level)
			return st, sign, th.Word(role) + " " + trouble
		}
	}
	return st, sign, timeline.RoleWord(th, l, th.Word(role))
}

// blockedLook is the style and the sign of a key that blocks a lock: as bad as the lock is said to be.
func blockedLook(f table.View, l *locks.Lock) (draw.Style, string) {
	if c := status.ConditionOf(f.S, l); c.Trouble() {
		return f.Th.Level(c.Level)
	}
	return f.Th.Level(model.LevelError)
}

// valueMost is how much of a value stands in a cell.
const valueMost = 60

// Identity fills in who a claim belongs to, and how that is known.
func Identity(r *table.Row, c *locks.Claim) {
	th := r.F.Th
	id := r.F.S.Identity(draw.Brief(c.Ref()))
	st, text, source := draw.Plain, th.Escape(id.Text), th.SourceOf(id)
	if id.Text == "" {
		st, text, source = draw.Dim, th.Say("unknown"), ""
		if id := c.KV.Lease; id != 0 {
			if text = th.Say("lease", model.Verbatim(id.Short())); draw.Width(text) > r.Room() {
				text = id.Short()
			}
			text = th.Escape(text)
		}
		switch {
		case c.Unread: // it might name the owner
			source = " " + th.Say("value-not-recorded")
		case c.Value != "" && c.Lock() == nil: // of a key that blocks a lock it is the only hint
			st, text = draw.Plain, th.Say("only-its-value-tells", model.Verbatim(th.Escape(model.Short(c.Value, valueMost))))
		}
	}
	if room := r.Room(); draw.Width(text)+draw.Width(source) > room {
		source, text = "", th.Cut(text, room)
	}
	r.Add(st, text)
	r.Add(draw.Dim, source)
}

// Standing ranks what a lease is to others: 3 holds a lock for which others wait,
// 2 holds one, 1 waits or is listed, 0 nothing of that.
func Standing(l *locks.Lease) int {
	best := 0
	for _, c := range l.Claims() {
		lock := c.Lock()
		switch {
		case lock == nil:
		case status.Role(lock, c) == model.RoleHolds:
			if lock.Behind() > 0 {
				return 3
			}
			best = 2
		default:
			best = max(best, 1)
		}
	}
	return best
}

// alsoMax bounds how many other claims of a lease are looked at for one row.
const alsoMax = 32

// queueStep is how many have to leave before a queue gives back their rows: so what stands below it does
// not move with each who comes or goes.
const queueStep = 4
