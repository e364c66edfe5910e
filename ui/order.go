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
	keys    []orderKey
}

type orderKey struct {
	l    *model.Lock
	rank int64
	at   int32
}

// refresh brings the order up to date if that is due, and says whether it did.
func (o *order) refresh(s *model.State, th *theme, now time.Time) bool {
	every := sortEvery * time.Duration(1+o.total/sortPer)
	due := o.force || o.total == 0 ||
		s.Version() != o.version && now.Sub(o.at) >= every && !now.Before(o.held)
	if !due || o.total == 0 && !o.force && s.Version() == o.version {
		return false
	}
	o.rebuild(s, th, now)
	return true
}

func (o *order) rebuild(s *model.State, th *theme, now time.Time) {
	o.force, o.version, o.at = false, s.Version(), now
	locks := s.Locks()
	o.total, o.bad = len(locks), 0
	keep := matcher(o.filter)
	o.keys = o.keys[:0]
	for i, l := range locks {
		v := th.judge(l)
		if v.trouble() {
			o.bad++
		}
		if keep == nil || keep(lockText(s, l)) {
			o.keys = append(o.keys, orderKey{l, o.rank(l, v, now), int32(i)})
		}
	}
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
		o.names = append(o.names, k.l.Name)
	}
	clear(o.keys)
}

func (o *order) rank(l *model.Lock, v verdict, now time.Time) int64 {
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
	rank := int64(v.rank) * 2
	if v.trouble() && l.Behind() > 0 {
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
