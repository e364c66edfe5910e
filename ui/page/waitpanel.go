package page

import (
	"strconv"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/timeline"
	"locktop/ui/draw"
	"locktop/ui/fields"
	"locktop/ui/table"
)

// Bounds of a panel: spansMost is about how many spans its figures are of at most, the last
// ones, and waitersMost from how many waiters on there are none: a frame has to wait for them.
const (
	spansMost   = 500
	waitersMost = 2000
	// waitPanelLeast is the width and LeastRows the height below which it says too little.
	waitPanelLeast, LeastRows = 40, 5
	nameCells                 = 6
	usualCells                = 7
	barsMost                  = 40
)

// WaitPanel is the figures of one lock. It works them out once a second, and for another time.
type WaitPanel struct {
	of    panelOf
	lines []string
}

type panelOf struct {
	lock     string
	from, to time.Time
	th       *draw.Theme
	w, h     int
}

// Lines returns h lines of w cells about a lock, in the time from one moment to another: to
// the zero moment is up to now. There are none where no hold and no wait ended.
func (p *WaitPanel) Lines(f table.View, l *locks.Lock, from, to time.Time, w, h int) []string {
	of := panelOf{l.Name, from.Truncate(time.Second), to, f.Th, w, h}
	if to.IsZero() {
		of.to = f.Now
	}
	if p.of != of {
		if p.of, p.lines = of, paint(f, l, from, to, w, h); p.lines != nil {
			p.lines = draw.Fill(p.lines, w, h)
		}
	}
	return p.lines
}

func paint(f table.View, l *locks.Lock, from, to time.Time, w, h int) []string {
	th := f.Th
	if n := l.Behind(); n > waitersMost {
		return []string{th.Ruler(w, draw.Strong.Of(th.Say("how-long"))), th.Line(w, []draw.Span{draw.Dim.Of(th.Say("wait-too-many-for-figures", draw.Counted(n)))}, nil),
			th.Line(w, []draw.Span{draw.Dim.Of(th.Say("locktop-top-has-them"))}, nil)}
	}
	past := !to.IsZero()
	if !past {
		to = f.Exact()
	}
	if t := f.S.Timeline().Recent(l.Name, to, spansMost); t.After(from) {
		from = t
	}
	x := f.S.Timeline().Contention(l.Name, from, to, fields.Contender(f.S))
	if len(x.Holds) == 0 && len(x.Waits) == 0 {
		return nil
	}
	lines := []string{th.Ruler(w, draw.Strong.Of(th.Say("how-long")), draw.Dim.Of("  "+th.Say("holds-since", draw.Counted(len(x.Holds)), model.Verbatim(x.From.Format("15:04:05")))))}
	line := func(spans ...draw.Span) { lines = append(lines, th.Line(w, spans, nil)) }
	if len(x.Holds) > 0 || model.Percentile(x.Waits, 100) >= time.Millisecond { // who got it at once did not wait
		lines = append(lines, lengths(th, x, usually(l, x, past), w)...)
	}
	for _, say := range [][]draw.Span{use(th, x), fair(th, x), half(th, x)} {
		if say != nil && len(lines) < h && draw.WidthOf(say) < w {
			line(say...)
		}
	}
	if rest := h - len(lines); rest >= 2 && len(x.Pairs) > 0 {
		lines = append(lines, pairs(th, x, w, rest)...)
	}
	return lines[:min(h, len(lines))]
}

// figureName stands in front of a figure, under the title of the panel.
func figureName(said string) draw.Span { return draw.Dim.Of(" " + draw.PadTo(said, nameCells-1)) }

// usual is how long a hold and a wait take, and the title over both.
type usual struct {
	title      model.MessageID
	hold, wait time.Duration
	holds      bool // the one of holds is known
	waits      bool
}

// usually is what the lock usually takes, as its title and everything else says it; of a time that is
// past it is the median of what the bars show.
func usually(l *locks.Lock, x *timeline.Contention, past bool) usual {
	if past {
		u := usual{title: "median-word"}
		u.hold, u.holds = x.Holds.P50()
		u.wait, u.waits = x.Waits.P50()
		return u
	}
	st := l.Stats()
	return usual{"usual-word", st.HoldP50, st.WaitP50, st.Holds > 0, st.Waits > 0}
}

// lengths are the histograms of holds and of waits, on one scale.
func lengths(th *draw.Theme, x *timeline.Contention, u usual, w int) []string {
	waits := x.Waits
	if !x.Visible {
		waits = nil
	}
	cells := min(barsMost, w-nameCells-usualCells-2) // a margin at the right
	scale := scaleOf(x.Holds, waits, cells)
	lines := []string{th.Line(w, []draw.Span{draw.Dim.Of(draw.Blank(nameCells) + scale.ruler() + " "), draw.Dim.Of("  " + th.Say(u.title))}, nil)}
	for _, r := range []struct {
		name, said string
		of         timeline.Durations
		tone       draw.Tone
		usual      time.Duration
		known      bool
	}{{"hold", th.Say("hold"), x.Holds, draw.ToneHold, u.hold, u.holds}, {"wait", th.Say("wait"), waits, draw.ToneDepth, u.wait, u.waits && x.Visible}} {
		text := "?"
		switch {
		case r.known:
			text = model.Duration(r.usual, false)
		case x.Visible || r.name == "hold":
			text = "-"
		}
		lines = append(lines, th.Line(w, []draw.Span{figureName(r.said), th.Bars(scale.counts(r.of), 1, r.tone),
			draw.Plain.Of(draw.Blank(1+usualCells-draw.Width(text)) + text)}, nil))
	}
	return lines
}

