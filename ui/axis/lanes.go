package axis

import (
	"slices"
	"strings"
	"time"

	"locktop/model/fold"
	"locktop/model/lab"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// laneSpan is how far back the lanes go.
const laneSpan = time.Minute

// lanesLook bounds how many claims of a queue are looked at for lanes.
const lanesLook = 32

// LaneName is how many cells the name of a lane has.
const LaneName = 10

// Lane is what one contender did for its lock in the last minute.
type Lane struct {
	name   string
	Spells []lab.Interval
	Beside []lab.Overlap // when it believed to hold beside another
}

// Lanes are the lanes of a lock, as far as the lab tells of it.
type Lanes struct {
	all  []Lane
	over []lab.Overlap // of the last minute, by their beginning
}

// LanesOf collects the lanes of a lock, at most n of them.
func LanesOf(s *fold.State, lock string, now time.Time, n int) Lanes {
	var l Lanes
	for _, o := range s.Overlaps(lock) {
		if o.To.IsZero() || o.To.After(now.Add(-laneSpan)) {
			l.over = append(l.over, o)
		}
	}
	for _, c := range s.Contenders() {
		if c.Lock != lock || len(l.all) >= n {
			continue
		}
		x := Lane{name: c.Name}
		for _, sp := range s.Intervals(c.Name) {
			if sp.Lock == lock && touches(sp.From, sp.To, now.Add(-laneSpan), now) {
				x.Spells = append(x.Spells, sp)
			}
		}
		for _, o := range l.over {
			if o.Believer == c.Name {
				x.Beside = append(x.Beside, o)
			}
		}
		if len(x.Spells) > 0 {
			l.all = append(l.all, x)
		}
	}
	l.addOthers(s, lock, now, n)
	return l
}

// addOthers adds the claims that stand there now and are of no contender. Of their
// past only that is known, and nothing of what they believe.
func (l *Lanes) addOthers(s *fold.State, lock string, now time.Time, n int) {
	k := s.Lock(lock)
	if k == nil || !k.Recipe().HasHolder || len(l.all) == 0 { // without contenders the queue says as much
		return
	}
	for i := 0; i < min(k.Len(), lanesLook) && len(l.all) < n; i++ {
		c := k.At(i)
		who := s.Who(draw.Brief(c.Ref()))
		if !k.IsClaim(c) || slices.ContainsFunc(l.all, func(x Lane) bool { return x.name == who }) {
			continue
		}
		waits := lab.Interval{Kind: lab.IntervalWaits, From: c.Since}
		x := Lane{name: who, Spells: []lab.Interval{waits}}
		if k.Holds(i) {
			d, _ := k.HeldFor(now)
			x.Spells[0].To = now.Add(-d)
			x.Spells = append(x.Spells, lab.Interval{Kind: lab.IntervalHolds, From: x.Spells[0].To})
		}
		l.all = append(l.all, x)
	}
}

// touches says whether two times overlap. The first one goes on if to is zero.
func touches(from, to, a, b time.Time) bool { return from.Before(b) && (to.IsZero() || to.After(a)) }

// LaneCell is how long one cell of a lane is, for w cells: such that the lanes move by
// whole cells each second.
func LaneCell(w int) time.Duration {
	for _, d := range []time.Duration{time.Second / 2, time.Second, 2 * time.Second, 3 * time.Second} {
		if laneSpan <= time.Duration(w)*d {
			return d
		}
	}
	return 0
}

// Marks of a cell, the one that matters more first.
const (
	besideMark = iota // believed to hold while another held
	holdsMark
	falseMark // believed to hold, and did not
	waitsMark
	noMark
)

// mark says what a lane shows for a time. What is shorter than a cell shows all the
// same, but a belief that is not true: its word comes a moment after the deed.
func (x *Lane) mark(from, to time.Time) int {
	for _, o := range x.Beside {
		if touches(o.From, o.To, from, to) {
			return besideMark
		}
	}
	mark, middle := noMark, from.Add(to.Sub(from)/2)
	for _, sp := range x.Spells {
		switch {
		case sp.Kind == lab.IntervalHolds && touches(sp.From, sp.To, from, to):
			return holdsMark
		case sp.Kind == lab.IntervalBelieves && touches(sp.From, sp.To, middle, middle.Add(1)):
			mark = min(mark, falseMark)
		case sp.Kind == lab.IntervalWaits && touches(sp.From, sp.To, from, to):
			mark = min(mark, waitsMark)
		}
	}
	return mark
}

// Height is how many lines the lanes need, their ruler included.
func (l *Lanes) Height() int {
	if len(l.all) == 0 {
		return 0
	}
	return len(l.all) + 3
}

// Lines paints the lanes.
func (l *Lanes) Lines(lines []string, f table.View, w int) []string {
	th, cell := f.Th, LaneCell(w-LaneName-4)
	n := 0
	if cell > 0 {
		n = int(laneSpan / cell)
	}
	s := th.Sign
	lines = append(lines, th.Ruler(w, draw.Dim.Of("the last minute  "), draw.Good.Of(s.LaneHolds), draw.Dim.Of(" holds  "), draw.Waiting.Of(s.LaneWaits),
		draw.Dim.Of(" waits  "), draw.Alarm.Of(s.LaneFalse), draw.Dim.Of(" believes it holds, has lost it")))
	lines = append(lines, th.Line(w, []draw.Span{draw.Dim.Of(string(draw.Pad(nil, LaneName+3)) + laneAxis(n))}, nil))
	for i := range l.all {
		x := &l.all[i]
		name := th.CutKey(th.Clean(x.name), LaneName)
		spans := []draw.Span{draw.Plain.Of("  " + name + string(draw.Pad(nil, LaneName+1-draw.Width(name))))}
		lines = append(lines, th.Line(w, append(spans, x.Paint(th, f.Now, cell, n)...), nil))
	}
	return append(lines, th.Line(w, l.words(f), nil))
}

// laneAxis writes the time over n cells.
func laneAxis(n int) string {
	if n < 24 {
		return ""
	}
	third := n / 3
	label := func(s string, w int) string { return s + string(draw.Pad(nil, w-len(s))) }
	return label("-60s", third) + label("-40s", third) + label("-20s", third-3) + "now"
}

// Paint returns n cells up to now, runs of the same mark together.
func (x *Lane) Paint(th *draw.Theme, now time.Time, cell time.Duration, n int) []draw.Span {
	looks := [...]draw.Span{besideMark: draw.Alarm.Of(th.Sign.LaneFalse), holdsMark: draw.Good.Of(th.Sign.LaneHolds), falseMark: draw.Bad.Of(th.Sign.LaneFalse),
		waitsMark: draw.Waiting.Of(th.Sign.LaneWaits), noMark: draw.Plain.Of(" ")}
	var spans []draw.Span
	run, last := 0, noMark
	flush := func() {
		if run > 0 {
			spans = append(spans, looks[last].St.Of(strings.Repeat(looks[last].Text, run)))
		}
	}
	for i := range n {
		to := now.Add(-time.Duration(n-1-i) * cell)
		m := x.mark(to.Add(-cell), to)
		if m != last {
			flush()
			run, last = 0, m
		}
		run++
	}
	flush()
	return spans
}

// words say for how long two held, and who.
func (l *Lanes) words(f table.View) []draw.Span {
	th := f.Th
	sum := Together(l.over, f.Exact())
	if sum <= 0 {
		return []draw.Span{draw.Dim.Of("  no two believed to hold at a time")}
	}
	text := " !! two believed to hold at a time for " + draw.Count(sum.Milliseconds()) + " ms: "
	var pairs []string
	for _, o := range l.over {
		pair := th.Cut(th.Clean(o.Believer), 16) + " beside " + th.Cut(th.Tame(o.Who), 16)
		if !slices.Contains(pairs, pair) { // with each handover a new overlap begins
			pairs = append(pairs, pair)
		}
	}
	text += strings.Join(pairs[:min(len(pairs), 3)], ", ")
	if len(pairs) > 3 {
		text += " and more"
	}
	return []draw.Span{draw.Plain.Of("  "), draw.Alarm.Of(text + " ")}
}

// Together is how long any of the overlaps lasted in the last minute.
func Together(over []lab.Overlap, now time.Time) time.Duration {
	var sum time.Duration
	end := now.Add(-laneSpan)
	for _, o := range over { // by their beginning
		from, to := o.From, o.To
		if to.IsZero() || to.After(now) {
			to = now
		}
		if from.Before(end) {
			from = end
		}
		if to.After(from) {
			sum += to.Sub(from)
			end = to
		}
	}
	return sum
}
