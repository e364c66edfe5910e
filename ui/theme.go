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
}

// signs are the characters that carry meaning. Each is one cell wide.
type signs struct {
	holds, waits, bad, late, unread  string
	info                             string
	renewed, stale                   string
	full, empty                      string
	more, dot, line, cursor, up, dwn string
	arrow, left, gap, act, fact      string
	box                              lipgloss.Border
}

var unicodeSigns = signs{
	holds: "●", waits: "○", bad: "x", late: "!", unread: "…", info: "i",
	renewed: "♥", stale: "?",
	full: "━", empty: "·",
	more: "…", dot: "·", line: "─", cursor: "▌", up: "▲", dwn: "▼",
	arrow: "→", left: "←", gap: "≈", act: "!", fact: "∙",
	box: lipgloss.RoundedBorder(),
}

var asciiSigns = signs{
	holds: "*", waits: "o", bad: "x", late: "!", unread: "~", info: "i",
	renewed: "<", stale: "?",
	full: "#", empty: ".",
	more: "~", dot: "-", line: "-", cursor: ">", up: "^", dwn: "v",
	arrow: ">", left: "<", gap: "~", act: "!", fact: ".",
	box: lipgloss.ASCIIBorder(),
}

// newTheme makes a theme of the sixteen colours that every terminal has and
// every person has chosen to be able to read.
func newTheme(p termenv.Profile, ascii bool) *theme {
	th := &theme{ascii: ascii, sign: unicodeSigns}
	if ascii {
		th.sign = asciiSigns
	}
	if p == termenv.Ascii {
		return th
	}
	r := lipgloss.NewRenderer(io.Discard) // our own: nothing is asked of the terminal
	r.SetColorProfile(p)
	normal := r.NewStyle()
	colour := func(c string) lipgloss.Style { return normal.Foreground(lipgloss.Color(c)) }
	for i := range th.chosen {
		th.chosen[i], th.after = cut(normal.Reverse(true))
	}
	for s, look := range map[style]lipgloss.Style{
		late: colour(yellow).Bold(true).Reverse(true), bad: colour(red).Bold(true).Reverse(true), alarm: colour(red).Bold(true).Reverse(true),
	} {
		th.chosen[s], _ = cut(look)
	}
	for s, look := range map[style]lipgloss.Style{
		dim: normal.Faint(true), strong: normal.Bold(true), heading: normal.Faint(true), sorted: normal.Bold(true), rule: normal.Faint(true),
		good: colour(green), late: colour(yellow).Bold(true), bad: colour(red).Bold(true), waiting: colour(cyan),
		barLate: colour(yellow), barBad: colour(red), accent: colour(cyan).Bold(true),
		alarm: colour(red).Bold(true).Reverse(true), armed: colour(yellow).Bold(true).Reverse(true), readonly: colour(green).Bold(true),
	} {
		th.before[s], _ = cut(look)
	}
	return th
}

// The colours in use, by their ANSI numbers.
const (
	red    = "1"
	green  = "2"
	yellow = "3"
	cyan   = "6"
)

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
func (th *theme) prose(s string) string {
	s = strings.ToValidUTF8(shorten(s), "?")
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		s = model.Printable(s)
	}
	return th.tame(s)
}
