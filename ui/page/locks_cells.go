package page

import (
	"strconv"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/ui/draw"
	"locktop/ui/fields"
	"locktop/ui/table"
)

// LockCells are the columns of the locks.
var LockCells = table.CellsOf(fields.Locks, map[model.MessageID]func(*table.Row, *fields.Lock){
	"title-lock": func(r *table.Row, x *fields.Lock) {
		th, room := r.F.Th, r.Room()
		chosen, marked := r.F.Chosen[x.L.Name], r.F.Marks[x.L.Name]
		name := x.L.Name
		if r.F.Under {
			name = name[len(prefixOf(name)):]
			r.Add(draw.Plain, "  ")
			room -= 2
		}
		if chosen {
			r.Add(draw.Change, "M ")
			room -= 2
		}
		if marked {
			room -= 2
		}
		r.Add(draw.Plain, th.CutPath(th.Clean(name), room))
		if marked {
			r.Add(draw.Accent, " "+th.Sign.Mark)
		}
	},
	"title-recipe": func(r *table.Row, x *fields.Lock) { r.Add(draw.Dim, r.F.Th.Cut(x.L.RecipeLabel(), r.Room())) },
	"title-holder": lockHolder,
	"title-held": func(r *table.Row, x *fields.Lock) {
		if x.L.Holder() != nil {
			d, atLeast := x.L.HeldFor(x.Now)
			r.Add(draw.Plain, draw.Age(d, atLeast))
		}
	},
	"title-lease": func(r *table.Row, x *fields.Lock) {
		if !x.L.Free() && x.L.Recipe().HasHolder {
			r.Lease(x.L.Head().LeaseInfo(), x.Now)
		}
	},
	"title-behind": lockBehind,
	"title-longest": func(r *table.Row, x *fields.Lock) {
		if d, atLeast, any := x.L.LongestWait(x.Now); any {
			r.Add(draw.Plain, draw.Age(d, atLeast))
		} else {
			r.Add(draw.Dim, "-")
		}
	},
	"title-waited": func(r *table.Row, x *fields.Lock) {
		switch d, atLeast, visible := x.WaitedLately(); {
		case !visible:
			r.Add(draw.Dim, "?")
		case d == 0:
			r.Add(draw.Dim, "0s")
		default:
			r.Add(draw.Plain, draw.Age(d, atLeast))
		}
	},
	"title-state": func(r *table.Row, x *fields.Lock) {
		r.Put(r.F.Th.FormatCondition(status.ConditionOf(x.S, x.L)))
	},
	"title-moves-when":  lockMoves,
	"title-last-minute": lastMinute,
}, map[model.MessageID]table.SortKey{"title-lock": SortName, "title-held": SortHeld, "title-behind": SortBehind, "title-longest": SortLongest, "title-waited": SortWaited, "title-state": SortState})

// lockMoves says what it takes for the lock to move.
func lockMoves(r *table.Row, x *fields.Lock) {
	c, st := status.ConditionOf(x.S, x.L), draw.Plain
	if !c.Trouble() && x.L.Behind() == 0 {
		st = draw.Dim
	}
	th, said := r.F.Th, ""
	switch {
	case x.L.Free():
		said = th.Message(draw.FreeFor(x.L, x.Now))
	case !x.L.Recipe().HasHolder:
		said = th.Message(draw.Keys(x.L.Len()))
	case !c.Trouble() && x.L.Behind() == 0 && x.L.Recipe().WaitersVisible():
		said = th.Message(model.Say("no-waiters"))
	default:
		if r.F.Th.Asks {
			return
		}
		move := status.NextMove(x.S, x.L, x.Now)
		said = th.Fitting(r.Room(), move.When, move.Brief)
	}
	r.Add(st, th.Cut(said, r.Room()))
}

// lastMinute is the lane of a lock, as long as a minute.
func lastMinute(r *table.Row, x *fields.Lock) {
	if r.F.Lane == nil || r.Room() == 0 || !x.L.Recipe().HasHolder {
		return
	}
	for _, sp := range r.F.Lane(x.L, x.Now, r.Room()) {
		r.Put(sp)
	}
}

// LockRow fills in the row of a lock.
func LockRow(f table.View, l *locks.Lock, r *table.Row) {
	f.Sees(l.Head())
	LockCells.Row(f, fields.Lock{S: f.S, L: l, Now: f.Now}, r)
}

func lockHolder(r *table.Row, x *fields.Lock) {
	th := r.F.Th
	switch head := x.L.Head(); {
	case head == nil:
		r.Add(draw.Dim, th.Say("nobody"))
	case !x.L.Recipe().HasHolder:
		r.Add(draw.Dim, "-")
	case x.L.Blocked():
		name := th.Clean(head.Key)
		st, _ := blockedLook(r.F, x.L)
		r.Add(st, th.CutKey(name, r.Room()))
		if holderCut(r, name) && draw.Width(name) <= holderMost {
			*r.F.HolderCut = max(*r.F.HolderCut, draw.Width(name))
		}
	case x.L.Holder() == nil: // a Lease of Kubernetes that says nobody, or is encrypted
		r.Add(draw.Dim, "-")
	default:
		more := ""
		if n := x.L.Holders(); n > 1 {
			more = " +" + strconv.Itoa(n-1)
		}
		name := th.WhoIn(x.S, head.Ref(), r.Room()-len(more))
		r.Add(draw.Plain, name)
		if holderCut(r, name+more) {
			*r.F.HolderCut = max(*r.F.HolderCut, draw.Width(th.Who(x.S, head.Ref()))+len(more))
		}
		r.Add(draw.Dim, more)
	}
}

// holderCut says whether a name has too little room, or nearly, where somebody wants to know that.
func holderCut(r *table.Row, name string) bool {
	return r.F.HolderCut != nil && draw.Width(name) >= r.Room()
}

func lockBehind(r *table.Row, x *fields.Lock) {
	switch n := x.L.Behind(); {
	case !x.L.Free() && !x.L.Recipe().WaitersVisible():
		r.Add(draw.Dim, "?")
	case !x.L.Free() && !x.L.Recipe().HasHolder:
		r.Add(draw.Dim, "-")
	case n == 0:
		r.Add(draw.Dim, "0")
	default:
		r.Add(draw.Plain, strconv.Itoa(n))
	}
}
