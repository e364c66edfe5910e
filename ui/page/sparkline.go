package page

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/ui/draw"
)

// Sparkline is how much happens: handovers, and how many wait, in steps of time up to now. It is
// that of the state: one of a moment that was gone to knows what was before.
type Sparkline struct {
	begun              time.Time // what was before is not counted
	now                int64     // the step that goes on
	second             int64
	minute             int // handovers of the last minute
	handovers, waiting [sparklineSteps]int
	waits              int // now

	asked [model.RequestKinds][sparklineSteps]int // our own requests, the most of ten seconds in each step
}

// A sparkline goes back for sparklineSteps steps.
const (
	sparklineStep  = 10 * time.Second
	sparklineSteps = 8
)

// Update counts what happened up to now, and notes how many wait. Where time goes back it begins
// anew, and while a watch is lost it stands.
func (sl *Sparkline) Update(s *store.View, waiting int, now time.Time) {
	if now.IsZero() || !s.Coverage().Loaded() || Fresh(s).State == locks.Lost { // that nothing is seen is no calm
		return
	}
	const perStep, last = int64(sparklineStep / time.Second), sparklineSteps - 1
	second := now.Unix()
	step := second / perStep
	if sl.begun.IsZero() || second < sl.second {
		*sl = Sparkline{begun: s.Timeline().Start(), now: step}
		if sl.begun.IsZero() {
			sl.begun = now
		}
		sl.waited(s, now)
	}
	sl.now, sl.second = max(sl.now, step-sparklineSteps), second
	for ; sl.now < step; sl.now++ {
		copy(sl.waiting[:], sl.waiting[1:])
		sl.waiting[last] = sl.waits // as many as before: no event came
		for kind := range sl.asked {
			copy(sl.asked[kind][:], sl.asked[kind][1:])
			sl.asked[kind][last] = 0
		}
	}
	sl.minute, sl.handovers = 0, [sparklineSteps]int{}
	for at := second; at/perStep > step-sparklineSteps; at-- {
		n := s.Timeline().HandoversIn(at)
		if sl.handovers[last-int(step-at/perStep)] += n; second-at < 60 {
			sl.minute += n
		}
	}
	sl.waiting[last] = max(sl.waiting[last], waiting)
	sl.waits = waiting
}

// Asks notes how many requests of each kind are made in a second.
func (sl *Sparkline) Asks(by [model.RequestKinds]float64) {
	for kind, n := range by {
		last := &sl.asked[kind][sparklineSteps-1]
		*last = max(*last, int(n*10+0.5))
	}
}

// waited takes in how many waited before the sparkline began, as the timeline has it: the
// most at once in each step.
func (sl *Sparkline) waited(s *store.View, now time.Time) {
	const perStep = int64(sparklineStep / time.Second)
	from := time.Unix((sl.now-sparklineSteps+1)*perStep, 0)
	type turn struct {
		at time.Time
		by int
	}
	var turns []turn
	of := map[string]bool{}
	add := func(name string) bool {
		if of[name] {
			return true
		}
		of[name] = true
		for x := range s.Timeline().Spans(name, from, now.Add(time.Nanosecond)) {
			end := x.Got
			if end.IsZero() {
				end = x.Gone
			}
			if !end.IsZero() && (!end.After(x.Came) || !end.After(from)) {
				continue
			}
			turns = append(turns, turn{x.Came, 1})
			if !end.IsZero() {
				turns = append(turns, turn{end, -1})
			}
		}
		return true
	}
	for _, l := range s.Locks() {
		add(l.Name)
	}
	s.Timeline().Names(add)
	slices.SortStableFunc(turns, func(a, b turn) int { return cmp.Or(a.at.Compare(b.at), a.by-b.by) })
	n := 0
	for i := range sl.waiting {
		end := from.Add(time.Duration(i+1) * sparklineStep)
		sl.waiting[i] = n
		for len(turns) > 0 && turns[0].at.Before(end) && !turns[0].at.After(now) {
			n += turns[0].by
			sl.waiting[i], turns = max(sl.waiting[i], n), turns[1:]
		}
	}
	sl.waits = n
}

// Handovers are those of the last minute as a graph and a number, with a plus as long as no
// minute was seen; nothing where there were none.
func (sl *Sparkline) Handovers(th *draw.Theme, now time.Time) []draw.Span {
	n := sl.minute
	if n == 0 && sum(sl.handovers[:]) == 0 {
		return nil
	}
	more := ""
	if now.Sub(sl.begun) < time.Minute {
		more = "+"
	}
	return sl.graph(th, th.Say("handovers-a-minute"), sl.handovers[:], draw.ToneHold, strconv.Itoa(n)+more)
}

// Waiting are those who wait, all together; nothing where nobody did.
func (sl *Sparkline) Waiting(th *draw.Theme) []draw.Span {
	if sum(sl.waiting[:]) == 0 {
		return nil
	}
	return sl.graph(th, th.Say("waiting"), sl.waiting[:], draw.ToneDepth, strconv.Itoa(sl.waits))
}

// graph has room for three digits, so that what stands beside it stays where it is.
func (sl *Sparkline) graph(th *draw.Theme, name string, steps []int, t draw.Tone, number string) []draw.Span {
	return []draw.Span{draw.Dim.Of(name), draw.Plain.Of(" "), th.Bars(steps, 1, t), draw.Plain.Of(draw.Blank(1+max(0, 3-len(number))) + number)}
}

func sum(of []int) (n int) {
	for _, x := range of {
		n += x
	}
	return n
}
