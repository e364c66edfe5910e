package ui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"locktop/model"
)

// sortKey is by what the locks are ordered.
type sortKey int

const (
	sortNone sortKey = iota
	sortState
	sortName
	sortHeld
	sortBehind
	sortLongest
	sortCount
)

// rankPiece is how many locks or leases are ranked at a time where there are more of
// them. A key waits for no more.
const rankPiece = 10_000

// Sorting goes over all locks, so it has a rhythm of its own.
const (
	sortEvery = time.Second
	sortHold  = 2 * time.Second // after a cursor key rows stay where they are
	sortPer   = 20_000          // for so many locks, another sortEvery between two sorts
)

// order is the list of locks as shown: names, filtered and sorted.
type order struct {
	by       sortKey
	reversed bool
	filter   string // "!" in front turns it round

	names   []string
	total   int // of locks, the filtered ones included
	bad     int // how many are in trouble, of all
	version uint64
	at      time.Time
	held    time.Time // no re-sort before, unless forced
	force   bool

	// Of the ranking that goes on: the locks, how many of them are ranked, and what came
	// of these.
	going, forced bool
	all           []*model.Lock
	seen, badSeen int
	keys          []orderKey
	versionSeen   uint64
}

type orderKey struct {
	name string
	rank int64
	at   int32
}

// many says whether there are too many locks to rank them between two frames.
func (o *order) many() bool { return o.total > rankPiece }

// unranked says whether refresh has something to do.
func (o *order) unranked(s *model.State, now time.Time) bool {
	return o.going && !o.waits(now) || o.due(s, now)
}

func (o *order) due(s *model.State, now time.Time) bool {
	every := sortEvery * time.Duration(1+o.total/sortPer)
	return o.force || !o.going && s.Version() != o.version &&
		(o.total == 0 || now.Sub(o.at) >= every && !now.Before(o.held))
}

// waits says whether all is ranked, and the rows have to stay where they are.
func (o *order) waits(now time.Time) bool {
	return o.seen == len(o.all) && !o.forced && now.Before(o.held)
}

// refresh brings the order up to date if that is due, a piece in each call, and says
// whether it did. What is shown stays until all is ranked.
func (o *order) refresh(s *model.State, th *theme, now time.Time) bool {
	switch {
	case o.due(s, now):
		o.going, o.forced, o.force = true, o.force, false
		o.versionSeen, o.at = s.Version(), now
		o.all = append(o.all[:0], s.Locks()...)
		o.keys, o.seen, o.badSeen = o.keys[:0], 0, 0
	case !o.going || o.waits(now):
		return false
	}
	o.piece(s, th)
	if o.seen < len(o.all) || o.waits(now) {
		return false
	}
	o.finish()
	return true
}

// piece ranks the next locks.
func (o *order) piece(s *model.State, th *theme) {
	keep := matcher(o.filter)
	for _, l := range o.all[o.seen:min(o.seen+rankPiece, len(o.all))] {
		c := l.Condition()
		if c.Trouble() {
			o.badSeen++
		}
		if keep == nil || keep(lockText(s, l)) {
			o.keys = append(o.keys, orderKey{l.Name, o.rank(l, c, o.at), int32(o.seen)})
		}
		o.seen++
	}
}

// finish puts what was ranked in the place of what is shown.
func (o *order) finish() {
	o.going = false
	o.total, o.bad, o.version = o.seen, o.badSeen, o.versionSeen
	sign := -1 // the most first
	if o.reversed {
		sign = 1
	}
	if o.by == sortName {
		sign = -sign
	}
	slices.SortFunc(o.keys, func(a, b orderKey) int {
		if a.rank != b.rank {
			return sign * cmp.Compare(a.rank, b.rank)
		}
		return cmp.Compare(a.at, b.at)
	})
	o.names = o.names[:0]
	for _, k := range o.keys {
		o.names = append(o.names, k.name)
	}
	clear(o.keys)
	clear(o.all)
}

func (o *order) rank(l *model.Lock, c model.Condition, now time.Time) int64 {
	switch o.by {
	case sortName:
		return int64(len(o.keys))
	case sortHeld:
		if l.Free() {
			return -1
		}
		d, _ := l.HeldFor(now)
		return int64(d)
	case sortBehind:
		return int64(l.Behind())
	case sortLongest:
		d, _, any := l.LongestWait(now)
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
		holder = s.Who(brief(h.Ref()))
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

// pick is a selection by identity, with the place where it was seen last.
type pick struct {
	id     string
	place  int
	pinned bool // a person chose it; until then it follows the first row
}

// follow finds the chosen row again in a list of n. place tells where an
// identity stands, -1 if it is gone: then the row that took its place is chosen.
func (p *pick) follow(n int, place func(id string) int, id func(i int) string) {
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
func (p *pick) move(i, n int, id func(i int) string) {
	if n == 0 {
		return
	}
	p.place = max(0, min(i, n-1))
	p.id, p.pinned = id(p.place), true
}
