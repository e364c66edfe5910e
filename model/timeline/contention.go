package timeline

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"time"

	"locktop/model"
)

// Contention is what the spans of a lock say in figures, of a time.
type Contention struct {
	// From and To bound the time: it begins no earlier than the spans are whole. Sums and shares
	// are of what was seen of it: who held and who waited while nothing was seen is not known.
	From, To time.Time
	// Visible is false where waiting leaves no key: then nothing is known of waits.
	Visible bool
	// TotalWait is how long all together waited in that time, Waiters how many do at its end;
	// TotalHold is how long all together held: more than Held where several hold at once.
	TotalWait, TotalHold time.Duration
	Waiters              int
	// Waits and Holds are those that ended in that time and were seen from their beginning.
	// Gaps are the times between two holders in which nobody held.
	Waits, Holds, Gaps Durations
	// Held is for how much of the time somebody held, Queued for how much somebody waited.
	Held, Queued time.Duration
	// Unseen is for how much of the time nothing was seen.
	Unseen time.Duration
	// Fairness is Jain's index of how long each contender waited for a turn on average: 1 is
	// all the same, 1/n is one of n that waits alone. 0 is not known: nobody waited, or there
	// is one contender.
	Fairness float64
	// Bypass is how often the one that was overtaken most was: others came later and got the
	// lock while it waited.
	Bypass int
	// Pairs are who waited for whom, the longest in all first; PairsCut if there was too much
	// to look at all of it.
	Pairs    []Pair
	PairsCut bool

	turns  []turn
	shared bool // several held together
	// first and last are From and To, in the time of turns.
	first, last int64
}

// Pair is one that waited while another held.
type Pair struct {
	Waiter, Holder string
	Episodes       int // a wait for one hold is one
	Total, Longest time.Duration
}

// Durations are lengths of time, sorted.
type Durations []time.Duration

// P50 is the median, false of none.
func (d Durations) P50() (time.Duration, bool) { return model.Percentile(d, 50), len(d) > 0 }

// Bounds of the work on one lock.
const overlapsMax = 4_000_000

// turn is a span in the time, in µs of which those are left out in which nothing was seen: waited says until when it waited. What goes on ends
// never.
type turn struct {
	came, got, gone int64
	held, known     bool // known: it was seen when it got the lock, or it did not
	ended           bool // it was seen when it went
	contender       int
	rev             int64
}

func (t *turn) waited() int64 {
	if t.held {
		return t.got
	}
	return t.gone
}

// within is how much of a span lies in another.
func within(from, to, first, last int64) int64 { return max(0, min(to, last)-max(from, first)) }

// Contention returns the figures of a lock between two times, to not included. who says of
// whom a claim is: claims of the same are turns of one contender.
func (tl *Timeline) Contention(lock string, from, to time.Time, who func(model.ClaimRef) string) *Contention {
	if since := tl.Since(lock); since.After(from) {
		from = since
	}
	if to.Before(from) {
		to = from
	}
	c := &Contention{From: from, To: to, TotalWait: tl.Waited(lock, from, to)}
	unseen := tl.unseen(lock, from.UnixMicro(), to.UnixMicro())
	l := tl.k.Keys.Lock(lock)
	c.Visible = l != nil && l.Recipe().WaitersVisible()
	ids, names := map[string]int{}, []string(nil)
	micros := func(t time.Time) int64 {
		if t.IsZero() {
			return math.MaxInt64
		}
		return t.UnixMicro()
	}
	first, last := from.UnixMicro(), to.UnixMicro()
	for s := range tl.Spans(lock, from, to) {
		name := who(s.Claim)
		id, known := ids[name]
		if !known {
			id = len(names)
			ids[name], names = id, append(names, name)
		}
		t := turn{came: micros(s.Came), got: micros(s.Got), gone: micros(s.Gone), held: !s.Got.IsZero(), known: !s.GotAtLeast, ended: !s.Unseen, contender: id, rev: s.Claim.CreateRev}
		if t.held && t.got >= last {
			t.held = false // not yet
		}
		c.Visible = c.Visible || l == nil && s.Claim.Key != lock
		c.turns = append(c.turns, t.less(unseen))
		if t.held {
			c.TotalHold += time.Duration(within(t.got, t.gone, first, last)-unseen.within(t.got, t.gone)) * time.Microsecond
		} else if t.gone >= last {
			c.Waiters++
		}
		if t.held && t.got >= first && !s.CameAtLeast && !s.GotAtLeast {
			c.Waits = append(c.Waits, time.Duration(t.got-t.came)*time.Microsecond)
		}
		if t.held && t.gone >= first && t.gone < last && !s.GotAtLeast && !s.Unseen {
			c.Holds = append(c.Holds, time.Duration(t.gone-t.got)*time.Microsecond)
		}
	}
	slices.SortFunc(c.turns, func(a, b turn) int {
		return cmp.Or(cmp.Compare(a.came, b.came), cmp.Compare(a.waited(), b.waited()), cmp.Compare(a.rev, b.rev))
	})
	c.Unseen = time.Duration(unseen.within(first, last)) * time.Microsecond
	c.first, c.last = first, unseen.less(last)
	holds := c.sweep(c.first, c.last)
	c.Fairness = c.fairness(len(names))
	c.pairs(names, holds, c.first, c.last)
	for _, d := range []Durations{c.Waits, c.Holds, c.Gaps} {
		slices.Sort(d)
	}
	return c
}

