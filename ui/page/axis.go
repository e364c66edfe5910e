package page

import (
	"slices"
	"time"

	"locktop/model"
	"locktop/ui/axis"
	"locktop/ui/draw"
)

// Axis is the time that is looked at, and what paints it. All pages that show one look at
// the same.
type Axis struct {
	axis.Window
	axis.Brush
	minutes map[string]minute
	last    past
}

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

// lanes returns the lines of at most n lanes of a lock.
func (f Frame) lanes(l *model.Lock, w, n int) []string {
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

// lane paints the last minute of a lock, unless it looks as it did.
func (f Frame) lane(l *model.Lock, now time.Time, cells int) []draw.Span {
	x := &f.Board.Axis
	var last axis.Window
	sc := last.Scale(time.Time{}, now, cells)
	sc.Now = 0 // what it is now is in the version
	trouble := l.Condition().Trouble()
	if m, ok := x.minutes[l.Name]; ok && m.version == l.Version() && m.scale == sc && m.trouble == trouble && m.th == f.Th {
		return m.spans
	}
	if x.minutes == nil || len(x.minutes) >= minutesKept {
		x.minutes = map[string]minute{}
	}
	row := x.Brush.Row(f.S, l.Name, last.Scale(time.Time{}, now, cells), !trouble, false)
	m := minute{l.Version(), sc, trouble, f.Th, f.Th.LaneCells(row.Cells)}
	x.minutes[l.Name] = m
	return m.spans
}

// happening is a moment to which the cursor goes.
type happening struct {
	At   time.Time
	Text string // "" for what the journal says best
}

// axisKeys are the keys of a page with an axis. events are the moments of what it shows, by
// their time.
func axisKeys(events func(f Frame, from, to time.Time) []happening) []Key {
	do := func(g func(f Frame)) func(f Frame) Request {
		return func(f Frame) Request { g(f); return Request{} }
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

// toEvent moves the cursor to the next event in a direction.
func toEvent(f Frame, events func(f Frame, from, to time.Time) []happening, by int) {
	from, to, now := f.S.Book.Start(), f.Exact().Add(time.Microsecond), f.Exact()
	at := f.Axis.At()
	if at.IsZero() {
		at = f.Axis.End(now)
	}
	if by < 0 {
		to = at
	} else {
		from = at.Add(time.Microsecond)
	}
	all := events(f, from, to)
	if len(all) == 0 {
		if by > 0 {
			f.Axis.Now()
		}
		return
	}
	e := all[0]
	if by < 0 {
		e = all[len(all)-1]
	}
	f.Axis.Go(e.At, e.Text, f.S.Book.Start(), now)
}

// lockEvents are the moments of the selected lock: each that came, got the lock or went, and
// the marks.
func lockEvents(f Frame, from, to time.Time) []happening {
	return eventsOf(f, f.Locks.Pick.ID, from, to)
}

func eventsOf(f Frame, lock string, from, to time.Time) []happening {
	var all []happening
	add := func(at time.Time) {
		if !at.IsZero() && !at.Before(from) && at.Before(to) {
			all = append(all, happening{At: at})
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
	slices.SortStableFunc(all, func(a, b happening) int { return a.At.Compare(b.At) })
	return all
}
