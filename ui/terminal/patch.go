package terminal

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// glyph is what one cell of a line shows. The second cell of a wide character has no text.
type glyph struct{ style, text string }

// lone says whether a cell changes by itself: one of a bar, a lane, a rule.
func (g glyph) lone() bool {
	r, _ := utf8.DecodeRuneInString(g.text)
	return r >= 0x2500 && r < 0x25a0
}

// glyphs cuts a line into cells. Not ok: terminals differ about the cell in which a character of it stands,
// or there is more in it than styles and text.
func glyphs(line string) (cells []glyph, ok bool) {
	cells = make([]glyph, 0, len(line))
	style := ""
	for line != "" {
		seq, width, n, _ := ansi.DecodeSequence(line, ansi.NormalState, nil)
		switch r, size := utf8.DecodeRuneInString(seq); {
		case width > 0 && size == n && r < 0x1f000 && ansi.StringWidthWc(seq) == width:
			cells = append(cells, glyph{style, seq})
			for range width - 1 {
				cells = append(cells, glyph{style, ""})
			}
		case width > 0 || n == 0 || r != '\x1b' || seq[n-1] != 'm':
			return nil, false
		case seq == "\x1b[m" || seq == "\x1b[0m":
			style = ""
		default:
			style += seq
		}
		line = line[n:]
	}
	return cells, style == ""
}

// bridge is how many cells of one style between two changes are rather written than passed over.
const bridge = 4

// changes says of each cell of a line whether it has to be written: those that changed, and of a text, up to
// two blanks, all. So a text comes whole, and nobody sees one that is half of another.
func changes(old, line []glyph) []bool {
	write := make([]bool, len(line))
	ends := func(i int) bool { // a text
		return i == len(line) || line[i].lone() || line[i].text == " " && (i+1 == len(line) || line[i+1].text == " " || line[i+1].lone())
	}
	last := -bridge - 1 // that is written
	for i := 0; i < len(line); {
		end := i + 1
		for !line[i].lone() && line[i].text != " " && !ends(end) {
			end++
		}
		if !slices.Equal(old[i:end], line[i:end]) {
			if same := line[max(0, last):i]; i-last <= bridge+1 && !slices.ContainsFunc(same, func(g glyph) bool { return g.style != line[i].style }) {
				i = last
			}
			for ; i < end; i++ {
				write[max(0, i)] = true
			}
			last = end - 1
		}
		i = end
	}
	return write
}

// How far cells of a line, and lines, are looked for that only moved: a lane to the left, a list up.
const (
	movedCells = 4
	movedLines = 8
)

// run is the longest one of things that were so many places further: where it begins, and how many of them
// would not be right where they were.
func run(n, places int, moved, stays func(i int) bool) (from, to, gain int) {
	for i := 0; i+places < n; i++ {
		begin, better := i, 0
		for ; i+places < n && moved(i); i++ {
			if !stays(i) {
				better++
			}
		}
		if better > gain {
			from, to, gain = begin, i, better
		}
	}
	return from, to, gain
}

// narrow says whether a character begins and ends in a cell.
func narrow(line []glyph, i int) bool {
	return line[i].text != "" && (i+1 == len(line) || line[i+1].text != "")
}

// lanesMove appends to a frame what moves cells of row y to the left, and says what the row shows then. The cells
// to the right of them go back to their place.
func lanesMove(frame []byte, y int, old, line []glyph) ([]byte, []glyph) {
	from, to, by, most := 0, 0, 0, 2*movedCells
	for k := 1; k <= movedCells; k++ {
		a, b, gain := run(len(line), k, func(i int) bool { return line[i] == old[i+k] && narrow(line, i) }, func(i int) bool { return line[i] == old[i] })
		if gain > most && narrow(old, a) && (b+k == len(old) || old[b+k].text != "") {
			from, to, by, most = a, b, k, gain
		}
	}
	if by == 0 {
		return frame, old
	}
	frame = append(append(frame, ansi.CursorPosition(from+1, y)...), ansi.DeleteCharacter(by)...)
	frame = append(append(frame, ansi.CursorPosition(to+1, y)...), ansi.InsertCharacter(by)...)
	old = slices.Clone(old)
	copy(old[from:to], old[from+by:])
	for i := range by {
		old[to+i] = glyph{"", " "}
	}
	return frame, old
}

