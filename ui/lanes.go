package ui

import (
	"slices"
	"strings"
	"time"

	"locktop/model"
)

// laneSpan is how far back the lanes go.
const laneSpan = time.Minute

// lanesLook bounds how many claims of a queue are looked at for lanes.
const lanesLook = 32

// laneName is how many cells the name of a lane has.
const laneName = 10

// lane is what one contender did for its lock in the last minute.
type lane struct {
	name   string
	spells []model.Interval
	beside []model.Overlap // when it believed to hold beside another
}

// lanes are the lanes of a lock, as far as the lab tells of it.
type lanes struct {
	all  []lane
	over []model.Overlap // of the last minute, by their beginning
}

// lanesOf collects the lanes of a lock, at most n of them.
func lanesOf(s *model.State, lock string, now time.Time, n int) lanes {
	var l lanes
	for _, o := range s.Overlaps(lock) {
		if o.To.IsZero() || o.To.After(now.Add(-laneSpan)) {
			l.over = append(l.over, o)
		}
	}
	for _, c := range s.Contenders() {
		if c.Lock != lock || len(l.all) >= n {
			continue
		}
		x := lane{name: c.Name}
		for _, sp := range s.Intervals(c.Name) {
			if sp.Lock == lock && touches(sp.From, sp.To, now.Add(-laneSpan), now) {
				x.spells = append(x.spells, sp)
			}
		}
		for _, o := range l.over {
			if o.Believer == c.Name {
				x.beside = append(x.beside, o)
			}
		}
		if len(x.spells) > 0 {
			l.all = append(l.all, x)
		}
	}
	l.addOthers(s, lock, now, n)
	return l
}

// addOthers adds the claims that stand there now and are of no contender. Of their
// past only that is known, and nothing of what they believe.
func (l *lanes) addOthers(s *model.State, lock string, now time.Time, n int) {
	k := s.Lock(lock)
	if k == nil || !k.Recipe().HasHolder || len(l.all) == 0 { // without contenders the queue says as much
		return
	}
	for i := 0; i < min(k.Len(), lanesLook) && len(l.all) < n; i++ {
		c := k.At(i)
		who := s.Who(brief(c.Ref()))
		if !k.IsClaim(c) || slices.ContainsFunc(l.all, func(x lane) bool { return x.name == who }) {
			continue
		}
		waits := model.Interval{Kind: model.IntervalWaits, From: c.Since}
		x := lane{name: who, spells: []model.Interval{waits}}
		if k.Holds(i) {
			d, _ := k.HeldFor(now)
			x.spells[0].To = now.Add(-d)
			x.spells = append(x.spells, model.Interval{Kind: model.IntervalHolds, From: x.spells[0].To})
		}
		l.all = append(l.all, x)
	}
}

// touches says whether two times overlap. The first one goes on if to is zero.
func touches(from, to, a, b time.Time) bool { return from.Before(b) && (to.IsZero() || to.After(a)) }

// laneCell is how long one cell of a lane is, for w cells: such that the lanes move by
// whole cells each second.
func laneCell(w int) time.Duration {
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
func (x *lane) mark(from, to time.Time) int {
	for _, o := range x.beside {
		if touches(o.From, o.To, from, to) {
			return besideMark
		}
	}
	mark, middle := noMark, from.Add(to.Sub(from)/2)
	for _, sp := range x.spells {
		switch {
		case sp.Kind == model.IntervalHolds && touches(sp.From, sp.To, from, to):
			return holdsMark
		case sp.Kind == model.IntervalBelieves && touches(sp.From, sp.To, middle, middle.Add(1)):
			mark = min(mark, falseMark)
		case sp.Kind == model.IntervalWaits && touches(sp.From, sp.To, from, to):
			mark = min(mark, waitsMark)
		}
	}
	return mark
}

// height is how many lines the lanes need, their ruler included.
func (l *lanes) height() int {
	if len(l.all) == 0 {
		return 0
	}
	return len(l.all) + 3
}

// lines paints the lanes.
func (l *lanes) lines(lines []string, f view, w int) []string {
	th, cell := f.th, laneCell(w-laneName-4)
	n := 0
	if cell > 0 {
		n = int(laneSpan / cell)
	}
	s := th.sign
	lines = append(lines, th.ruler(w, span{dim, "the last minute  "}, span{good, s.laneHolds}, span{dim, " holds  "}, span{waiting, s.laneWaits},
		span{dim, " waits  "}, span{alarm, s.laneFalse}, span{dim, " believes it holds, has lost it"}))
	lines = append(lines, th.line(w, []span{{dim, string(pad(nil, laneName+3)) + laneAxis(n)}}, nil))
	for i := range l.all {
		x := &l.all[i]
		name := th.cutKey(th.clean(x.name), laneName)
		spans := []span{{plain, "  " + name + string(pad(nil, laneName+1-width(name)))}}
		lines = append(lines, th.line(w, append(spans, x.paint(th, f.now, cell, n)...), nil))
	}
	return append(lines, th.line(w, l.words(f), nil))
}

// laneAxis writes the time over n cells.
func laneAxis(n int) string {
	if n < 24 {
		return ""
	}
	third := n / 3
	label := func(s string, w int) string { return s + string(pad(nil, w-len(s))) }
	return label("-60s", third) + label("-40s", third) + label("-20s", third-3) + "now"
}

// paint returns n cells up to now, runs of the same mark together.
func (x *lane) paint(th *theme, now time.Time, cell time.Duration, n int) []span {
	looks := [...]span{besideMark: {alarm, th.sign.laneFalse}, holdsMark: {good, th.sign.laneHolds}, falseMark: {bad, th.sign.laneFalse},
		waitsMark: {waiting, th.sign.laneWaits}, noMark: {plain, " "}}
	var spans []span
	run, last := 0, noMark
	flush := func() {
		if run > 0 {
			spans = append(spans, span{looks[last].st, strings.Repeat(looks[last].text, run)})
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
func (l *lanes) words(f view) []span {
	th := f.th
	sum := together(l.over, f.exact())
	if sum <= 0 {
		return []span{{dim, "  no two believed to hold at a time"}}
	}
	text := " !! two believed to hold at a time for " + count(sum.Milliseconds()) + " ms: "
	var pairs []string
	for _, o := range l.over {
		pair := th.cut(th.clean(o.Believer), 16) + " beside " + th.cut(th.tame(o.Who), 16)
		if !slices.Contains(pairs, pair) { // with each handover a new overlap begins
			pairs = append(pairs, pair)
		}
	}
	text += strings.Join(pairs[:min(len(pairs), 3)], ", ")
	if len(pairs) > 3 {
		text += " and more"
	}
	return []span{{plain, "  "}, {alarm, text + " "}}
}

// together is how long any of the overlaps lasted in the last minute.
func together(over []model.Overlap, now time.Time) time.Duration {
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
