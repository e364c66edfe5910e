package draw

import (
	"io"
	"strings"
	"unicode"

	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"locktop/model"
)

// Style names what a piece of text means, not how it looks.
type Style uint8

const (
	Plain   Style = iota
	Dim           // of second importance
	Strong        // the name of the thing
	Heading       // column titles
	Sorted        // the title of the column that sorts
	Rule          // lines between panes
	Good          // holds, healthy
	Late          // one renewal missed
	Bad           // silent, overdue, blocked
	Waiting       // in the queue
	BarLate       // the bar of a late lease, and of a bad one
	BarBad
	Accent // keys to press, the page one is on
	Alarm  // must not be overlooked
	Armed
	Readonly
	StyleCount
)

// Theme is how things look: escape sequences, cut once, and signs.
type Theme struct {
	Before [StyleCount]string
	Chosen [StyleCount]string // the same in the row under the cursor
	After  string
	ascii  bool
	Sign   signs
	// FullBar and emptyBar are what the bars of leases are cut from, barCells cells wide.
	FullBar, EmptyBar string
}

// BarCells is how long the bar of a lease is at most.
const BarCells = 12

// signs are the characters that carry meaning. Each is one cell wide.
type signs struct {
	Holds, Waits, Bad, Late, Unread  string
	Info                             string
	Renewed, Stale                   string
	Full, Empty                      string
	More, Dot, Line, Cursor, Up, Dwn string
	Arrow, left, gap, act, Fact      string
	Mark                             string
	LaneHolds, LaneWaits, LaneFalse  string
	Box                              lipgloss.Border
}

var unicodeSigns = signs{
	Holds: "●", Waits: "○", Bad: "x", Late: "!", Unread: "…", Info: "i",
	Renewed: "♥", Stale: "?",
	Full: "━", Empty: "·",
	More: "…", Dot: "·", Line: "─", Cursor: "▌", Up: "▲", Dwn: "▼",
	Arrow: "→", left: "←", gap: "≈", act: "!", Fact: "∙", Mark: "◆",
	LaneHolds: "█", LaneWaits: "░", LaneFalse: "▚",
	Box: lipgloss.RoundedBorder(),
}

var asciiSigns = signs{
	Holds: "*", Waits: "o", Bad: "x", Late: "!", Unread: "~", Info: "i",
	Renewed: "<", Stale: "?",
	Full: "#", Empty: ".",
	More: "~", Dot: "-", Line: "-", Cursor: ">", Up: "^", Dwn: "v",
	Arrow: ">", left: "<", gap: "~", act: "!", Fact: ".", Mark: "=",
	LaneHolds: "#", LaneWaits: ".", LaneFalse: "%",
	Box: lipgloss.ASCIIBorder(),
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

// NewTheme makes the theme of that name; termenv.Ascii makes each of them plain text.
func NewTheme(name string, p termenv.Profile, ascii bool) *Theme {
	th := &Theme{ascii: ascii, Sign: unicodeSigns}
	if ascii {
		th.Sign = asciiSigns
	}
	th.FullBar, th.EmptyBar = strings.Repeat(th.Sign.Full, BarCells), strings.Repeat(th.Sign.Empty, BarCells)+" "
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
	for i := range th.Chosen {
		th.Chosen[i], th.After = cut(normal.Reverse(true))
	}
	for s, look := range map[Style]lipgloss.Style{
		Late: in(h.yellow, normal.Underline(true)).Bold(true).Reverse(true), Bad: in(h.red, loud).Bold(true).Reverse(true), Alarm: in(h.red, loud).Bold(true).Reverse(true),
	} {
		th.Chosen[s], _ = cut(look)
	}
	for s, look := range map[Style]lipgloss.Style{
		Dim: normal.Faint(true), Strong: normal.Bold(true), Heading: normal.Faint(true), Sorted: normal.Bold(true), Rule: normal.Faint(true),
		Good: in(h.green, normal), Late: in(h.yellow, normal.Underline(true)).Bold(true), Bad: in(h.red, loud).Bold(true), Waiting: in(h.cyan, normal),
		BarLate: in(h.yellow, normal), BarBad: in(h.red, normal.Bold(true)), Accent: in(h.cyan, normal).Bold(true),
		Alarm: in(h.red, loud).Bold(true).Reverse(true), Armed: in(h.yellow, loud).Bold(true).Reverse(true), Readonly: in(h.green, normal).Bold(true),
	} {
		th.Before[s], _ = cut(look)
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

// Dimmed returns the theme for what is shown although it may not be true any more.
func (th *Theme) Dimmed() *Theme {
	old := *th
	if th.After == "" {
		return &old
	}
	for i := range old.Before {
		old.Before[i], old.Chosen[i] = th.Before[Dim], th.Chosen[Plain]
	}
	return &old
}

// Clean makes bytes from etcd fit for a cell. Very long ones lose their middle
// first, so that a megabyte of a name costs no more than a line of it.
func (th *Theme) Clean(raw string) string {
	return th.Tame(model.Printable(shorten(raw)))
}

// Tame takes text that model.Printable has seen and escapes what terminals
// disagree about: characters that join with their neighbours or have no width.
func (th *Theme) Tame(s string) string {
	if isASCII(s) {
		return s
	}
	if th.ascii {
		s = strings.ReplaceAll(s, "…", th.Sign.More)
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

// Prose takes text that the model wrote for a terminal. It trusts it no further
// than that: what cannot be printed is escaped all the same.
func (th *Theme) Prose(s string) string { return th.Told(shorten(s)) }

// Told is prose of any length: that of a lesson, which was read from a file.
func (th *Theme) Told(s string) string {
	s = strings.ToValidUTF8(s, "?")
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		s = model.Printable(s)
	}
	return th.Tame(s)
}
