package timeline

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/ui/draw"
)

// Spans are how much time an axis can show, and beyond them the whole of what is known.
var Spans = []time.Duration{10 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 3 * time.Hour, 12 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}

// Usual is what an axis shows once so much was seen.
const Usual = time.Minute

// first are how much time an axis shows before: no lane begins in an empty half.
var first = []time.Duration{10 * time.Second, 15 * time.Second, 20 * time.Second, 30 * time.Second, 45 * time.Second}

// usual is what an axis shows unless a person chose otherwise, given when what is known begins.
func usual(start, now time.Time) time.Duration {
	for _, s := range first {
		if !start.IsZero() && now.Sub(start) <= s {
			return s
		}
	}
	return Usual
}

// Window is the time that is looked at. The zero value is the time that was seen, up to a minute
// of it, up to now.
type Window struct {
	span time.Duration // 0: what is usual
	end  time.Time     // zero: now
	at   time.Time     // of the cursor, zero for none
}

// WindowOf is a window that shows so much time, as far as it was seen, up to now.
func WindowOf(span time.Duration) Window { return Window{span: span} }

// Full says whether what was seen fills an axis up to its right end, where now is from then on.
func Full(start, now time.Time) bool { return start.IsZero() || now.Sub(start) >= first[0] }

// LastSeen names the time that an axis shows unless a person chose otherwise.
func LastSeen(start, now time.Time) model.Message {
	if span := usual(start, now); span < Usual {
		return model.Say("last-seconds", int(span/time.Second))
	}
	return model.Say("title-last-minute")
}

// Span returns how much time the window shows, given when what is known begins. It shows no
// more than what is usual while that has all of it, and then than the first of [Spans] that has.
func (w *Window) Span(start, now time.Time) time.Duration {
	if w.span == 0 {
		return usual(start, now)
	}
	if seen := usual(start, now); seen < Usual {
		return min(w.span, seen)
	}
	return min(w.span, widest(start, now))
}

// widest is the first span that has all that is known.
func widest(start, now time.Time) time.Duration {
	for _, s := range Spans {
		if start.IsZero() || now.Sub(start) <= s {
			return s
		}
	}
	return now.Sub(start)
}

// Zoom shows less time if in, else more, around the cursor as far as there is one.
func (w *Window) Zoom(in bool, start, now time.Time) {
	span := w.Span(start, now)
	i := slices.IndexFunc(Spans, func(s time.Duration) bool { return s >= span })
	switch {
	case i < 0:
		i = len(Spans)
	case in:
		i = max(0, i-1)
	default:
		i++
	}
	to := widest(start, now)
	if i < len(Spans) {
		to = min(to, Spans[i])
	}
	w.span = to
	if !w.at.IsZero() {
		w.reveal(start, now)
	}
}

// End returns the end of the window.
func (w *Window) End(now time.Time) time.Time {
	if w.end.IsZero() {
		return now
	}
	return w.end
}

// fills says that the axis begins with what is known, and now has not reached its right end yet.
func (w *Window) fills(start, now time.Time) bool {
	span := w.Span(start, now)
	return w.end.IsZero() && !start.IsZero() && span <= first[0] && now.Sub(start) < span
}

// Shown returns the time that the window shows; it ends with the zero time if that is now.
func (w *Window) Shown(start, now time.Time) (from, to time.Time) {
	return w.End(now).Add(-w.Span(start, now)), w.end
}

// Pan moves the window by tenths of what it shows. At the end it follows again.
func (w *Window) Pan(tenths int, start, now time.Time) {
	span := w.Span(start, now)
	end := w.End(now).Add(span * time.Duration(tenths) / 10)
	if first := start.Add(span); !start.IsZero() && end.Before(first) {
		end = first
	}
	if w.end = end; !end.Before(now) {
		w.end = time.Time{}
	}
}

// At returns where the cursor is, zero for now.
func (w *Window) At() time.Time { return w.at }

// Go puts the cursor at a time, and shows it.
func (w *Window) Go(at time.Time, start, now time.Time) {
	w.at = at
	w.reveal(start, now)
}

// reveal moves the window so that the cursor is in it.
func (w *Window) reveal(start, now time.Time) {
	span := w.Span(start, now)
	if end := w.End(now); w.at.Before(end.Add(-span)) || !w.at.Before(end) {
		w.end = w.at.Add(span / 2)
		if !w.end.Before(now) {
			w.end = time.Time{}
		}
	}
}

