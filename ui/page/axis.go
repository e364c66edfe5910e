package page

import (
	"slices"
	"time"

	"locktop/model/keyspace"
	"locktop/model/outlook"
	"locktop/ui/axis"
	"locktop/ui/draw"
)

// Axis is the time that is looked at, and what paints it. All pages that show one look at
// the same.
type Axis struct {
	axis.Window
	axis.Brush
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
	of    pastOf
	lines []string
}

type pastOf struct {
	lock       string
	version    uint64
	now, event time.Time
	th         *draw.Theme
	w, rows    int
	window     axis.Window
}

// Whole is the frame of all that was seen of a recording, also where an earlier moment is shown.
func (f Frame) Whole() Frame {
	if f.Ahead != nil {
		f.S, f.Now = f.Ahead, f.Ahead.Now().Truncate(time.Second)
		if f.Latest.After(f.Now) {
			f.Now = f.Latest
		}
	}
	return f
}

// Lanes returns the lines of at most n lanes of a lock.
func (f Frame) Lanes(l *keyspace.Lock, w, n int) []string {
	x := &f.Board.Axis
	of := pastOf{l.Name, l.Version(), f.Now, f.S.Now(), f.Th, w, n, x.Window}
	if x.last.of != of {
		all := x.Brush.Of(f.View, &x.Window, l.Name, n, axis.PictureCells(w))
		x.last = past{of, all.Lines(nil, f.View, w)}
	}
	return x.last.lines
}

// minute is the last minute of a lock as it was painted, and what from.
type minute struct {
	version uint64
	scale   axis.Scale
	trouble bool
	th      *draw.Theme
	spans   []draw.Span
}

// minutesKept bounds how many of them are kept: more than any screen shows.
const minutesKept = 512

// LastMinute paints the last minute of a lock, unless it looks as it did.
func (f Frame) LastMinute(l *keyspace.Lock, now time.Time, cells int) []draw.Span {
	x := &f.Board.Axis
	var last axis.Window
	whole := last.Scale(time.Time{}, now, cells)
	sc := whole
	sc.Now = 0 // what it is now is in the version
	trouble := outlook.Of(l).Trouble()
	if m, ok := x.minutes[l.Name]; ok && m.version == l.Version() && m.scale == sc && m.trouble == trouble && m.th == f.Th {
		return m.spans
	}
	if x.minutes == nil || len(x.minutes) >= minutesKept {
		x.minutes = map[string]minute{}
	}
	row := x.Brush.Row(f.S, l.Name, whole, !trouble, false)
	m := minute{l.Version(), sc, trouble, f.Th, f.Th.LaneCells(row.Cells)}
	x.minutes[l.Name] = m
	return m.spans
}

// AxisKeys are the keys of a page with an axis. events are the moments of what it shows, by
// their time.
func AxisKeys(events func(f Frame, from, to time.Time) []time.Time) []Key {
	do := func(g func(f Frame)) func(f Frame) Request {
		return func(f Frame) Request { g(f.Whole()); return Request{} }
	}
	start := func(f Frame) time.Time { return f.S.Book.Start() }
	return []Key{
		{Keys: []string{"z", "+", "="}, Group: KeysOfParts, Short: "zoom", What: "less time, in more detail", Do: do(func(f Frame) { f.Axis.Zoom(true, start(f), f.Now) })},
		{Keys: []string{"_", "Z"}, Group: KeysOfParts, What: "more time, up to all that was seen", Do: do(func(f Frame) { f.Axis.Zoom(false, start(f), f.Now) })},
		{Keys: []string{"left"}, Group: KeysOfParts, What: "earlier", Do: do(func(f Frame) { f.Axis.Pan(-1, start(f), f.Now) })},
		{Keys: []string{"right"}, Group: KeysOfParts, What: "later", Do: do(func(f Frame) { f.Axis.Pan(1, start(f), f.Now) })},
		{Keys: []string{"["}, Group: KeysOfParts, What: "to the event before", Do: do(func(f Frame) { toEvent(f, events, -1) })},
		{Keys: []string{"]"}, Group: KeysOfParts, What: "to the event after", Do: do(func(f Frame) { toEvent(f, events, 1) })},
		{Keys: []string{"0"}, Group: KeysOfParts, What: "back to now", Do: do(func(f Frame) { f.Axis.Now() })},
	}
}

// toEvent moves the cursor to the next event in a direction. It looks at a part of the past
// first, and at more of it only if nothing is there.
func toEvent(f Frame, events func(f Frame, from, to time.Time) []time.Time, by int) {
	start, now := f.S.Book.Start(), f.Exact()
	at := f.Axis.At()
	if at.IsZero() {
		at = f.Axis.End(now)
	}
	if start.IsZero() { // nothing was listed yet
		return
	}
	for reach := f.Axis.Span(start, now); ; reach *= 8 {
		from, to := at.Add(time.Microsecond), now.Add(time.Microsecond)
		if by < 0 {
			from, to = later(start, at.Add(-reach)), at
		} else if t := at.Add(reach); t.Before(to) {
			to = t
		}
		all := events(f, from, to)
		switch {
		case len(all) > 0 && by < 0:
			f.Axis.Go(all[len(all)-1], start, now)
			return
		case len(all) > 0:
			f.Axis.Go(all[0], start, now)
			return
		case by > 0 && to.After(now):
			f.Axis.Now()
			return
		case by < 0 && !from.After(start):
			return
		}
	}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// LockEvents are the moments of the selected lock: each that came, got the lock or went, and
// the marks.
func LockEvents(f Frame, from, to time.Time) []time.Time {
	return EventsOf(f, f.Locks.Pick.ID, from, to)
}

// EventsOf are the moments of a lock in that time.
func EventsOf(f Frame, lock string, from, to time.Time) []time.Time {
	var all []time.Time
	add := func(at time.Time) {
		if !at.IsZero() && !at.Before(from) && at.Before(to) {
			all = append(all, at)
		}
	}
	for x := range f.S.Book.Stays(lock, from, to) {
		add(x.Came)
		add(x.Got)
		add(x.Gone)
	}
	for _, m := range f.S.Book.Marks(lock, from, to) {
		add(m.At)
	}
	slices.SortFunc(all, time.Time.Compare)
	return all
}

// AsOf says at which moment the cursor stands, and the way back; nothing for now.
func (f Frame) AsOf() []draw.Span {
	if text := f.Axis.AsOf(f.Whole().Now); text != "" {
		return []draw.Span{draw.Late.Of("  " + text + "  "), draw.Accent.Of("esc"), draw.Dim.Of(" now")}
	}
	return nil
}
