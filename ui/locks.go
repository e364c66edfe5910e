package ui

import (
	"slices"
	"strconv"
	"time"

	"locktop/model"
	"locktop/model/fold"
	"locktop/ui/fields"
)

// frame is what a panel needs to paint: what is true, when, and how it looks.
type frame struct {
	s   *fold.State
	th  *theme
	now time.Time
	// onScreen collects the leases that are shown: they are read first.
	onScreen *[]model.LeaseID
	marks    map[string]bool // locks that are bookmarked
}

func (f frame) sees(c *model.Claim) {
	if c != nil && c.KV.Lease != 0 {
		*f.onScreen = append(*f.onScreen, c.KV.Lease)
	}
}

// A row about which there is nothing to worry counts in steps, so that a screen full of
// them is not painted anew every second. What it says was true at the step, and a step
// is no more than a cell of the bar of its lease.
const (
	calmStep = 5 * time.Second
	calmFrom = 2 * calmStep        // since the last change
	calmTTL  = barCells * calmStep // of the lease at least
)

// calm is the frame for a row that counts in steps.
func (f frame) calm() frame {
	f.now = f.now.Truncate(calmStep)
	return f
}

// calmLock says whether the row of a lock may count in steps.
func (f frame) calmLock(l *model.Lock) bool {
	held, _ := l.HeldFor(f.now)
	longest, _, waits := l.LongestWait(f.now)
	return held >= calmFrom && (!waits || longest >= calmFrom) && calmLease(l.Head().LeaseInfo()) && !l.Condition().Trouble()
}

// calmLease says whether a step means little for a lease.
func calmLease(l *model.Lease) bool {
	return l == nil || !l.HasRead || time.Duration(l.Granted())*time.Second >= calmTTL
}

// lockCells are the columns of the locks.
var lockCells = cellsOf(fields.Locks, map[string]func(*row, *fields.Lock){
	"LOCK": func(r *row, x *fields.Lock) {
		th := r.f.th
		if r.f.marks[x.L.Name] {
			r.add(plain, th.cutPath(th.clean(x.L.Name), r.room()-2))
			r.add(accent, " "+th.sign.mark)
		} else {
			r.add(plain, th.cutPath(th.clean(x.L.Name), r.room()))
		}
	},
	"RECIPE": func(r *row, x *fields.Lock) { r.add(dim, r.f.th.cut(x.L.Recipe().Name, r.room())) },
	"HOLDER": lockHolder,
	"HELD": func(r *row, x *fields.Lock) {
		if !x.L.Free() && x.L.Recipe().HasHolder {
			d, atLeast := x.L.HeldFor(x.Now)
			r.add(plain, age(d, atLeast))
		}
	},
	"LEASE": func(r *row, x *fields.Lock) {
		if !x.L.Free() && x.L.Recipe().HasHolder {
			r.f.th.leaseCell(r, x.L.Head().LeaseInfo(), x.Now)
		}
	},
	"BEHIND": lockBehind,
	"LONGEST": func(r *row, x *fields.Lock) {
		if d, atLeast, any := x.L.LongestWait(x.Now); any {
			r.add(plain, age(d, atLeast))
		} else {
			r.add(dim, "-")
		}
	},
	"STATE": func(r *row, x *fields.Lock) {
		c := x.L.Condition()
		r.put(r.f.th.says(c))
		if room := r.room() - 2 - len(c.Word); room >= 12 {
			if text := outlook(x.L, c, x.Now); text != "" {
				r.add(dim, "  "+text)
			}
		}
	},
}, map[string]sortKey{"LOCK": sortName, "HELD": sortHeld, "BEHIND": sortBehind, "LONGEST": sortLongest, "STATE": sortState})

// locksPanel is the table of locks.
type locksPanel struct {
	table table
	order order
	pick  selection
}

func newLocksPanel() *locksPanel {
	return &locksPanel{table: newTable(lockCells.columns(), true), order: order{ranking: newRanking[*model.Lock, string](), by: sortState}}
}

// Render returns the lines of the table; focused if it has the keyboard.
func (p *locksPanel) Render(f frame, w, h int, focused bool) []string {
	p.update(f)
	p.table.fit(w, h, f.th)
	names := p.order.ids
	p.table.reveal(p.pick.place, len(names))
	lines := []string{p.table.head(p.order.by, p.order.reversed)}
	l := look{cursor: p.pick.place, keys: focused}
	return p.table.paint(lines, len(names), l, p.name, func(i int, r *row) {
		lock := f.s.Lock(names[i])
		switch {
		case lock == nil:
			lockCells.goneRow(f.th.cutPath(f.th.clean(names[i]), r.room()), r)
		case i != l.cursor && f.calmLock(lock):
			lockRow(f.calm(), lock, r)
		default:
			lockRow(f, lock, r)
		}
	})
}

func (p *locksPanel) name(i int) string { return p.order.ids[i] }

// update sorts if that is due, unless there are so many locks that it is done in pieces
// by messages. Between two sorts the rows stay where they are, so a place found once
// stays right.
func (p *locksPanel) update(f frame) {
	for more := !p.order.many(); more; more = p.order.going && !p.order.waits(f.now) {
		p.rank(f)
	}
}

// rank goes on with sorting.
func (p *locksPanel) rank(f frame) {
	if p.order.refresh(f.s, f.now) {
		p.pick.follow(len(p.order.ids), func(id string) int { return slices.Index(p.order.ids, id) }, p.name)
	}
}

// move puts the cursor at a row and holds the order still for a moment.
func (p *locksPanel) move(i int, now time.Time) {
	p.pick.move(i, len(p.order.ids), p.name)
	p.order.held = now.Add(sortHold)
}

func (p *locksPanel) sortBy(k sortKey) {
	if p.order.by == k {
		p.order.reversed = !p.order.reversed
	} else {
		p.order.by, p.order.reversed = k, false
	}
	p.order.force = true
}

func (p *locksPanel) setFilter(text string) {
	if p.order.filter != text {
		p.order.filter, p.order.force = text, true
		p.table.top = 0
	}
}

func lockRow(f frame, l *model.Lock, r *row) {
	f.sees(l.Head())
	lockCells.row(f, fields.Lock{S: f.s, L: l, Now: f.now}, r)
}

func lockHolder(r *row, x *fields.Lock) {
	th := r.f.th
	switch head := x.L.Head(); {
	case head == nil:
		r.add(dim, "nobody")
	case !x.L.Recipe().HasHolder:
		r.add(dim, "-")
	case x.L.Blocked():
		r.add(bad, th.cutKey(th.clean(head.Key), r.room()))
	default:
		more := ""
		if n := x.L.Holders(); n > 1 {
			more = " +" + strconv.Itoa(n-1)
		}
		r.add(plain, th.cut(th.who(x.S, head.Ref()), r.room()-len(more)))
		r.add(dim, more)
	}
}

func lockBehind(r *row, x *fields.Lock) {
	switch n := x.L.Behind(); {
	case !x.L.Free() && !x.L.Recipe().WaitersVisible():
		r.add(dim, "?")
	case !x.L.Free() && !x.L.Recipe().HasHolder:
		r.add(dim, "-")
	case n == 0:
		r.add(dim, "0")
	default:
		r.add(plain, strconv.Itoa(n))
	}
}
