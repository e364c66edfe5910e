package main

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// look is how a cell looks: colours of the terminal's palette, or noColour, and marks.
type look struct {
	colour, back                  int
	bold, dim, underline, reverse bool
}

const noColour = -1

// plain is how a cell looks of which nothing was said.
var plain = look{colour: noColour, back: noColour}

// cell is one character on the terminal.
type cell struct {
	char rune
	look
}

// terminal is a screen of cells. It knows the sequences that the console writes, and
// no others.
type terminal struct {
	rows   [][]cell
	x, y   int
	pen    look
	parser *ansi.Parser
}

func newTerminal(width, height int) *terminal {
	t := &terminal{rows: make([][]cell, height), pen: plain, parser: ansi.NewParser()}
	for y := range t.rows {
		t.rows[y] = make([]cell, width)
		t.erase(y, 0)
	}
	t.parser.SetHandler(ansi.Handler{Print: t.print, Execute: t.control, HandleCsi: t.sequence})
	return t
}

func (t *terminal) write(b []byte) { t.parser.Parse(b) }

func (t *terminal) print(r rune) {
	if t.x < len(t.rows[t.y]) {
		t.rows[t.y][t.x] = cell{r, t.pen}
	}
	t.x++
}

func (t *terminal) control(b byte) {
	switch b {
	case '\r':
		t.x = 0
	case '\n':
		t.y = min(t.y+1, len(t.rows)-1)
	}
}

func (t *terminal) sequence(cmd ansi.Cmd, p ansi.Params) {
	if cmd.Prefix() != 0 {
		return // a mode of the terminal
	}
	first, _, _ := p.Param(0, 0)
	switch cmd.Final() {
	case 'H':
		row, _, _ := p.Param(0, 1)
		column, _, _ := p.Param(1, 1)
		t.y, t.x = min(max(row, 1), len(t.rows))-1, max(column, 1)-1
	case 'K':
		t.erase(t.y, t.x)
	case 'J':
		y := t.y + 1
		if first == 2 {
			y = 0
		} else {
			t.erase(t.y, t.x)
		}
		for ; y < len(t.rows); y++ {
			t.erase(y, 0)
		}
	case 'm':
		t.dip(p)
	}
}

// erase empties a row from a column on.
func (t *terminal) erase(y, from int) {
	for x := from; x < len(t.rows[y]); x++ {
		t.rows[y][x] = cell{' ', plain}
	}
}

// dip gives the pen another look.
func (t *terminal) dip(p ansi.Params) {
	if len(p) == 0 {
		t.pen = plain
	}
	for i := 0; i < len(p); i++ {
		switch n := p[i].Param(0); {
		case n == 0:
			t.pen = plain
		case n == 1:
			t.pen.bold = true
		case n == 2:
			t.pen.dim = true
		case n == 4:
			t.pen.underline = true
		case n == 7:
			t.pen.reverse = true
		case n >= 30 && n < 38:
			t.pen.colour = n - 30
		case n >= 90 && n < 98:
			t.pen.colour = n - 90 + 8
		case n == 39:
			t.pen.colour = noColour
		case n >= 40 && n < 48:
			t.pen.back = n - 40
		case n == 49:
			t.pen.back = noColour
		case (n == 38 || n == 48) && i+2 < len(p) && p[i+1].Param(0) == 5:
			if n == 38 {
				t.pen.colour = p[i+2].Param(0)
			} else {
				t.pen.back = p[i+2].Param(0)
			}
			i += 2
		}
	}
}

// text is what stands on the terminal, without its looks.
func (t *terminal) text() string {
	var b strings.Builder
	for _, row := range t.rows {
		for _, c := range row {
			b.WriteRune(c.char)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// frame is a copy of the cells.
func (t *terminal) frame() [][]cell {
	rows := make([][]cell, len(t.rows))
	for y, row := range t.rows {
		rows[y] = append([]cell(nil), row...)
	}
	return rows
}
