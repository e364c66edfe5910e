package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// line is a curve: a value for each point.
type line struct {
	name, colour string
	of           func(point) float64
}

// panel is a chart of the picture.
type panel struct {
	title string
	lines []line
}

var panels = []panel{
	{"load: seconds from process start", []line{{"ls, to its end", "#1f6feb", func(p point) float64 { return p.Load }},
		{"console, to the full page", "#cf5b00", func(p point) float64 { return p.Page }}}},
	{"memory: MiB at the peak", []line{{"ls", "#1f6feb", func(p point) float64 { return p.LsRSS }},
		{"console", "#cf5b00", func(p point) float64 { return p.RSS }}}},
	{"an event: microseconds", []line{{"in the model", "#1f6feb", func(p point) float64 { return p.Fold }},
		{"and painted", "#cf5b00", func(p point) float64 { return p.Event }}}},
	{"a frame, all of it new: microseconds", []line{{"paint", "#1f6feb", func(p point) float64 { return p.Paint }}}},
}

// Measures of the picture, in pixels.
const (
	panelWidth, panelHeight    = 430, 300
	plotLeft, plotTop          = 60, 40
	plotWidth, plotHeight      = 340, 200
	pictureTitle, pictureWidth = 50, 2 * panelWidth
)

// drawGrowth draws the points with both axes logarithmic: a cost that grows as the
// number of claims does rises by a decade from one power of ten to the next.
func drawGrowth(points []point, about string) string {
	var b strings.Builder
	height := pictureTitle + (len(panels)+1)/2*panelHeight
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12" fill="#222">`+"\n",
		pictureWidth, height)
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#fff"/><text x="20" y="22" font-size="16">What claims cost, ten of each lock</text>`+"\n")
	fmt.Fprintf(&b, `<text x="20" y="40" font-size="10" fill="#666">%s</text>`+"\n", html.EscapeString(strings.TrimSpace(about)))
	for i, p := range panels {
		fmt.Fprintf(&b, `<g transform="translate(%d %d)">`+"\n", i%2*panelWidth, pictureTitle+i/2*panelHeight)
		p.draw(&b, points)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// scale puts a range of powers of ten on pixels.
type scale struct {
	from, to     int // exponents
	start, pixel float64
}

func newScale(low, high, start, pixel float64) scale {
	s := scale{from: int(math.Floor(math.Log10(low))), to: int(math.Ceil(math.Log10(high))), start: start, pixel: pixel}
	if s.to == s.from {
		s.to++
	}
	return s
}

func (s scale) at(v float64) float64 {
	return s.start + s.pixel*(math.Log10(v)-float64(s.from))/float64(s.to-s.from)
}

// draw draws one chart.
func (p panel) draw(b *strings.Builder, points []point) {
	low, high := math.Inf(1), 0.0
	for _, l := range p.lines {
		for _, q := range points {
			low, high = min(low, l.of(q)), max(high, l.of(q))
		}
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" font-size="13" font-weight="bold">%s</text>`+"\n", plotLeft, plotTop-18, html.EscapeString(p.title))
	if low <= 0 || math.IsInf(low, 1) {
		fmt.Fprintf(b, `<text x="%d" y="%d">not measured</text>`+"\n", plotLeft, plotTop+20)
		return
	}
	x := newScale(float64(points[0].Claims), float64(points[len(points)-1].Claims), plotLeft, plotWidth)
	y := newScale(low, high, plotTop+plotHeight, -plotHeight)
	p.axes(b, x, y)
	for i, l := range p.lines {
		var path []string
		for _, q := range points {
			px, py := x.at(float64(q.Claims)), y.at(l.of(q))
			path = append(path, fmt.Sprintf("%.1f,%.1f", px, py))
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", px, py, l.colour)
			anchor := "middle"
			if px == plotLeft { // beside the axis, which has numbers of its own
				anchor, px = "start", px+4
			}
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="10" fill="%s" text-anchor="%s">%s</text>`+"\n", px, py+float64(24*i-8), l.colour, anchor, amount(l.of(q)))
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(path, " "), l.colour)
		fmt.Fprintf(b, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", plotLeft+i*150, plotTop+plotHeight+38, l.colour, html.EscapeString("— "+l.name))
	}
}

// axes draws the grid with its powers of ten.
func (p panel) axes(b *strings.Builder, x, y scale) {
	for e := x.from; e <= x.to; e++ {
		at := x.at(math.Pow10(e))
		fmt.Fprintf(b, `<line x1="%.1f" y1="%d" x2="%.1f" y2="%d" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			at, plotTop, at, plotTop+plotHeight, at, plotTop+plotHeight+16, thousands(e))
	}
	for e := y.from; e <= y.to; e++ {
		at := y.at(math.Pow10(e))
		fmt.Fprintf(b, `<line x1="%d" y1="%.1f" x2="%d" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%g</text>`+"\n",
			plotLeft, at, plotLeft+plotWidth, at, plotLeft-6, at+4, math.Pow10(e))
	}
}

// thousands is ten to the e as a number of claims.
func thousands(e int) string {
	switch {
	case e >= 6:
		return fmt.Sprintf("%gM", math.Pow10(e-6))
	case e >= 3:
		return fmt.Sprintf("%gk", math.Pow10(e-3))
	}
	return fmt.Sprint(math.Pow10(e))
}
