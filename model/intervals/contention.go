package intervals

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"time"

	"locktop/model"
)

// Contention is what the stays of a lock say in figures, of a time.
type Contention struct {
	// From and To bound the time: it begins no earlier than the stays are whole.
	From, To time.Time
	// Visible is false where waiting leaves no key: then nothing is known of waits.
	Visible bool
	// TotalWait is how long all together waited in that time, Waiters how many do at its end.
	TotalWait time.Duration
	Waiters   int
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

// turn is a stay in the time, in µs: waited says until when it waited. What goes on ends
// never.
type turn struct {
	came, got, gone int64
	held, known     bool // known: it was seen when it got the lock, or it did not
	who             int
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
func (b *Book) Contention(lock string, from, to time.Time, who func(model.ClaimRef) string) *Contention {
	if since := b.Since(lock); since.After(from) {
		from = since
	}
	if to.Before(from) {
		to = from
	}
	c := &Contention{From: from, To: to, TotalWait: b.Waited(lock, from, to)}
	l := b.k.Lock(lock)
	c.Visible = l != nil && l.Recipe().WaitersVisible()
	ids, names := map[string]int{}, []string(nil)
	us := func(t time.Time) int64 {
		if t.IsZero() {
			return math.MaxInt64
		}
		return t.UnixMicro()
	}
	first, last := from.UnixMicro(), to.UnixMicro()
	for s := range b.Stays(lock, from, to) {
		name := who(s.Claim)
		id, known := ids[name]
		if !known {
			id = len(names)
			ids[name], names = id, append(names, name)
		}
		t := turn{came: us(s.Came), got: us(s.Got), gone: us(s.Gone), held: !s.Got.IsZero(), known: !s.GotAtLeast, who: id, rev: s.Claim.CreateRev}
		if t.held && t.got >= last {
			t.held = false // not yet
		}
		c.turns = append(c.turns, t)
		c.Visible = c.Visible || l == nil && s.Claim.Key != lock
		if !t.held && t.gone >= last {
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
	for _, g := range b.Gaps(lock) {
		c.Unseen += time.Duration(within(g.From.UnixMicro(), us(g.To), first, last)) * time.Microsecond
	}
	holds := c.sweep(first, last)
	c.Fairness = c.fairness(len(names))
	c.pairs(names, holds, first, last)
	for _, d := range []Durations{c.Waits, c.Holds, c.Gaps} {
		slices.Sort(d)
	}
	return c
}

// sweep adds up in which time somebody held, and somebody waited, and returns the holds in
// their order.
func (c *Contention) sweep(first, last int64) (holds []turn) {
	var over int64 = math.MinInt64 // until when it was held, or waited for, so far
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
		case h.got >= over && h.got >= first:
			c.Gaps = append(c.Gaps, time.Duration(h.got-over)*time.Microsecond)
		case h.got < over:
			c.shared = true
		}
		c.Held += time.Duration(within(max(h.got, over), h.gone, first, last)) * time.Microsecond
		over = max(over, h.gone)
	}
	return holds
}

// fairness is Jain's index of the mean wait of each of the contenders of whom one is known.
func (c *Contention) fairness(contenders int) float64 {
	waits, turns := make([]float64, contenders), make([]float64, contenders)
	last := c.To.UnixMicro()
	for _, t := range c.turns {
		if t.known {
			waits[t.who] += float64(min(t.waited(), last) - t.came)
			turns[t.who]++
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
	looked := 0
	for _, w := range c.turns {
		from, end := max(w.came, first), min(w.waited(), last)
		if end <= from {
			continue
		}
		i, _ := slices.BinarySearch(reach, from+1)
		overtaken := 0
		for ; i < len(holds) && holds[i].got < end; i++ {
			if looked++; looked > overlapsMax {
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
			k := key{w.who, h.who}
			p := found[k]
			if p == nil {
				p = &Pair{Waiter: names[w.who], Holder: names[h.who]}
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

// Turns is how many stays the figures are of.
func (c *Contention) Turns() int { return len(c.turns) }

// Utilisation is the share of the time in which somebody held, 0 to 1.
func (c *Contention) Utilisation() float64 {
	if d := c.To.Sub(c.From); d > 0 {
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
	all := c.To.Sub(c.From)
	return len(c.Holds) >= convoyTurns && c.Queued >= all*99/100 && c.Holds[len(c.Holds)-1] <= all/convoyPart
}

// WhatIf returns how long all together would have waited for the same turns if each hold had
// taken that share of its time. Whoever held comes again as long after its hold as it did;
// those that never got the lock would have held it as long as is usual. It is false where a
// replay with whole holds does not give what was: where several hold together, waiters cannot
// be seen, or others than the first got the lock.
func (c *Contention) WhatIf(share float64) (time.Duration, bool) {
	if !c.Visible || c.shared || len(c.turns) == 0 {
		return 0, false
	}
	same := c.replay(1)
	if off := (same - c.TotalWait).Abs(); off > c.TotalWait/100+time.Millisecond {
		return 0, false
	}
	return c.replay(share), true
}

// again is a turn as it is played: after which it comes, and how long after that.
type again struct {
	arrives    int64
	hold, free int64 // free is how long nobody held before it, though it was there
	patience   int64
	think      int64
	followers  []int
	follows    bool
}

func (c *Contention) replay(share float64) time.Duration {
	first, last := c.From.UnixMicro(), c.To.UnixMicro()
	usual := int64(0)
	if p, ok := c.Holds.P50(); ok {
		usual = p.Microseconds()
	}
	play := make([]again, len(c.turns))
	byGot := make([]int, 0, len(c.turns))
	latest := map[int][]int{} // of each contender, its turns
	for i, t := range c.turns {
		a := &play[i]
		a.arrives, a.patience = max(t.came, first), math.MaxInt64
		if t.held {
			a.hold = within(t.got, t.gone, first, last)
			byGot = append(byGot, i)
		} else {
			a.hold = usual
			if t.gone < last {
				a.patience = t.gone - a.arrives
			}
		}
		a.hold = int64(float64(a.hold) * share)
		best := -1
		for _, j := range latest[t.who] {
			if g := c.turns[j].gone; g >= first && g <= t.came && (best < 0 || g > c.turns[best].gone) {
				best = j
			}
		}
		if best >= 0 {
			a.think, a.follows = t.came-c.turns[best].gone, true
			play[best].followers = append(play[best].followers, i)
		}
		latest[t.who] = append(latest[t.who][max(0, len(latest[t.who])-3):], i)
	}
	slices.SortFunc(byGot, func(i, j int) int { return cmp.Compare(c.turns[i].got, c.turns[j].got) })
	over := first
	for _, i := range byGot {
		t := c.turns[i]
		play[i].free = max(0, t.got-max(t.came, over))
		over = max(over, t.gone)
	}
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
		end := begin + a.hold
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
	}
	return time.Duration(sum) * time.Microsecond
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