// sweep adds up in which time somebody held, and somebody waited, and returns the holds in
// their order.
func (c *Contention) sweep(first, last int64) (holds []turn) {
	var over int64 = math.MinInt64 // until when it was held, or waited for, so far
	seen := false                  // that it was
	queued := first
	for _, t := range c.turns {
		if t.held {
			holds = append(holds, t)
		}
		if end := min(t.waited(), last); end > queued {
			c.Queued += time.Duration(end-max(t.came, queued)) * time.Microsecond
			queued = end
		}
	}
	slices.SortStableFunc(holds, func(a, b turn) int { return cmp.Compare(a.got, b.got) })
	for _, h := range holds {
		switch {
		case over == math.MinInt64:
		case h.got >= over && h.got >= first && !(seen && h.known): // for how long it was free is not known
		case h.got >= over && h.got >= first:
			c.Gaps = append(c.Gaps, time.Duration(h.got-over)*time.Microsecond)
		case h.got < over:
			c.shared = true
		}
		c.Held += time.Duration(within(max(h.got, over), h.gone, first, last)) * time.Microsecond
		if h.gone >= over {
			over, seen = h.gone, h.ended
		}
	}
	return holds
}

// fairness is Jain's index of the mean wait of each of the contenders of whom one is known.
func (c *Contention) fairness(contenders int) float64 {
	waits, turns := make([]float64, contenders), make([]float64, contenders)
	last := c.last
	for _, t := range c.turns {
		if t.known {
			waits[t.contender] += float64(min(t.waited(), last) - t.came)
			turns[t.contender]++
		}
	}
	var n, sum, squares float64
	for i, wait := range waits {
		if turns[i] > 0 {
			mean := wait / turns[i]
			n, sum, squares = n+1, sum+mean, squares+mean*mean
		}
	}
	if n < 2 || squares == 0 {
		return 0
	}
	return sum * sum / (n * squares)
}

// pairs finds who waited while whom held, and who was overtaken.
func (c *Contention) pairs(names []string, holds []turn, first, last int64) {
	type key struct{ waiter, holder int }
	found := map[key]*Pair{}
	reach := make([]int64, len(holds)) // until when those up to each held
	for i, h := range holds {
		reach[i] = h.gone
		if i > 0 {
			reach[i] = max(reach[i], reach[i-1])
		}
	}
	checked := 0
	for _, w := range c.turns {
		from, end := max(w.came, first), min(w.waited(), last)
		if end <= from {
			continue
		}
		i, _ := slices.BinarySearch(reach, from+1)
		overtaken := 0
		for ; i < len(holds) && holds[i].got < end; i++ {
			if checked++; checked > overlapsMax {
				c.PairsCut = true
				break
			}
			h := holds[i]
			if h.came > w.came && h.got > w.came {
				overtaken++
			}
			d := time.Duration(within(h.got, h.gone, from, end)) * time.Microsecond
			if d == 0 {
				continue
			}
			k := key{w.contender, h.contender}
			p := found[k]
			if p == nil {
				p = &Pair{Waiter: names[w.contender], Holder: names[h.contender]}
				found[k] = p
			}
			p.Episodes, p.Total, p.Longest = p.Episodes+1, p.Total+d, max(p.Longest, d)
		}
		c.Bypass = max(c.Bypass, overtaken)
	}
	for _, p := range found {
		c.Pairs = append(c.Pairs, *p)
	}
	slices.SortFunc(c.Pairs, func(a, b Pair) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Waiter, b.Waiter), cmp.Compare(a.Holder, b.Holder))
	})
}

