package page

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// group is the locks whose names are alike up to the last slash.
type group struct {
	prefix  string
	locks   []string // in the order in which they are shown
	worst   model.Condition
	waiting int
	longest longestWait
}

// prefixOf is what a name has in common with those beside it, "" for nothing.
func prefixOf(name string) string { return name[:strings.LastIndexByte(name, '/')+1] }

// groups are the locks by prefix, if a person wants them so. They are counted while the locks are ranked.
type groups struct {
	On       bool
	open     map[string]bool // by prefix
	by, seen map[string]*group
	rows     []lockRow
}

// lockRow is a row of the table: of a lock, or of a group.
type lockRow struct {
	name     string // of the lock, or of the first one in the group
	group    *group // nil for a lock
	indented bool   // its group stands above it
}

// count takes in a lock that is shown.
func (g *groups) count(l *locks.Lock, c model.Condition, now time.Time) {
	if !g.On {
		return
	}
	prefix := prefixOf(l.Name)
	x := g.seen[prefix]
	if x == nil {
		x = &group{prefix: prefix, worst: c}
		g.seen[prefix] = x
	}
	if c.Rank > x.worst.Rank {
		x.worst = c
	}
	if r := l.Recipe(); r.HasHolder && r.WaitersVisible() {
		x.waiting += l.Behind()
	}
	x.longest.count(l, now)
}

// arrange puts the locks in that order under their groups. One that is alone has none.
func (g *groups) arrange(names []string) {
	g.rows = g.rows[:0]
	if !g.On {
		return
	}
	var order []*group
	for _, x := range g.by {
		x.locks = x.locks[:0]
	}
	for _, name := range names {
		x := g.by[prefixOf(name)]
		if x == nil {
			continue
		}
		if len(x.locks) == 0 {
			order = append(order, x)
		}
		x.locks = append(x.locks, name)
	}
	for _, x := range order {
		alone := len(x.locks) == 1
		if !alone {
			g.rows = append(g.rows, lockRow{name: x.locks[0], group: x})
		}
		for _, name := range x.locks {
			if alone || g.open[x.prefix] {
				g.rows = append(g.rows, lockRow{name: name, indented: !alone})
			}
		}
	}
}

// Len is how many rows the table has.
func (ll *LockList) Len() int {
	if ll.groups.On {
		return len(ll.groups.rows)
	}
	return len(ll.Order.IDs)
}

// row is a row of the table.
func (ll *LockList) row(i int) lockRow {
	if ll.groups.On {
		return ll.groups.rows[i]
	}
	return lockRow{name: ll.Order.IDs[i]}
}

// id tells rows apart.
func (ll *LockList) id(i int) string {
	x := ll.row(i)
	if x.group != nil {
		return x.group.prefix
	}
	return x.name
}

// Group turns groups on, or off.
func (ll *LockList) Group() {
	ll.groups = groups{On: !ll.groups.On, open: map[string]bool{}, by: map[string]*group{}, seen: map[string]*group{}}
	ll.Order.Force, ll.group = true, ""
}

// Grouped says whether the locks are grouped.
func (ll *LockList) Grouped() bool { return ll.groups.On }

// toggle opens the group of a row, or closes it, and says whether there is one under the cursor.
func (ll *LockList) toggle() bool {
	if ll.group == "" {
		return false
	}
	ll.groups.open[ll.group] = !ll.groups.open[ll.group]
	ll.groups.arrange(ll.Order.IDs)
	ll.follow(false)
	return true
}

// to puts the cursor on a row: on a lock, or on a group and the first lock of it.
func (ll *LockList) to(i int) {
	if n := ll.Len(); n == 0 {
		ll.Pick.Place, ll.Pick.ID, ll.group = 0, "", ""
	} else {
		i = max(0, min(i, n-1))
		x := ll.row(i)
		ll.Pick.Place, ll.Pick.ID, ll.group = i, x.name, ""
		if x.group != nil {
			ll.group = x.group.prefix
		}
	}
}

// followGroup finds the cursor again among groups: the group that it was on, the lock, or the group that
// hides it.
func (ll *LockList) followGroup(stay bool) {
	at := func(is func(x lockRow) bool) int { return slices.IndexFunc(ll.groups.rows, is) }
	i, prefix := -1, ll.group
	if stay && prefix == "" {
		i, prefix = at(func(x lockRow) bool { return x.group == nil && x.name == ll.Pick.ID }), prefixOf(ll.Pick.ID)
	}
	switch {
	case !stay:
		i = 0
	case i < 0:
		i = at(func(x lockRow) bool { return x.group != nil && x.group.prefix == prefix })
	}
	if i < 0 {
		i = ll.Pick.Place
	}
	ll.to(i)
}

// groupRow fills in the row of a group.
func groupRow(f table.View, x *group, open bool, r *table.Row) {
	th, sign := f.Th, f.Th.Sign.Act
	if open {
		sign = f.Th.Sign.Dwn
	}
	r.F = f
	for i := range LockCells {
		switch c := LockCells[i]; c.Title {
		case "title-lock":
			n := " " + strconv.Itoa(len(x.locks))
			name := th.Clean(x.prefix)
			if x.prefix == "" {
				name = th.Say("no-prefix")
			}
			r.Add(draw.Accent, sign+" ")
			r.Add(draw.Strong, th.CutPath(name, max(4, r.Room()-2-len(n))))
			r.Add(draw.Dim, n)
		case "title-state":
			r.Put(th.FormatCondition(x.worst))
		case "title-behind":
			st := draw.Plain
			if x.waiting == 0 {
				st = draw.Dim
			}
			r.Add(st, strconv.Itoa(x.waiting))
		case "title-longest":
			if x.longest.any {
				r.Add(draw.Plain, x.longest.age(f.S, f.Now))
			} else {
				r.Add(draw.Dim, "-")
			}
		}
		r.End()
	}
}