// listMoves appends to a frame what moves lines up, and says what the terminal shows then.
func listMoves(frame []byte, shown, lines []string) ([]byte, []string) {
	from, to, by, most := 0, 0, 0, 1
	for k := 1; k <= movedLines; k++ {
		a, b, gain := run(len(lines), k, func(i int) bool { return lines[i] == shown[i+k] }, func(i int) bool { return lines[i] == shown[i] })
		if gain > most {
			from, to, by, most = a, b, k, gain
		}
	}
	if by == 0 {
		return frame, shown
	}
	frame = append(append(frame, ansi.SetTopBottomMargins(from+1, to+by)...), ansi.CursorPosition(1, from+1)...)
	frame = append(append(frame, ansi.DeleteLine(by)...), ansi.SetTopBottomMargins(0, 0)...)
	empty := strings.Repeat(" ", ansi.StringWidth(lines[from]))
	shown = slices.Clone(shown)
	copy(shown[from:to], shown[from+by:])
	for i := range by {
		shown[to+i] = empty
	}
	return frame, shown
}

// patch appends to a frame what makes row y of a terminal that shows one line show another, of as many cells.
func patch(frame []byte, y int, shown, line string) []byte {
	whole := ansi.CursorPosition(1, y) + line
	old, ok := glyphs(shown)
	now, also := glyphs(line)
	if !ok || !also || len(old) != len(now) {
		return append(frame, whole...)
	}
	from := len(frame)
	frame, old = lanesMove(frame, y, old, now)
	frame = write(frame, y, old, now)
	if len(frame)-from >= len(whole) {
		return append(frame[:from], whole...)
	}
	return frame
}

// write appends to a frame the cells of row y that change.
func write(frame []byte, y int, old, now []glyph) []byte {
	at, style := -1, ""
	for i, changed := range changes(old, now) {
		g := now[i]
		switch {
		case g.text == "": // the wide character before it is there
			if at == i {
				at++
			}
			continue
		case !changed:
			continue
		case at < 0:
			frame = append(frame, ansi.CursorPosition(i+1, y)...)
		case at < i:
			frame = append(frame, ansi.CursorForward(i-at)...)
		}
		if g.style != style {
			frame, style = restyle(frame, style, g.style), g.style
		}
		frame, at = append(frame, g.text...), i+1
	}
	if style != "" {
		frame = append(frame, ansi.ResetStyle...)
	}
	return frame
}

// restyle appends to a frame what goes from one style to another.
func restyle(frame []byte, from, to string) []byte {
	was, is := looks(from), looks(to)
	var news []string
	for i := range is {
		switch {
		case is[i] == was[i]:
		case is[i] == "" || i == others && was[i] != "": // only a reset takes away what was set
			return append(append(frame, ansi.ResetStyle...), to...)
		default:
			news = append(news, is[i])
		}
	}
	return append(append(append(frame, "\x1b["...), strings.Join(news, ";")...), 'm')
}

// What a style sets: the colour of the text, that of the ground, and all others, as bold.
const (
	text = iota
	ground
	others
	aspects
)

// looks are what a style sets, each in the numbers of its sequence.
func looks(style string) (all [aspects]string) {
	numbers := strings.Split(strings.Trim(strings.ReplaceAll(style, "m\x1b[", ";"), "\x1b[m"), ";")
	for i := 0; i < len(numbers); {
		n, aspect, takes := numbers[i], others, 1
		switch {
		case n == "38" || n == "48":
			takes = min(len(numbers)-i, 3)
			if takes > 1 && numbers[i+1] == "2" {
				takes = min(len(numbers)-i, 5)
			}
			fallthrough
		case len(n) == 2 && (n[0] == '3' || n[0] == '9'), len(n) == 2 && n[0] == '4', len(n) == 3 && n[:2] == "10":
			aspect = text
			if n[0] == '4' || len(n) == 3 {
				aspect = ground
			}
		}
		said := strings.Join(numbers[i:i+takes], ";")
		if aspect == others && all[aspect] != "" {
			said = all[aspect] + ";" + said
		}
		all[aspect] = said
		i += takes
	}
	return all
}