// Turns is how many spans the figures are of.
func (c *Contention) Turns() int { return len(c.turns) }

// Utilisation is the share of the time in which somebody held, 0 to 1.
func (c *Contention) Utilisation() float64 {
	if d := c.To.Sub(c.From) - c.Unseen; d > 0 {
		return float64(c.Held) / float64(d)
	}
	return 0
}

// Bounds of a convoy.
const (
	convoyTurns = 10 // that were over in the time, at least
	convoyPart  = 10 // of the time, that no hold took as much as one of
)

// Convoy says whether a queue that never was empty is made of short holds: no single one
// explains it.
func (c *Contention) Convoy() bool {
	all := c.To.Sub(c.From) - c.Unseen
	return len(c.Holds) >= convoyTurns && c.Queued >= all*99/100 && c.Holds[len(c.Holds)-1] <= all/convoyPart
}

// WhatIf returns how long all together would have waited in the same time if each hold had
// taken that share of its time. Whoever held comes again as long after its hold as it did, and
// those who came again and again go on to, as they did before: with shorter holds they take more
// turns in the same time. It is false where a replay with whole holds does not give what was:
// where several hold together, waiters cannot be seen, or others than the first got the lock.
func (c *Contention) WhatIf(share float64) (time.Duration, bool) {
	if !c.Visible || c.shared || len(c.turns) == 0 {
		return 0, false
	}
	same, ok := c.replay(1)
	if off := (same - c.TotalWait).Abs(); !ok || off > c.TotalWait/100+time.Millisecond {
		return 0, false
	}
	return c.replay(share)
}

// again is a turn as it is played.
type again struct {
	move
	arrives   int64 // if it follows no other
	patience  int64
	followers []int
	follows   bool
	contender int  // whose
	goesOn    bool // after it its contender goes on
}

// move is how a contender takes a turn: how long after its last one it comes, how long nobody
// held before it though it was there, and how long it holds.
type move struct{ think, free, hold int64 }

// turns is how a contender takes its turns, one move after the other, and from the first again.
type turns struct {
	moves []move
	next  int
	away  int64 // the longest that it was seen to stay away
}

// replayMost bounds how many turns a replay makes of one.
const replayMost = 50

// plays are the turns as they were seen, and the habits of their contenders.
func (c *Contention) plays() ([]again, []turns) {
	first, last := c.first, c.last
	usual := int64(0)
	if p, ok := c.Holds.P50(); ok {
		usual = p.Microseconds()
	}
	play := make([]again, len(c.turns))
	byGot := make([]int, 0, len(c.turns))
	latest := map[int][]int{} // of each contender, its turns
	for i, t := range c.turns {
		a := &play[i]
		a.contender, a.arrives, a.patience = t.contender, max(t.came, first), math.MaxInt64
		switch {
		case t.held:
			a.hold = within(t.got, t.gone, first, last)
			if t.gone >= last { // it holds still: for how long is not known
				a.hold = max(a.hold, usual)
			}
			byGot = append(byGot, i)
		default:
			a.hold = usual
			if t.gone < last {
				a.patience = t.gone - a.arrives
			}
		}
		best := -1
		for _, j := range latest[t.contender] {
			if g := c.turns[j].gone; g >= first && g <= t.came && (best < 0 || g > c.turns[best].gone) {
				best = j
			}
		}
		if best >= 0 {
			a.think, a.follows = t.came-c.turns[best].gone, true
			play[best].followers = append(play[best].followers, i)
		}
		latest[t.contender] = append(latest[t.contender][max(0, len(latest[t.contender])-3):], i)
	}
	slices.SortFunc(byGot, func(i, j int) int { return cmp.Compare(c.turns[i].got, c.turns[j].got) })
	over := first
	for _, i := range byGot {
		t := c.turns[i]
		play[i].free = max(0, t.got-max(t.came, over))
		over = max(over, t.gone)
	}
	return play, c.habits(play, latest)
}

