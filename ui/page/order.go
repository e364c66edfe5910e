package page

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui/draw"
	"locktop/ui/fields"
	"locktop/ui/table"
)

// By what the locks are sorted.
const (
	SortState table.SortKey = 1 + iota
	SortName
	SortHeld
	SortBehind
	SortLongest
	SortWaited
	SortCount
)

// order is the list of locks as shown: names, filtered and sorted.
type order struct {
	table.Ranking[*locks.Lock, string]
	By       table.SortKey
	Reversed bool
	Filter   string

	Bad, badSeen      int         // how many are in trouble, of all
	Worst, worstSeen  model.Level // and how much
	Waiting, waitSeen int         // how many claims wait, for all of them
	Calm, calmSeen    health      // how the locks are
	most, mostSeen    contended   // that for which most wait, of those that are shown
	verdict           model.Code  // what stands on top of the page: its locks stand on top of the table
	Longest, longSeen int         // how long a name is at most, in cells, of all: so a filter moves no column
}

// contended is a lock and how many wait for it.
type contended struct {
	lock    string
	waiters int
}

// many says whether there are too many locks to rank them between two frames.
func (o *order) many() bool { return o.Total > table.RankPiece }

// refresh goes on with what is due, and says whether that changed what is shown.
func (o *order) refresh(s *store.View, now table.Clock, worst model.Code, g *groups) bool {
	if o.verdict != worst && (now.Stands || !now.Now.Before(o.NotBefore)) {
		o.verdict, o.Force = worst, true
	}
	if !o.Unranked(s.Version(), now) {
		return false
	}
	keep, sign := matcher(o.Filter), int64(-1) // the most first
	if o.Reversed != (o.By == SortName) {
		sign = 1
	}
	list := func() []*locks.Lock {
		o.badSeen, o.worstSeen, o.waitSeen, o.longSeen, o.calmSeen, o.mostSeen = 0, 0, 0, 0, health{}, contended{}
		clear(g.seen)
		return s.Locks()
	}
	done := o.Ranking.Refresh(s.Version(), now, list, func(l *locks.Lock, i int) (table.Scored[string], bool) {
		c := status.ConditionOf(s, l)
		if o.Found++; c.Trouble() {
			o.badSeen++
			o.worstSeen = max(o.worstSeen, c.Level)
		}
		if r := l.Recipe(); r.HasHolder && r.WaitersVisible() {
			o.waitSeen += l.Behind()
		}
		o.calmSeen.count(l, c, o.At)
		if len(l.Name) > o.longSeen { // it has no more cells than bytes
			o.longSeen = max(o.longSeen, draw.Width(l.Name))
		}
		if keep != nil && !keep(lockText(s, l)...) {
			return table.Scored[string]{}, false
		}
		g.count(l, c, o.At)
		if n := l.Behind(); n > o.mostSeen.waiters && l.Recipe().HasHolder {
			o.mostSeen = contended{l.Name, n}
		}
		return table.Scored[string]{ID: l.Name, Rank: sign * o.rank(s, l, c, i), Tie: uint64(i)}, true
	})
	if done {
		o.Bad, o.Worst, o.Waiting, o.Longest, o.Calm, o.most = o.badSeen, o.worstSeen, o.waitSeen, o.longSeen, o.calmSeen, o.mostSeen
		g.by, g.seen = g.seen, g.by
		g.arrange(o.IDs)
	}
	return done
}

// first is more than any rank of a condition.
const first = 1 << 10

func (o *order) rank(s *store.View, l *locks.Lock, c model.Condition, i int) int64 {
	switch o.By {
	case SortName:
		return int64(i)
	case SortHeld:
		if l.Holder() == nil {
			return -1
		}
		d, _ := l.HeldFor(o.At)
		return int64(d)
	case SortBehind:
		return int64(l.Behind())
	case SortLongest:
		d, _, any := l.LongestWait(o.At)
		if !any {
			return -1
		}
		return int64(d)
	case SortWaited:
		d, _, any := fields.Lock{S: s, L: l, Now: o.At}.WaitedLately()
		if !any {
			return -1
		}
		return int64(d)
	}
	rank := int64(c.Rank) * 2
	if c.Trouble() && l.Behind() > 0 {
		rank++ // somebody waits for it
	}
	if c.Trouble() && c.Code() == o.verdict {
		rank += first
	}
	return rank
}

// lockText is what a filter looks at: name, state, recipe, findings, and who holds or waits
// by which key, as far as a queue is looked at.
func lockText(s *store.View, l *locks.Lock) []string {
	all := []string{l.Name, text.English(findings.StateWord(status.ConditionOf(s, l))), l.Recipe().Name}
	for _, f := range s.FindingsOf(l) {
		all = append(all, string(f.Code))
	}
	if h := l.Head(); h != nil {
		all = append(all, s.Who(draw.Brief(h.Ref())))
	}
	n := 0
	l.Claims(func(c *locks.Claim) bool {
		all = append(all, c.Key)
		n++
		return n < locks.MaxScan
	})
	return all
}

// Selection is a selection by identity, with the place where it was seen last.
type Selection struct {
	ID     string
	Place  int
	Pinned bool // a person chose it; until then it follows the first row
}

// Follow finds the chosen row again in a list of n, or the first one while nobody chose any.
// place tells where an identity stands, -1 if it is gone, and id what stands in a row.
func (s *Selection) Follow(n int, place func(id string) int, id func(i int) string) {
	if s.Pinned || n == 0 {
		s.stay(n, place, id)
		return
	}
	s.Place, s.ID = 0, id(0)
}