// scale is what the cells of a histogram are.
type scale struct {
	each  time.Duration
	cells int
}

// scaleOf is a round scale for all lengths but the longest hundredth, which stand in its last
// cell.
func scaleOf(a, b timeline.Durations, cells int) scale {
	longest := max(model.Percentile(a, 99), model.Percentile(b, 99), time.Millisecond)
	each := time.Duration(1)
	for _, next := range [...]time.Duration{time.Microsecond, time.Millisecond, time.Second, time.Minute, time.Hour} {
		for _, n := range [...]time.Duration{1, 2, 5, 10, 20, 50, 100, 200, 500} {
			if each = n * next; each*time.Duration(cells) > longest {
				return scale{each, cells}
			}
		}
	}
	return scale{each, cells}
}

func (s scale) counts(all timeline.Durations) []int {
	n := make([]int, s.cells)
	for _, d := range all {
		n[min(int(d/s.each), s.cells-1)]++
	}
	return n
}

// ruler names the beginning of every tenth cell.
func (s scale) ruler() string {
	b := []byte(draw.Blank(s.cells))
	for at := 0; at < s.cells; at += 10 {
		text := "0"
		if at > 0 {
			text = brief(time.Duration(at) * s.each)
		}
		if at+len(text) <= len(b) {
			copy(b[at:], text)
		}
	}
	return string(b)
}

// brief writes a length without the digits that a ruler has no room for.
func brief(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return strconv.Itoa(int(d/time.Microsecond)) + "us"
	case d < 10*time.Millisecond && d%time.Millisecond != 0:
		return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64) + "ms"
	case d < time.Second:
		return strconv.Itoa(int(d/time.Millisecond)) + "ms"
	case d < 10*time.Second && d%time.Second != 0:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
	}
	return model.Ticks(d)
}

// use says for how much of the time somebody held.
func use(th *draw.Theme, x *timeline.Contention) []draw.Span {
	var convoy model.Message
	if x.Visible && x.Convoy() {
		convoy = model.Say("a-convoy")
	}
	return []draw.Span{figureName(th.Say("busy")), draw.Plain.Of(th.Say("held-of-the-time", model.Verbatim(fields.Percent(x.Utilisation())), convoy))}
}

// fair says how fair it is, as far as that is known.
func fair(th *draw.Theme, x *timeline.Contention) []draw.Span {
	if !x.Visible || x.Fairness == 0 {
		return nil
	}
	over := th.Say("nobody-was-overtaken")
	if x.Bypass > 0 {
		over = th.Say("one-was-overtaken", x.Bypass)
	}
	return []draw.Span{figureName(th.Say("fair")), draw.Plain.Of(over + " "), draw.Strong.Of(fields.Percent(x.Fairness))}
}

// half says what shorter holds would have changed, where a replay gives what was.
func half(th *draw.Theme, x *timeline.Contention) []draw.Span {
	d, ok := x.WhatIf(0.5)
	if !ok || x.TotalWait == 0 {
		return nil
	}
	return []draw.Span{figureName(th.Say("if")), draw.Plain.Of(th.Say("half-as-long", d, model.Span{For: x.TotalWait, AtLeast: x.Unseen > 0}))}
}

// pairs are who waited for whom, the longest in all first; nil where not one has room.
func pairs(th *draw.Theme, x *timeline.Contention, w, h int) []string {
	lines := []string{th.Ruler(w, draw.Dim.Of(th.Say("who-waited-for-whom")))}
	n := min(h-1, len(x.Pairs))
	if n < len(x.Pairs) || x.PairsCut {
		n = min(n, h-2)
	}
	if n < 1 { // there are more than have room
		return nil
	}
	for _, p := range x.Pairs[:n] {
		text := th.Say("times-so-long-longest", draw.Counted(p.Episodes), p.Total, p.Longest)
		room := max(6, (w-draw.Width(text)-9)/2)
		lines = append(lines, th.Line(w, []draw.Span{draw.Waiting.Of("  " + th.CutKey(th.Escape(p.Waiter), room)), draw.Dim.Of(" " + th.Say("waits-for-word") + " "),
			draw.Good.Of(th.CutKey(th.Escape(p.Holder), room))}, []draw.Span{draw.Dim.Of(text + " ")}))
	}
	switch more := len(x.Pairs) - n; {
	case x.PairsCut:
		lines = append(lines, th.Line(w, []draw.Span{draw.Dim.Of("  " + th.Say("and-more-there-are-too-many"))}, nil))
	case more > 0:
		lines = append(lines, th.Line(w, []draw.Span{draw.Dim.Of("  " + th.Say("and-so-many-more", more))}, nil))
	}
	return lines
}
