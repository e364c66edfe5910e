package timeline

import (
	"slices"
	"strings"

	"locktop/ui/draw"
)

// canvas is lines on which things are put at places.
type canvas struct {
	th   *draw.Theme
	w    int
	rows [][]piece
}

type piece struct {
	x     int
	spans []draw.Span
}

func newCanvas(th *draw.Theme, w, h int) *canvas { return &canvas{th, w, make([][]piece, h)} }

// put puts something at a place where nothing is yet.
func (c *canvas) put(x, y int, spans ...draw.Span) {
	c.rows[y] = append(c.rows[y], piece{x, spans})
}

// box is a frame of w cells around two lines.
func (c *canvas) box(x, y, w int, st draw.Style, first, second []draw.Span) {
	b := c.th.Sign.Box
	c.put(x, y, st.Of(b.TopLeft+repeat(b.Top, w-2)+b.TopRight))
	for i, line := range [][]draw.Span{first, second} {
		c.put(x, y+1+i, st.Of(b.Left))
		c.put(x+2, y+1+i, line...)
		c.put(x+w-1, y+1+i, st.Of(b.Right))
	}
	c.put(x, y+3, st.Of(b.BottomLeft+repeat(b.Bottom, w-2)+b.BottomRight))
}

// across is an arrow of w cells with a word on it, as far as there is room for that.
func (c *canvas) across(x, y, w int, st draw.Style, text string, right bool) {
	line := c.th.Sign.Box.Top
	if draw.Width(text)+4 > w {
		text, _, _ = strings.Cut(text, " ")
	}
	text = " " + text + " "
	rest := w - 1 - draw.Width(text)
	shaft := repeat(line, rest/2) + text + repeat(line, rest-rest/2)
	if right {
		c.put(x, y, st.Of(shaft+c.th.Sign.Arrow))
	} else {
		c.put(x, y, st.Of(c.th.Sign.Left+shaft))
	}
}

// gapHigh is how many lines lie between the rows of boxes.
const gapHigh = 3

// down is an arrow between the rows of boxes, with a word beside it.
func (c *canvas) down(x, y int, st draw.Style, text string, down bool) {
	for i := range gapHigh {
		sign := c.th.Sign.Box.Left
		switch {
		case down && i == gapHigh-1:
			sign = c.th.Sign.Dwn
		case !down && i == 0:
			sign = c.th.Sign.Up
		}
		if i == 1 {
			sign += " " + text
		}
		c.put(x, y+i, st.Of(sign))
	}
}

func repeat(s string, n int) string { return strings.Repeat(s, max(0, n)) }

func (c *canvas) lines() []string {
	var out []string
	for _, row := range c.rows {
		slices.SortFunc(row, func(a, b piece) int { return a.x - b.x })
		var spans []draw.Span
		at := 0
		for _, p := range row {
			spans = append(spans, draw.Plain.Of(string(draw.Pad(nil, max(0, p.x-at)))))
			spans = append(spans, p.spans...)
			at = max(at, p.x) + draw.WidthOf(p.spans)
		}
		out = append(out, c.th.Line(c.w, spans, nil))
	}
	return out
}