// Now goes back to now, and says whether it was elsewhere.
func (w *Window) Now() bool {
	past := w.Past()
	w.end, w.at = time.Time{}, time.Time{}
	return past
}

// Past says whether another time is shown, or stood at, than now.
func (w *Window) Past() bool { return !w.end.IsZero() || !w.at.IsZero() }

// AsOf says at which moment the cursor stands, the zero Message for now.
func (w *Window) AsOf(now time.Time) model.Message {
	switch {
	case !w.at.IsZero():
		return model.Say("as-of", model.Verbatim(w.at.Format("15:04:05")), model.Verbatim(draw.Age(now.Sub(w.at), false)))
	case !w.end.IsZero():
		return model.Say("up-to", model.Verbatim(w.end.Format("15:04:05")), model.Verbatim(draw.Age(now.Sub(w.end), false)))
	}
	return model.Message{}
}

// Label names the span in words.
func (w *Window) Label(th *draw.Theme, start, now time.Time) string {
	span := w.Span(start, now)
	words := spanWords(span)
	switch {
	case !w.end.IsZero():
		return th.Message(words)
	case w.fills(start, now):
		return th.Say("first-span", words)
	case !start.IsZero() && now.Sub(start) > Usual && span >= widest(start, now):
		return th.Say("last-all-that-was-seen", words)
	}
	return th.Say("last-span", words)
}

func spanWords(d time.Duration) model.Message {
	switch {
	case d == time.Minute:
		return model.Say("span-minute")
	case d == time.Hour:
		return model.Say("span-hour")
	case d >= time.Hour && d%time.Hour == 0:
		return model.Say("span-hours", int(d/time.Hour))
	case d >= time.Minute && d%time.Minute == 0:
		return model.Say("span-minutes", int(d/time.Minute))
	case d < time.Minute:
		return model.Say("span-seconds", int(d/time.Second))
	}
	return model.Say("quote", d)
}

// Scale says which time the cells of a line are.
type Scale struct {
	From, Slot int64 // µs since 1970, and µs
	Cells      int
	Now        int64 // µs
	At         int64 // of the cursor in µs, 0 for none
}

// Scale cuts the window into n cells. It moves on by whole cells, so that what is over keeps its shape.
func (w *Window) Scale(start, now time.Time, n int) Scale {
	n = max(1, n)
	span := w.Span(start, now).Microseconds()
	slot := max(1, span/int64(n*draw.Slots))
	end, step := w.End(now), slot*draw.Slots
	if w.fills(start, now) { // it does not move yet
		end, step = start.Add(w.Span(start, now)), slot
	}
	to := (end.UnixMicro() + step - 1) / step * step
	sc := Scale{From: to - slot*int64(n*draw.Slots), Slot: slot, Cells: n, Now: now.UnixMicro()}
	if !w.at.IsZero() {
		sc.At = w.at.UnixMicro()
	}
	return sc
}

// UpTo is the scale where something was seen up to a time, which may be later than the time of day
// that a page shows.
func (s Scale) UpTo(seen time.Time) Scale {
	s.Now = max(s.Now, seen.UnixMicro())
	return s
}

// Cursor returns which cell the cursor is in, -1 for none.
func (s Scale) Cursor() int {
	if c := s.Cell(s.At); s.At != 0 && c < s.Cells {
		return c
	}
	return -1
}

// To is the end of the last cell.
func (s Scale) To() int64 { return s.From + s.Slot*int64(s.Cells*draw.Slots) }

// Cell returns which cell shows a time, from 0; less, or Cells and more, if none does.
func (s Scale) Cell(us int64) int {
	d := us - s.From
	if d < 0 {
		return -1
	}
	return int(d / (s.Slot * draw.Slots))
}

// first is the first slot whose middle is not before a time, within the part of the scale that is
// over.
func (s Scale) first(us int64) int {
	n := s.Cells * draw.Slots
	if s.Now < s.To() {
		n = max(0, int((s.Now-s.From+s.Slot-1)/s.Slot))
	}
	d := us - s.From - s.Slot/2
	if d <= 0 {
		return 0
	}
	return int(min(int64(n), (d+s.Slot-1)/s.Slot))
}