// habits are those of the contenders, by the turns that they took. One that was seen to come
// only once has those of all others together, if most of them came again.
func (c *Contention) habits(play []again, of map[int][]int) []turns {
	all := make([]turns, len(of))
	var any turns
	again := 0
	for i := range play {
		if a := &play[i]; a.follows && c.turns[i].held {
			for _, h := range []*turns{&all[a.contender], &any} {
				h.moves, h.away = append(h.moves, a.move), max(h.away, a.think)
			}
			if len(all[a.contender].moves) == 1 {
				again++
			}
		}
	}
	if len(any.moves) == 0 || 2*again < len(all) {
		any = turns{}
	}
	last := c.last
	for by := range all {
		if len(all[by].moves) == 0 {
			all[by] = any
		}
	}
	for i := range play {
		a := &play[i]
		h := &all[a.contender]
		a.goesOn = len(a.followers) == 0 && len(h.moves) > 0 && a.patience == math.MaxInt64 && last-c.turns[i].gone <= h.away
	}
	return all
}

// goOn is the next turn of a contender who left the lock at a time; away is for how long it had
// stayed away at least when nothing was seen any more.
func (t *turns) goOn(by int, left, away int64) again {
	m := t.moves[t.next%len(t.moves)]
	t.next++
	m.think = max(m.think, away)
	return again{move: m, contender: by, arrives: left + m.think, patience: math.MaxInt64, goesOn: true}
}

// replay plays the turns with that share of each hold, and says how long all together waited;
// false if there were too many.
func (c *Contention) replay(share float64) (time.Duration, bool) {
	first, last := c.first, c.last
	play, habits := c.plays()
	seen := len(play)
	var due arrivals
	for i := range play {
		if !play[i].follows {
			due = append(due, arrival{play[i].arrives, i})
		}
	}
	heap.Init(&due)
	var sum int64
	for free := first; len(due) > 0; {
		next := heap.Pop(&due).(arrival)
		a := &play[next.i]
		begin := max(next.at, free) + a.free
		end := begin + int64(float64(a.hold)*share)
		if begin-next.at >= a.patience {
			begin = next.at + a.patience
			end = begin
		} else {
			free = end
		}
		sum += within(next.at, begin, first, last)
		for _, j := range a.followers {
			heap.Push(&due, arrival{end + play[j].think, j})
		}
		if a.goesOn && end < last {
			away := int64(0)
			if next.i < seen {
				away = max(0, last-c.turns[next.i].gone)
			}
			if n := habits[a.contender].goOn(a.contender, end, away); n.arrives < last {
				if len(play) >= replayMost*seen {
					return 0, false
				}
				play = append(play, n)
				heap.Push(&due, arrival{n.arrives, len(play) - 1})
			}
		}
	}
	return time.Duration(sum) * time.Microsecond, true
}

// arrival is when a turn joins the queue.
type arrival struct {
	at int64
	i  int
}

type arrivals []arrival

func (a arrivals) Len() int { return len(a) }
func (a arrivals) Less(i, j int) bool {
	return a[i].at < a[j].at || a[i].at == a[j].at && a[i].i < a[j].i
}
func (a arrivals) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

// Push implements heap.Interface.
func (a *arrivals) Push(x any) { *a = append(*a, x.(arrival)) }

// Pop implements heap.Interface.
func (a *arrivals) Pop() any {
	x := (*a)[len(*a)-1]
	*a = (*a)[:len(*a)-1]
	return x
}
