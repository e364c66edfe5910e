package ui

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// By what the locks are sorted.
const (
	sortState table.SortKey = 1 + iota
	sortName
	sortHeld
	sortBehind
	sortLongest
	sortCount
)

// order is the list of locks as shown: names, filtered and sorted.
type order struct {
	table.Ranking[*model.Lock, string]
	by       table.SortKey
	reversed bool
	filter   string // "!" in front turns it round

	bad, badSeen int // how many are in trouble, of all
}

// many says whether there are too many locks to rank them between two frames.
func (o *order) many() bool { return o.Total > table.RankPiece }

// refresh goes on with what is due, and says whether that changed what is shown.
func (o *order) refresh(s *model.State, now time.Time) bool {
	if !o.Unranked(s.Version(), now) {
		return false
	}
	keep, sign := matcher(o.filter), int64(-1) // the most first
	if o.reversed != (o.by == sortName) {
		sign = 1
	}
	list := func() []*model.Lock { o.badSeen = 0; return s.Locks() }
	done := o.Ranking.Refresh(s.Version(), now, list, func(l *model.Lock, i int) (table.Scored[string], bool) {
		c := l.Condition()
		if o.Found++; c.Trouble() {
			o.badSeen++
		}
		if keep != nil && !keep(lockText(s, l)) {
			return table.Scored[string]{}, false
		}
		return table.Scored[string]{ID: l.Name, Rank: sign * o.rank(l, c, i), Tie: uint64(i)}, true
	})
	if done {
		o.bad = o.badSeen
	}
	return done
}

func (o *order) rank(l *model.Lock, c model.Condition, i int) int64 {
	switch o.by {
	case sortName:
		return int64(i)
	case sortHeld:
		if l.Free() {
			return -1
		}
		d, _ := l.HeldFor(o.At)
		return int64(d)
	case sortBehind:
		return int64(l.Behind())
	case sortLongest:
		d, _, any := l.LongestWait(o.At)
		if !any {
			return -1
		}
		return int64(d)
	}
	rank := int64(c.Rank) * 2
	if c.Trouble() && l.Behind() > 0 {
		rank++ // somebody waits for it
	}
	return rank
}

// lockText is what a filter looks at: the name and who holds it.
func lockText(s *model.State, l *model.Lock) (name, holder string) {
	if h := l.Head(); h != nil {
		holder = s.Who(draw.Brief(h.Ref()))
	}
	return l.Name, holder
}

// matcher returns what a filter keeps, nil for all. It tells capitals apart only
// if it contains one.
func matcher(filter string) func(a, b string) bool {
	want, not := strings.CutPrefix(filter, "!")
	if want == "" {
		return nil
	}
	has := strings.Contains
	if want == strings.ToLower(want) {
		has = func(s, sub string) bool { return strings.Contains(strings.ToLower(s), sub) }
	}
	return func(a, b string) bool { return (has(a, want) || has(b, want)) != not }
}

// selection is a selection by identity, with the place where it was seen last.
type selection struct {
	id     string
	place  int
	pinned bool // a person chose it; until then it follows the first row
}

// follow finds the chosen row again in a list of n. place tells where an
// identity stands, -1 if it is gone: then the row that took its place is chosen.
func (p *selection) follow(n int, place func(id string) int, id func(i int) string) {
	if n == 0 {
		p.place, p.id = 0, "" // nothing that is not shown may be acted upon
		return
	}
	if !p.pinned {
		p.place, p.id = 0, id(0)
		return
	}
	if i := place(p.id); i >= 0 {
		p.place = i
		return
	}
	p.place = max(0, min(p.place, n-1))
	p.id = id(p.place)
}

// move chooses the row i of n.
func (p *selection) move(i, n int, id func(i int) string) {
	if n == 0 {
		return
	}
	p.place = max(0, min(i, n-1))
	p.id, p.pinned = id(p.place), true
}

// lockList is all locks in their order, and the selected one.
type lockList struct {
	order order
	pick  selection
}

func newLockList() *lockList {
	return &lockList{order: order{Ranking: table.NewRanking[*model.Lock, string](), by: sortState}}
}

func (p *lockList) name(i int) string { return p.order.Ids[i] }

// update sorts if that is due, unless there are so many locks that it is done in pieces
// by messages. Between two sorts the rows stay where they are, so a place found once
// stays right.
func (p *lockList) update(f frame) {
	for more := !p.order.many(); more; more = p.order.Going && !p.order.Waits(f.Now) {
		p.rank(f)
	}
}

// rank goes on with sorting.
func (p *lockList) rank(f frame) {
	if p.order.refresh(f.S, f.Now) {
		p.pick.follow(len(p.order.Ids), func(id string) int { return slices.Index(p.order.Ids, id) }, p.name)
	}
}

// unranked says whether locks are to be ranked in pieces.
func (p *lockList) unranked(s *model.State, now time.Time) bool {
	return p.order.many() && p.order.Unranked(s.Version(), now)
}

// move puts the cursor at a row and holds the order still for a moment.
func (p *lockList) move(i int, now time.Time) {
	p.pick.move(i, len(p.order.Ids), p.name)
	p.order.Held = now.Add(table.SortHold)
}

// choose selects a lock by its name.
func (p *lockList) choose(name string) {
	p.pick.id, p.pick.pinned = name, true
	p.order.Force = true
}

// reveal selects a lock. A filter that hides it is let go.
func (p *lockList) reveal(s *model.State, name string) {
	if l := s.Lock(name); l != nil {
		if keep := matcher(p.order.filter); keep != nil && !keep(lockText(s, l)) {
			p.setFilter("")
		}
	}
	p.choose(name)
}

// request asks for the queue of the selected lock.
func (p *lockList) request() Request {
	if p.pick.id == "" {
		return Request{Why: "there is no lock to open yet"}
	}
	return Request{Show: ShowQueue, Lock: p.pick.id}
}

func (p *lockList) sortBy(k table.SortKey) {
	if p.order.by == k {
		p.order.reversed = !p.order.reversed
	} else {
		p.order.by, p.order.reversed = k, false
	}
	p.order.Force = true
}

// setFilter says whether that is another one.
func (p *lockList) setFilter(text string) bool {
	if p.order.filter == text {
		return false
	}
	p.order.filter, p.order.Force = text, true
	return true
}
