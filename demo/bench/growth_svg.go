package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// line is a curve: a figure at each point.
type line struct{ name, colour, figure string }

// panel is a chart of the picture.
type panel struct {
	title string
	lines []line
}

const blue, orange = "#1f6feb", "#cf5b00"

var panels = []panel{
	{"load: seconds from process start", []line{{"ls, to its end", blue, "ls: wall"}, {"console, to the full page", orange, "console: to the full page"}}},
	{"memory: MiB at the peak", []line{{"ls", blue, "ls: peak memory"}, {"console", orange, "console: peak memory"}}},
	{"an event: microseconds", []line{{"in the model", blue, "event: model"}, {"and painted", orange, "event: painted"}}},
	{"a frame, all of it new: microseconds", []line{{"paint", blue, "paint"}}},
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
type scale struct{ from, to, start, pixels float64 } // exponents

func newScale(low, high, start, pixels float64) scale {
	from, to := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	return scale{from, max(to, from+1), start, pixels}
}

func (s scale) at(v float64) float64 {
	return s.start + s.pixels*(math.Log10(v)-s.from)/(s.to-s.from)
}

// draw draws one chart.
func (p panel) draw(b *strings.Builder, points []point) {
	low, high := math.Inf(1), 0.0
	for _, l := range p.lines {
		for _, q := range points {
			low, high = min(low, q.Figures[l.figure]), max(high, q.Figures[l.figure])
		}
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" font-size="13" font-weight="bold">%s</text>`+"\n", plotLeft, plotTop-18, html.EscapeString(p.title))
	if low <= 0 || math.IsInf(low, 1) {
		fmt.Fprintf(b, `<text x="%d" y="%d">not measured</text>`+"\n", plotLeft, plotTop+20)
		return
	}
	x := newScale(float64(points[0].Claims), float64(points[len(points)-1].Claims), plotLeft, plotWidth)
	y := newScale(low, high, plotTop+plotHeight, -plotHeight)
	grid := func(x1, y1, x2, y2, textX, textY float64, anchor, text string) {
		fmt.Fprintf(b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="#ddd"/><text x="%.1f" y="%.1f" text-anchor="%s">%s</text>`+"\n",
			x1, y1, x2, y2, textX, textY, anchor, text)
	}
	for e := x.from; e <= x.to; e++ {
		at := x.at(math.Pow(10, e))
		grid(at, plotTop, at, plotTop+plotHeight, at, plotTop+plotHeight+16, "middle", []string{"1", "10", "100", "1k", "10k", "100k", "1M"}[int(e)])
	}
	for e := y.from; e <= y.to; e++ {
		at := y.at(math.Pow(10, e))
		grid(plotLeft, at, plotLeft+plotWidth, at, plotLeft-6, at+4, "end", fmt.Sprintf("%g", math.Pow(10, e)))
	}
	for i, l := range p.lines {
		var path []string
		for _, q := range points {
			px, py := x.at(float64(q.Claims)), y.at(q.Figures[l.figure])
			path = append(path, fmt.Sprintf("%.1f,%.1f", px, py))
			fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`+"\n", px, py, l.colour)
			anchor := "middle"
			if px == plotLeft { // beside the axis, which has numbers of its own
				anchor, px = "start", px+4
			}
			fmt.Fprintf(b, `<text x="%.1f" y="%.1f" font-size="10" fill="%s" text-anchor="%s">%s</text>`+"\n", px, py+float64(24*i-8), l.colour, anchor, amount(q.Figures[l.figure]))
		}
		fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n", strings.Join(path, " "), l.colour)
		fmt.Fprintf(b, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", plotLeft+i*150, plotTop+plotHeight+38, l.colour, html.EscapeString("— "+l.name))
	}
}
