package ui

import (
	"io"
	"strings"
	"unicode"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"locktop/model"
)

// style names what a piece of text means, not how it looks.
type style uint8

const (
	plain   style = iota
	dim           // of second importance
	strong        // the name of the thing
	heading       // column titles
	sorted        // the title of the column that sorts
	rule          // lines between panes
	good          // holds, healthy
	late          // one renewal missed
	bad           // silent, overdue, blocked
	waiting       // in the queue
	barLate       // the bar of a late lease, and of a bad one
	barBad
	accent // keys to press, the page one is on
	alarm  // must not be overlooked
	armed
	readonly
	styleCount
)

// theme is how things look: escape sequences, cut once, and signs.
type theme struct {
	before [styleCount]string
	chosen [styleCount]string // the same in the row under the cursor
	after  string
	ascii  bool
	sign   signs
	// fullBar and emptyBar are what the bars of leases are cut from, barCells cells wide.
	fullBar, emptyBar string
}

const barCells = 12

// signs are the characters that carry meaning. Each is one cell wide.
type signs struct {
	holds, waits, bad, late, unread  string
	info                             string
	renewed, stale                   string
	full, empty                      string
	more, dot, line, cursor, up, dwn string
	arrow, left, gap, act, fact      string
	mark                             string
	laneHolds, laneWaits, laneFalse  string
	box                              lipgloss.Border
}

var unicodeSigns = signs{
	holds: "●", waits: "○", bad: "x", late: "!", unread: "…", info: "i",
	renewed: "♥", stale: "?",
	full: "━", empty: "·",
	more: "…", dot: "·", line: "─", cursor: "▌", up: "▲", dwn: "▼",
	arrow: "→", left: "←", gap: "≈", act: "!", fact: "∙", mark: "◆",
	laneHolds: "█", laneWaits: "░", laneFalse: "▚",
	box: lipgloss.RoundedBorder(),
}

var asciiSigns = signs{
	holds: "*", waits: "o", bad: "x", late: "!", unread: "~", info: "i",
	renewed: "<", stale: "?",
	full: "#", empty: ".",
	more: "~", dot: "-", line: "-", cursor: ">", up: "^", dwn: "v",
	arrow: ">", left: "<", gap: "~", act: "!", fact: ".", mark: "=",
	laneHolds: "#", laneWaits: ".", laneFalse: "%",
	box: lipgloss.ASCIIBorder(),
}

// Names of themes.
const (
	ThemeDark  = "dark"
	ThemeLight = "light"
	ThemeMono  = "mono" // bold and reversed, no colour
)

// Themes are the names of all themes.
var Themes = []string{ThemeDark, ThemeLight, ThemeMono}

// hues are the colours that mean something. Each is a number of the terminal's, or
// "" for none.
type hues struct{ red, green, yellow, cyan string }

// On a dark ground: the colours that every terminal has and every person has chosen
// to be able to read.
var darkHues = hues{"1", "2", "3", "6"}

// On a light one: there yellow and cyan are hard to read. Where there are 256 colours
// they are darker ones, else magenta and blue.
var (
	lightHues   = hues{"124", "28", "94", "25"}
	lightHues16 = hues{"1", "2", "5", "4"}
)

func huesOf(name string, p termenv.Profile) hues {
	switch {
	case name == ThemeMono:
		return hues{}
	case name != ThemeLight:
		return darkHues
	case p == termenv.ANSI:
		return lightHues16
	}
	return lightHues
}

// newTheme makes the theme of that name; termenv.Ascii makes each of them plain text.
func newTheme(name string, p termenv.Profile, ascii bool) *theme {
	th := &theme{ascii: ascii, sign: unicodeSigns}
	if ascii {
		th.sign = asciiSigns
	}
	th.fullBar, th.emptyBar = strings.Repeat(th.sign.full, barCells), strings.Repeat(th.sign.empty, barCells)+" "
	if p == termenv.Ascii {
		return th
	}
	r := lipgloss.NewRenderer(io.Discard) // our own: nothing is asked of the terminal
	r.SetColorProfile(p)
	normal := r.NewStyle()
	in := func(hue string, mono lipgloss.Style) lipgloss.Style {
		if name == ThemeMono {
			return mono
		}
		return normal.Foreground(lipgloss.Color(hue))
	}
	h, loud := huesOf(name, p), normal.Bold(true).Reverse(true)
	for i := range th.chosen {
		th.chosen[i], th.after = cut(normal.Reverse(true))
	}
	for s, look := range map[style]lipgloss.Style{
		late: in(h.yellow, normal.Underline(true)).Bold(true).Reverse(true), bad: in(h.red, loud).Bold(true).Reverse(true), alarm: in(h.red, loud).Bold(true).Reverse(true),
	} {
		th.chosen[s], _ = cut(look)
	}
	for s, look := range map[style]lipgloss.Style{
		dim: normal.Faint(true), strong: normal.Bold(true), heading: normal.Faint(true), sorted: normal.Bold(true), rule: normal.Faint(true),
		good: in(h.green, normal), late: in(h.yellow, normal.Underline(true)).Bold(true), bad: in(h.red, loud).Bold(true), waiting: in(h.cyan, normal),
		barLate: in(h.yellow, normal), barBad: in(h.red, normal.Bold(true)), accent: in(h.cyan, normal).Bold(true),
		alarm: in(h.red, loud).Bold(true).Reverse(true), armed: in(h.yellow, loud).Bold(true).Reverse(true), readonly: in(h.green, normal).Bold(true),
	} {
		th.before[s], _ = cut(look)
	}
	return th
}

// cut splits a style into what goes before a text and what goes after it: painting
// a cell is then two appends, where rendering a style costs a hundred times that.
func cut(s lipgloss.Style) (before, after string) {
	const text = "x"
	before, after, _ = strings.Cut(s.Render(text), text)
	return before, after
}

// dimmed returns the theme for what is shown although it may not be true any more.
func (th *theme) dimmed() *theme {
	old := *th
	if th.after == "" {
		return &old
	}
	for i := range old.before {
		old.before[i], old.chosen[i] = th.before[dim], th.chosen[plain]
	}
	return &old
}

// clean makes bytes from etcd fit for a cell. Very long ones lose their middle
// first, so that a megabyte of a name costs no more than a line of it.
func (th *theme) clean(raw string) string {
	return th.tame(model.Printable(shorten(raw)))
}

// tame takes text that model.Printable has seen and escapes what terminals
// disagree about: characters that join with their neighbours or have no width.
func (th *theme) tame(s string) string {
	if isASCII(s) {
		return s
	}
	if th.ascii {
		s = strings.ReplaceAll(s, "…", th.sign.more)
		if isASCII(s) {
			return s
		}
		return escapeWide(s)
	}
	if standsAlone(s) {
		return s
	}
	return escapeWide(s)
}

// prose takes text that the model wrote for a terminal. It trusts it no further
// than that: what cannot be printed is escaped all the same.
func (th *theme) prose(s string) string { return th.told(shorten(s)) }

// told is prose of any length: that of a lesson, which was read from a file.
func (th *theme) told(s string) string {
	s = strings.ToValidUTF8(s, "?")
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		s = model.Printable(s)
	}
	return th.tame(s)
}
