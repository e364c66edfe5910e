package page

import (
	"time"

	"locktop/model/locks"
	"locktop/model/status"
	"locktop/ui/draw"
	"locktop/ui/table"
	"locktop/ui/timeline"
)

// Axis is the time that is looked at, and what paints it. All pages that show one look at
// the same.
type Axis struct {
	timeline.Window
	timeline.Painter
	// Keyless is what was chosen of locks that no other page has.
	Keyless Keyless
	minutes map[string]minute
	last    past
}

// Keyless is a lock without keys that was chosen on the page of the time, and what all other
// pages had selected then: it is chosen for as long as that is. The zero value is none.
type Keyless struct{ Lock, Beside string }

// past is the lanes of a lock as they were painted last, and what from.
type past struct {
	source pastOf
	lines  []string
	words  []draw.Span
}

type pastOf struct {
	lock       string
	version    uint64
	now, event time.Time
	th         *draw.Theme
	w, rows    int
	window     timeline.Window
	title      bool
	depth      bool
}

// Lanes returns the lines of at most n lanes of a lock, under a title of their own if it is asked
// for, and what a title says of them. Where there is room for what is nice to have, a row says below
// how many waited.
func (x *Axis) Lanes(f Frame, l *locks.Lock, w, n int, title bool) (lines []string, words []draw.Span) {
	depth := f.Height >= TallFrom && w >= depthFrom && l.Recipe().WaitersVisible() && !f.Th.Asks
	of := pastOf{l.Name, f.S.VersionOf(l), f.Now, f.S.Now(), f.Th, w, n, x.Window, title, depth}
	if x.last.source != of {
		x.Painter.Lang = f.Th.Lang
		all := x.Painter.Lanes(f.View, &x.Window, l.Name, n, w, depth)
		x.last = past{source: of, words: all.Words(f.View)}
		if title {
			x.last.lines = append(x.last.lines, all.Title(f.View, w))
		}
		x.last.lines = all.Lines(x.last.lines, f.View, w)
	}
	return x.last.lines, x.last.words
}

// depthFrom is the width from which there is a row for how many waited.
const depthFrom = 100

// minute is the last minute of a lock as it was painted, and what from.
type minute struct {
	version uint64
	scale   timeline.Scale
	trouble bool
	th      *draw.Theme
	spans   []draw.Span
}

// minutesKept bounds how many of them are kept: more than any screen shows.
const minutesKept = 512

// LastMinute paints the last minute of a lock, or what was seen of it, unless it looks as it did.
func (x *Axis) LastMinute(f table.View, l *locks.Lock, now time.Time, cells int) []draw.Span {
	var last timeline.Window
	whole := last.Scale(f.S.Timeline().Start(), now, cells).UpTo(f.S.Now())
	sc := whole
	if sc.Now = 0; whole.Now < whole.To() { // what it is now is in the version
		sc.Now = whole.Now / whole.Slot
	}
	trouble := status.ConditionOf(f.S, l).Trouble()
	if m, ok := x.minutes[l.Name]; ok && m.version == f.S.VersionOf(l) && m.scale == sc && m.trouble == trouble && m.th == f.Th {
		return m.spans
	}
	if x.minutes == nil || len(x.minutes) >= minutesKept {
		x.minutes = map[string]minute{}
	}
	x.Painter.Lang = f.Th.Lang
	row := x.Painter.Row(f.S, l.Name, whole, !trouble, false)
	m := minute{f.S.VersionOf(l), sc, trouble, f.Th, f.Th.LaneCells(row.Cells)}
	x.minutes[l.Name] = m
	return m.spans
}
