package dialog

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"locktop/ui/draw"
	"locktop/ui/host"
)

// onTop makes what a key does out of what it does to the dialog that is open.
func onTop[D host.Dialog](top func() host.Dialog) func(func(d D, v host.View) []host.Intent) func(host.View) []host.Intent {
	return func(f func(d D, v host.View) []host.Intent) func(host.View) []host.Intent {
		return func(v host.View) []host.Intent { return f(top().(D), v) }
	}
}

// onTopAlone does so for a key that changes the dialog alone.
func onTopAlone[D host.Dialog](top func() host.Dialog) func(func(d D)) func(host.View) []host.Intent {
	return func(f func(d D)) func(host.View) []host.Intent {
		return func(host.View) []host.Intent { f(top().(D)); return nil }
	}
}

// closes is a key that closes the dialog.
func closes(host.View) []host.Intent { return []host.Intent{host.Close{}} }

// graceTime is how long a dialog ignores the keys that confirm: one that was meant
// for the page under it must not break a lock.
const graceTime = 300 * time.Millisecond

// grace is whether that time is over.
type grace struct {
	n       int // how often it began
	elapsed bool
}

// start begins the time anew.
func (g *grace) start(d host.Dialog) host.Intent {
	g.n++
	g.elapsed = false
	n := g.n
	return host.After{For: graceTime, To: d, Then: func() { g.elapsed = n == g.n }}
}

// size is how many lines a box has had. It keeps them while its text gets shorter.
type size struct{ lines int }

// keep fills the text up to that size, of at most h lines. What to press stays the last line.
func (s *size) keep(text [][]draw.Span, h int) [][]draw.Span {
	s.lines = max(s.lines, len(text))
	last := len(text) - 1
	if n := min(s.lines, h) - len(text); n > 0 && last >= 0 {
		text = slices.Insert(text, last, make([][]draw.Span, n)...)
	}
	return text
}

// box paints a frame over the middle of the screen, in the style of a key that looks or of
// one that changes the world. inside returns what stands in it, in at most h lines of w
// cells.
func box(v host.View, frame draw.Style, lines []string, kept *size, title string, inside func(v host.View, w, h int) [][]draw.Span) []string {
	v.Th = v.Th.InBox()
	th := v.Th
	w := ansi.StringWidth(lines[0])
	bw := w
	if w >= 110 {
		bw = 92
	}
	bh := max(1, len(lines)-4)
	content := kept.keep(inside(v, bw-4, bh), bh)
	x, y := (w-bw)/2, 1+max(0, (len(lines)-2-len(content)-2)/2)
	edge := func(l, r, title string) string { return edgeOf(th, frame, bw, l, r, title) }
	painted := []string{edge(th.Sign.Box.TopLeft, th.Sign.Box.TopRight, th.Cut(title, bw-4))}
	for _, sp := range content {
		b := th.Put(nil, frame, th.Sign.Box.Left)
		b = th.Put(b, draw.Plain, " ")
		b = th.Put(append(b, th.Line(bw-4, sp, nil)...), draw.Plain, " ")
		painted = append(painted, string(th.Put(b, frame, th.Sign.Box.Left)))
	}
	painted = append(painted, edge(th.Sign.Box.BottomLeft, th.Sign.Box.BottomRight, ""))
	for i, p := range painted {
		if y+i < len(lines) {
			lines[y+i] = stamp(lines[y+i], p, x, bw, w)
		}
	}
	return lines
}

// edgeOf is the first or the last line of a box of w cells, with a title in it.
func edgeOf(th *draw.Theme, frame draw.Style, w int, left, right, title string) string {
	b := th.Put(nil, frame, left+th.Sign.Line)
	b = th.Put(b, draw.Strong, title)
	return string(th.Put(b, frame, strings.Repeat(th.Sign.Line, max(0, w-3-draw.Width(title)))+right))
}

// rowOf is a line of a box of w cells, in styles that have a ground under the cursor.
func rowOf(th *draw.Theme, frame draw.Style, w int, styles *[draw.StyleCount]string, line, right []draw.Span) string {
	b := th.Put(nil, frame, th.Sign.Box.Left)
	b, rest := th.Spans(b, line, w-2-draw.WidthOf(right), styles)
	b, _ = th.Spans(b, []draw.Span{draw.Plain.Of(draw.Blank(rest))}, rest, styles)
	b, _ = th.Spans(b, right, draw.WidthOf(right), styles)
	return string(th.Put(b, frame, th.Sign.Box.Left))
}

// stamp puts p, w cells wide, over a line of total cells at x.
func stamp(line, p string, x, w, total int) string {
	left := ansi.Truncate(line, x, "")
	right := ansi.TruncateLeft(line, x+w, "")
	for cut := x + w + 1; cut <= total && ansi.StringWidth(right) > total-x-w; cut++ { // a wide character lies across the edge
		right = ansi.TruncateLeft(line, cut, "")
	}
	b := draw.Pad([]byte(left), x-ansi.StringWidth(left))
	b = append(b, p...)
	b = draw.Pad(b, total-x-w-ansi.StringWidth(right))
	return string(append(b, right...))
}
