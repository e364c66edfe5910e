package ui

import (
	"slices"
	"strconv"
	"time"

	"locktop/model"
)

// frame is what a panel needs to paint: what is true, when, and how it looks.
type frame struct {
	s   *model.State
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

var lockColumns = []column{
	{title: "LOCK", least: 18, fair: 30, most: 56, sort: sortName},
	{title: "RECIPE", least: 8, fair: 8, most: 15, rank: 7},
	{title: "HOLDER", least: 9, fair: 14, most: 28, rank: 2},
	{title: "HELD", least: 6, fair: 7, most: 7, rank: 5, right: true, sort: sortHeld},
	{title: "LEASE", least: 13, fair: 25, most: 25, rank: 3},
	{title: "BEHIND", least: 6, fair: 7, most: 7, rank: 4, right: true, sort: sortBehind},
	{title: "LONGEST", least: 7, fair: 8, most: 8, rank: 6, right: true, sort: sortLongest},
	{title: "STATE", least: 19, fair: 19, most: 48, rank: 1, sort: sortState},
}

// locksPanel is the table of locks.
type locksPanel struct {
	table table
	order order
	pick  pick
}

func newLocksPanel() *locksPanel {
	return &locksPanel{table: newTable(lockColumns, true), order: order{ranking: newRanking[*model.Lock, string](), by: sortState}}
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
			goneRow(f.th, names[i], r)
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

func goneRow(th *theme, name string, r *row) {
	r.cell(dim, th.cutPath(th.clean(name), r.room()))
	for range lockColumns[2:] {
		r.end()
	}
	r.cell(dim, "is no more")
}

func lockRow(f frame, l *model.Lock, r *row) {
	th := f.th
	c := l.Condition()
	head := l.Head()
	f.sees(head)
	if f.marks[l.Name] {
		r.add(plain, th.cutPath(th.clean(l.Name), r.room()-2))
		r.cell(accent, " "+th.sign.mark)
	} else {
		r.cell(plain, th.cutPath(th.clean(l.Name), r.room()))
	}
	r.cell(dim, th.cut(l.Recipe().Name, r.room()))
	lockHolder(f, l, head, r)
	if head == nil || !l.Recipe().Judged {
		r.cell(dim, "")
		r.cell(dim, "")
	} else {
		d, atLeast := l.HeldFor(f.now)
		r.cell(plain, age(d, atLeast))
		th.leaseCell(r, head.LeaseInfo(), f.now)
	}
	lockQueue(f, l, r)
	r.put(th.says(c))
	if room := r.room() - 2 - len(c.Word); room >= 12 {
		if text := outlook(l, c, f.now); text != "" {
			r.add(dim, "  "+text)
		}
	}
	r.end()
}

func lockHolder(f frame, l *model.Lock, head *model.Claim, r *row) {
	switch {
	case head == nil:
		r.cell(dim, "nobody")
	case !l.Recipe().Judged:
		r.cell(dim, "-")
	case l.Blocked():
		r.cell(bad, f.th.cutKey(f.th.clean(head.Key), r.room()))
	default:
		more := ""
		if n := l.Holders(); n > 1 {
			more = " +" + strconv.Itoa(n-1)
		}
		r.add(plain, f.th.cut(f.th.who(f.s, head.Ref()), r.room()-len(more)))
		r.add(dim, more)
		r.end()
	}
}

func lockQueue(f frame, l *model.Lock, r *row) {
	switch n := l.Behind(); {
	case !l.Free() && !l.Recipe().WaitersVisible:
		r.cell(dim, "?")
	case !l.Free() && !l.Recipe().Judged:
		r.cell(dim, "-")
	case n == 0:
		r.cell(dim, "0")
	default:
		r.cell(plain, strconv.Itoa(n))
	}
	if d, atLeast, any := l.LongestWait(f.now); any {
		r.cell(plain, age(d, atLeast))
		return
	}
	r.cell(dim, "-")
}