// stay finds the same row again, whoever chose it. If it is gone, the row that took its place
// is the one.
func (s *Selection) stay(n int, place func(id string) int, id func(i int) string) {
	if n == 0 {
		s.Place, s.ID = 0, "" // nothing that is not shown may be acted upon
		return
	}
	if i := place(s.ID); i >= 0 {
		s.Place = i
		return
	}
	s.Place = max(0, min(s.Place, n-1))
	s.ID = id(s.Place)
}

// stayIf keeps the cursor on what was found when a filter goes.
func (s *Selection) stayIf(unfiltered bool) { s.Pinned = s.Pinned || unfiltered && s.ID != "" }

// Move chooses the row i of n.
func (s *Selection) Move(i, n int, id func(i int) string) {
	if n == 0 {
		return
	}
	s.Place = max(0, min(i, n-1))
	s.ID, s.Pinned = id(s.Place), true
}

// LockList is all locks in their order, and the selected one.
type LockList struct {
	Order  order
	Pick   Selection // always a lock: of a group the first one
	calm   calmLine
	groups groups
	group  string // the prefix of the group under the cursor, "" for a lock
}

// NewLockList returns an empty list, worst first.
func NewLockList() *LockList {
	return &LockList{Order: order{Ranking: table.NewRanking[*locks.Lock, string](), By: SortState}}
}

// Name is the name of the lock in row i.
func (ll *LockList) Name(i int) string { return ll.row(i).name }

// Update sorts if that is due, unless there are so many locks that it is done in pieces
// by messages. Between two sorts the rows stay where they are, so a place found once
// stays right.
func (ll *LockList) Update(f table.View, worst model.Code) {
	for more := !ll.Order.many(); more; more = ll.Order.Going && !ll.Order.Waits(f.Clock()) {
		ll.Rank(f, worst)
	}
}

// Rank goes on with sorting. The locks with the worst finding that stands on top of the page come
// first, if it is not "".
func (ll *LockList) Rank(f table.View, worst model.Code) {
	if ll.Order.refresh(f.S, f.Clock(), worst, &ll.groups) {
		ll.follow(ll.Order.By == SortState && !ll.Pick.Pinned && !ll.groups.On && ll.contended(f))
	}
}

// settles is for how long from the start on the cursor goes to the lock for which most wait, while
// nobody moved it and nothing is wrong: at first no queue is whole.
const settles = 5 * time.Second

// contended puts the cursor on the lock for which most wait, and says whether it did, or whether it
// stands on one for which somebody waits.
func (ll *LockList) contended(f table.View) bool {
	if ll.Order.Bad > 0 || ll.Order.most.lock == "" {
		return false
	}
	l := f.S.Lock(ll.Pick.ID)
	if early := f.Now.Sub(f.S.Timeline().Start()) < settles; early || l == nil || l.Behind() == 0 {
		ll.Pick.ID = ll.Order.most.lock
	}
	return true
}

// follow finds the cursor again; stay: on the lock where it is.
func (ll *LockList) follow(stay bool) {
	// Where the worst is not first, no row stands first for long, or for a reason.
	stay = stay || ll.Order.By != SortState && ll.Pick.ID != ""
	if ll.groups.On {
		ll.followGroup(stay || ll.Pick.Pinned)
		return
	}
	find := ll.Pick.Follow
	if stay {
		find = ll.Pick.stay
	}
	find(len(ll.Order.IDs), func(id string) int { return slices.Index(ll.Order.IDs, id) }, ll.Name)
}

// Unranked says whether locks are to be ranked in pieces.
func (ll *LockList) Unranked(s *store.View, now table.Clock) bool {
	return ll.Order.many() && ll.Order.Unranked(s.Version(), now)
}

// Move puts the cursor at a row and holds the order still for a moment.
func (ll *LockList) Move(i int, now time.Time) {
	ll.to(i)
	ll.Pick.Pinned = ll.Pick.ID != ""
	ll.Order.NotBefore = now.Add(table.SortHold)
}

// Choose selects a lock by its name.
func (ll *LockList) Choose(name string) {
	ll.Pick.ID, ll.Pick.Pinned, ll.group = name, true, ""
	ll.Order.Force = true
	if ll.groups.On {
		ll.groups.open[prefixOf(name)] = true
	}
}

// Reveal selects a lock. A filter that hides it is let go.
func (ll *LockList) Reveal(s *store.View, name string) {
	if l := s.Lock(name); l != nil {
		if keep := matcher(ll.Order.Filter); keep != nil && !keep(lockText(s, l)...) {
			ll.SetFilter("")
		}
	}
	ll.Choose(name)
}

// SortBy sorts by k, or turns the order round if that is what it is sorted by.
func (ll *LockList) SortBy(k table.SortKey) {
	if ll.Order.By == k {
		ll.Order.Reversed = !ll.Order.Reversed
	} else {
		ll.Order.By, ll.Order.Reversed = k, false
	}
	ll.anew()
}

// anew lets the list be gone over again: the cursor begins at the first row, unless a person
// chose another.
func (ll *LockList) anew() {
	if ll.Order.Force = true; !ll.Pick.Pinned {
		ll.Pick.ID = ""
	}
}

// SetFilter says whether that is another one.
func (ll *LockList) SetFilter(text string) bool {
	if ll.Order.Filter == text {
		return false
	}
	ll.Order.Filter = text
	ll.Pick.stayIf(text == "")
	ll.anew()
	return true
}
