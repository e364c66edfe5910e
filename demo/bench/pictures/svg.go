package main

import (
	"fmt"
	"html"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// picture is a screen at one moment.
type picture struct {
	rows    [][]cell
	caption string
}

// film is pictures, one each frameTime.
type film []picture

const frameTime = 500 * time.Millisecond

// Measures, in pixels. A cell of most fonts of one width is six tenths as wide as it is
// high.
const (
	fontSize  = 14
	cellWide  = 8.4
	cellHigh  = 18
	margin    = 10
	wordsHigh = 34 // of the caption
)

// ground is a palette: what a terminal has for the first 16 colours, which are its own
// affair. The others are the same everywhere.
type ground struct {
	back, text, dim, caption string
	colours                  map[int]string
}

var (
	dark = ground{back: "#16181d", text: "#d7dae0", dim: "#8b919d", caption: "#ffffff", colours: map[int]string{
		1: "#ff7a80", 2: "#8cc265", 3: "#e8b765", 4: "#82aaff", 5: "#de73ff", 6: "#5fd0dc"}}
	light = ground{back: "#fbfbf8", text: "#1c1f26", dim: "#6b7280", caption: "#000000", colours: map[int]string{
		124: "#af0000", 28: "#008700", 94: "#875f00", 25: "#005faf"}}
)

// draw writes a film as SVG. Without motion it shows the last picture. A row is written
// once for all pictures in which it is the same.
func (g ground) draw(f film) string {
	poster := f[len(f)-1]
	width := px(2*margin + cellWide*float64(len(poster.rows[0])))
	height := 2*margin + cellHigh*len(poster.rows)
	if slices.ContainsFunc(f, func(p picture) bool { return p.caption != "" }) {
		height += wordsHigh
	}
	var b, style strings.Builder
	for _, t := range g.tracks(f) {
		b.WriteString(t.open(&style, len(f)) + t.body + "</g>\n")
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %d" width="%s" height="%d" font-family="'DejaVu Sans Mono',Menlo,'Cascadia Mono','Liberation Mono',monospace" font-size="%d" xml:space="preserve" shape-rendering="crispEdges" fill="%s">
<style>%s.b{font-weight:bold}.u{text-decoration:underline}
%s</style>
<rect width="100%%" height="100%%" rx="8" fill="%s"/>
%s</svg>
`, width, height, width, height, fontSize, g.text, g.classes(f), &style, g.back, &b)
}

// classes are the colours that a film has, each a class.
func (g ground) classes(f film) string {
	used := map[int]bool{}
	for _, p := range f {
		for _, row := range p.rows {
			for _, c := range row {
				used[c.colour], used[c.back] = true, true
			}
		}
	}
	delete(used, noColour)
	var b strings.Builder
	fmt.Fprintf(&b, ".d{fill:%s}.r{fill:%s}", g.dim, g.back)
	for _, n := range slices.Sorted(maps.Keys(used)) {
		fmt.Fprintf(&b, ".c%d{fill:%s}", n, g.hex(n))
	}
	return b.String()
}

// hex is a colour of the 256 of a terminal: sixteen of its own, a cube of six shades each of
// red, green and blue, and greys.
func (g ground) hex(n int) string {
	if own, ok := g.colours[n]; ok {
		return own
	}
	switch {
	case n < 16:
		return g.text
	case n < 232:
		shade := func(of int) int {
			if of == 0 {
				return 0
			}
			return 55 + 40*of
		}
		n -= 16
		return fmt.Sprintf("#%02x%02x%02x", shade(n/36), shade(n/6%6), shade(n%6))
	}
	return fmt.Sprintf("#%02[1]x%02[1]x%02[1]x", 8+10*(n-232))
}

// track is what is drawn in the same pictures.
type track struct {
	on   []bool // by picture
	name string // of its animation
	body string
}

// tracks are the rows of a film, those that come and go together in one.
func (g ground) tracks(f film) []*track {
	var list []*track
	byTime := map[string]*track{}
	add := func(body string, on []bool) {
		if body == "" {
			return
		}
		key := fmt.Sprint(on)
		t := byTime[key]
		if t == nil {
			t = &track{on: on, name: fmt.Sprintf("t%d", len(list))}
			byTime[key] = t
			list = append(list, t)
		}
		t.body += body
	}
	part := func(drawn func(picture) string) {
		seen := map[string][]bool{}
		var order []string
		for i, p := range f {
			body := drawn(p)
			if seen[body] == nil {
				seen[body] = make([]bool, len(f))
				order = append(order, body)
			}
			seen[body][i] = true
		}
		for _, body := range order {
			add(body, seen[body])
		}
	}
	for y := range f[0].rows {
		part(func(p picture) string { return g.row(p.rows[y], y) })
	}
	part(func(p picture) string {
		if p.caption == "" {
			return ""
		}
		return fmt.Sprintf(`<text class="b" fill="%s" font-size="16" x="%d" y="%d">%s</text>`, g.caption, margin+8,
			margin+cellHigh*len(p.rows)+wordsHigh-10, html.EscapeString(p.caption))
	})
	return list
}

// open begins the group of a track, and adds its animation to the style.
func (t *track) open(style *strings.Builder, pictures int) string {
	if !slices.Contains(t.on, false) {
		return "<g>"
	}
	word := map[bool]string{true: "visible", false: "hidden"}
	fmt.Fprintf(style, "@keyframes %s{", t.name)
	for i, on := range t.on {
		if i == 0 || on != t.on[i-1] {
			fmt.Fprintf(style, "%.4g%%{visibility:%s}", 100*float64(i)/float64(pictures), word[on])
		}
	}
	last := t.on[pictures-1]
	fmt.Fprintf(style, "}\n.%s{visibility:%s}@media(prefers-reduced-motion:no-preference){.%s{animation:%s %gs step-end infinite}}\n",
		t.name, word[last], t.name, t.name, float64(pictures)*frameTime.Seconds())
	return `<g class="` + t.name + `">`
}

// row draws a row: its grounds and shapes, then its words.
func (g ground) row(cells []cell, y int) string {
	var shapes, words strings.Builder
	top := margin + y*cellHigh
	for x := 0; x < len(cells); {
		from, colour, filled := x, 0, false
		for colour, filled = cells[x].ground(); x < len(cells); x++ {
			if c, f := cells[x].ground(); c != colour || f != filled {
				break
			}
		}
		if filled {
			fmt.Fprintf(&shapes, `<path d="%s"%s/>`, box(at(from), float64(top), cellWide*float64(x-from), cellHigh), class(look{colour: colour}))
		}
	}
	for _, p := range pieces(cells) {
		if p.reverse {
			p.colour, p.dim = inverse, false
			if p.back != noColour {
				p.colour = p.back
			}
		}
		switch d := shape(cells[p.from].char, p, float64(top)); {
		case d != "":
			fmt.Fprintf(&shapes, `<path d="%s"%s%s/>`, d, class(p.look), shade[cells[p.from].char])
		case p.words != "":
			fmt.Fprintf(&words, `<tspan x="%s"%s>%s</tspan>`, px(at(p.from)), class(p.look), html.EscapeString(p.words))
		}
	}
	if words.Len() == 0 {
		return shapes.String()
	}
	return fmt.Sprintf(`%s<text y="%d">%s</text>`, &shapes, top+cellHigh-5, &words)
}

// ground is the colour that fills a cell behind its character, if anything does.
func (c cell) ground() (colour int, filled bool) {
	if c.reverse {
		return c.colour, true
	}
	return c.back, c.back != noColour
}

// piece is a part of a row that is drawn at once.
type piece struct {
	from, to int
	look
	words string
}

// pieces cuts a row where its look changes, at gaps, at shapes, and behind a sign that
// another font may draw wider.
func pieces(cells []cell) []piece {
	var list []piece
	for x := 0; x < len(cells); {
		p := piece{from: x, look: cells[x].look}
		same := func() bool { return x < len(cells) && cells[x].look == p.look }
		switch c := cells[x].char; {
		case c == ' ' || drawn(c):
			for same() && cells[x].char == c {
				x++
			}
		case c > '~':
			p.words = string(c)
			x++
		default:
			for same() && cells[x].char <= '~' && !gap(cells[x:]) {
				p.words += string(cells[x].char)
				x++
			}
			p.words = strings.TrimRight(p.words, " ")
		}
		if p.to = x; p.reverse || cells[p.from].char != ' ' {
			list = append(list, p)
		}
	}
	return list
}

// gap says that two spaces begin here, or one at the end.
func gap(cells []cell) bool {
	return cells[0].char == ' ' && (len(cells) == 1 || cells[1].char == ' ')
}

// drawn says that a character is drawn as a shape.
func drawn(c rune) bool { return shape(c, piece{to: 1}, 0) != "" }

// shape is the outline of a character that has to fill its cells, whatever the font,
// or "".
func shape(c rune, p piece, top float64) string {
	box := func(x, y, w, h float64) string {
		return fmt.Sprintf("M%s %sh%sv%sh-%sz", px(x), px(y), px(w), px(h), px(w))
	}
	x, w := at(p.from), cellWide*float64(p.to-p.from)
	var d string
	switch {
	case c >= '▁' && c <= '█':
		h := cellHigh * float64(c-'▁'+1) / 8
		return box(x, top+cellHigh-h, w, h)
	case c >= '▉' && c <= '▏': // seven eighths of a cell to one
		for ; w > 1; x, w = x+cellWide, w-cellWide {
			d += box(x, top, cellWide*float64('▏'+1-c)/8, cellHigh)
		}
	case c == '─':
		return box(x, top+cellHigh/2, w, 1)
	case c == '━':
		return box(x, top+cellHigh/2-1, w, 3)
	case c == '░':
		return box(x, top, w, cellHigh)
	case c == '▚':
		for ; w > 1; x, w = x+cellWide, w-cellWide {
			d += box(x, top, cellWide/2, cellHigh/2) + box(x+cellWide/2, top+cellHigh/2, cellWide/2, cellHigh/2)
		}
	}
	return d
}

// shade is what makes a shape fainter.
var shade = map[rune]string{'░': ` opacity=".35"`}

// box is the outline of a rectangle.
func box(x, y, w, h float64) string {
	return fmt.Sprintf("M%s %sh%sv%sh-%sz", px(x), px(y), px(w), px(h), px(w))
}

// inverse is the colour of the ground, for what stands on a reversed cell.
const inverse = -2

// class is the attribute for a look, "" for none.
func class(l look) string {
	var names []string
	switch {
	case l.colour == inverse:
		names = append(names, "r")
	case l.colour != noColour:
		names = append(names, fmt.Sprintf("c%d", l.colour))
	case l.dim:
		names = append(names, "d")
	}
	if l.bold {
		names = append(names, "b")
	}
	if l.underline {
		names = append(names, "u")
	}
	if names == nil {
		return ""
	}
	return ` class="` + strings.Join(names, " ") + `"`
}

// at is the left side of a column.
func at(column int) float64 { return margin + cellWide*float64(column) }

// px is a measure with at most one decimal.
func px(v float64) string { return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0") }