// Ruler writes the time over the cells: how long ago, and at the right end now, or which moment
// is shown.
func (s Scale) Ruler(th *draw.Theme, w *Window, now time.Time) []draw.Span {
	span := time.Duration(s.Slot*int64(s.Cells*draw.Slots)) * time.Microsecond
	line := []rune(strings.Repeat(th.Sign.LaneFree, s.Cells))
	put := func(at int, text string) { copy(line[at:], []rune(text)) }
	step := tick(span, s.Cells)
	to := time.UnixMicro(s.To())
	shift := now.Sub(to)
	if -shift <= time.Duration(s.Slot*draw.Slots)*time.Microsecond && shift < 0 {
		shift = 0 // within the last cell; else the ticks would tremble
	}
	last := th.Say("now")
	switch {
	case !w.end.IsZero():
		last = w.end.Format("15:04:05")
	case !w.at.Before(now) && !w.at.IsZero(): // an earlier moment is shown as a whole
		last = w.at.Format("15:04:05")
	}
	last += th.Sign.Dwn
	free := s.Cells - draw.Width(last)
	if ahead := s.To() - now.UnixMicro(); ahead > s.Slot*draw.Slots { // the axis fills from the left
		return s.fillingRuler(th, line, last, first[0], time.UnixMicro(s.Now))
	}
	cursor, moment := s.cursorLabel(th, w)
	covered := func(at, n int) bool { return cursor >= 0 && at < cursor+len(moment) && cursor < at+n }
	for ago := (shift/step + 1) * step; ago-shift <= span; ago += step {
		at := s.Cells - int(int64(ago-shift)*int64(s.Cells)/int64(span))
		text := th.Sign.Tick + "-" + agoWords(ago) + " "
		if n := len([]rune(text)); at >= 0 && at+n < free && !covered(at, n) {
			put(at, text)
		}
	}
	if free > 0 && !covered(free, s.Cells-free) {
		line = append(line[:free], []rune(last)...)
	}
	if cursor < 0 {
		return []draw.Span{draw.Dim.Of(string(line))}
	}
	return []draw.Span{draw.Dim.Of(string(line[:cursor])), draw.Strong.Of(string(moment)), draw.Dim.Of(string(line[cursor+len(moment):]))}
}

// fillingRuler is the ruler while now has not reached the right end: it counts from the beginning.
func (s Scale) fillingRuler(th *draw.Theme, line []rune, last string, all time.Duration, now time.Time) []draw.Span {
	at := max(0, min(s.Cell(now.UnixMicro())+1, s.Cells)-draw.Width(last))
	for _, since := range []time.Duration{0, all / 2, all} {
		text := th.Sign.Tick + agoWords(since)
		from := int(int64(s.Cells) * int64(since) / int64(all))
		if since == all {
			text = agoWords(since) + th.Sign.Tick
			from -= len([]rune(text))
		}
		if n := len([]rune(text)); from+n < at || from > at+len([]rune(last)) {
			copy(line[from:], []rune(text))
		}
	}
	return []draw.Span{draw.Dim.Of(string(line[:at]) + last + string(line[min(len(line), at+draw.Width(last)):]))}
}

// cursorLabel is the time of the cursor over its cell, and where it begins; -1: it is not in view.
func (s Scale) cursorLabel(th *draw.Theme, w *Window) (at int, text []rune) {
	if at = s.Cursor(); at < 0 {
		return -1, nil
	}
	text = []rune(th.Sign.Dwn + " " + w.at.Format("15:04:05") + " ")
	if at+len(text) > s.Cells && at >= len(text)-1 {
		text = []rune(" " + w.at.Format("15:04:05") + " " + th.Sign.Dwn)
		at -= len(text) - 1
	}
	return at, text[:min(len(text), s.Cells-at)]
}

func agoWords(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < 2*time.Minute || d%time.Minute != 0:
		return model.Duration(d, false)
	case d < 2*time.Hour:
		return model.Ticks(d)
	}
	return model.Duration(d, false)
}

// tick is how far apart the words of a ruler stand, at least 12 cells.
func tick(span time.Duration, cells int) time.Duration {
	for _, d := range []time.Duration{time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 20 * time.Second, 30 * time.Second, time.Minute,
		2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour} {
		if int64(d)*int64(cells)/int64(span) >= 12 {
			return d
		}
	}
	return max(span, 24*time.Hour)
}
