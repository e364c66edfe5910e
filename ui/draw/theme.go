package draw

import (
	"strings"

	"github.com/charmbracelet/lipgloss"

	"locktop/model"
)

// Style names what a piece of text means, not how it looks.
type Style uint8

const (
	Plain      Style = iota // as any text
	Dim                     // of second importance
	Strong                  // the name of the thing
	Heading                 // column titles
	Sorted                  // the title of the column that sorts
	Rule                    // lines between panes
	Good                    // holds, healthy
	Late                    // one renewal missed
	Bad                     // silent, overdue, blocked
	Waiting                 // in the queue
	BarLate                 // the bar of a late lease, and of a bad one
	BarBad                  // likewise
	Belief                  // what a client says and etcd does not
	Accent                  // keys that look
	Here                    // the page one is on
	Change                  // keys that change the world
	Alarm                   // must not be overlooked
	Armed                   // a chip: what is pressed here may hurt
	Lab                     // a chip: a cluster of our own
	Readonly                // a chip
	lanes                   // from here on the looks of a cell of a lane: see [Lane]
	turned     = lanes + toneCount*toneCount
	onTone     = turned + toneCount // of what stands on a tone
	StyleCount = onTone + toneCount // how many there are
)

// Theme is how things look: escape sequences, cut once, and signs.
type Theme struct {
	// Lang is the language of the words for how things are; "" is English.
	Lang string
	// Past: what is shown is a recording, where who did something has a name and is not "you".
	Past bool
	// Asks: a lesson asks what comes next, so nothing else on the screen says it.
	Asks bool
	// Brief: a class looks on, and figures that no lesson speaks of stay away.
	Brief  bool
	Before [StyleCount]string
	Chosen [StyleCount]string // the same in the row under the cursor
	// OnError and OnWarn are the same on the grounds of a verdict.
	OnError, OnWarn [StyleCount]string
	inBox, behind   [StyleCount]string // on the ground of a dialog, and what lies under one
	After           string
	split           bool // two parts of a cell can be told apart by colour
	few             bool // and there are 16 colours for it
	set             SignSet
	Sign            signs
	// FullBar and EmptyBar are what the bars of leases are cut from, [BarCells] cells wide.
	FullBar, EmptyBar string
}

// BarCells is how long the bar of a lease is at most.
const BarCells = 12

// signs are the characters that carry meaning. Each is one cell wide.
type signs struct {
	stateSigns
	laneSigns
	More, Dot, Line, Cursor, Up, Dwn string
	Arrow, Left, gap, Act, Fact      string
	Mark                             string
	Box                              lipgloss.Border
}

// stateSigns are the signs of how a claim, a lease, a finding or a deed is.
type stateSigns struct {
	Holds, Waits, Bad, Late, Unread, Info, Done string
	Renewed, Stale, Full, Empty                 string
}

// laneSigns are the signs of the axis of time.
type laneSigns struct {
	LaneHolds, LaneAgain, LaneWaits, LaneFree, LaneFalse, LaneShort string
	LaneUnseen, LaneCursor, Tick                                    string
}

var unicodeSigns = signs{
	stateSigns: stateSigns{Holds: "●", Waits: "○", Bad: "✖", Late: "!", Unread: "…", Info: "i", Done: "✔",
		Renewed: "♥", Stale: "?", Full: "━", Empty: "╌"},
	More: "…", Dot: "·", Line: "─", Cursor: "▌", Up: "▲", Dwn: "▼",
	Arrow: "→", Left: "←", gap: "≈", Act: "▸", Fact: "∙", Mark: "◆",
	laneSigns: laneSigns{LaneHolds: "█", LaneAgain: "▓", LaneWaits: "─", LaneFree: "╌", LaneFalse: "▚", LaneShort: "┃", LaneUnseen: "?", LaneCursor: "┊", Tick: "┬"},
	Box:       lipgloss.RoundedBorder(),
}

// wideSigns have nothing that a terminal may draw two cells wide: no sign of them is of
// East Asian ambiguous width.
var wideSigns = signs{
	stateSigns: stateSigns{Holds: "◉", Waits: "◌", Bad: "✖", Late: "!", Unread: "⋯", Info: "i", Done: "✔",
		Renewed: "↻", Stale: "?", Full: "▬", Empty: "╌"},
	More: "⋯", Dot: "∙", Line: "╌", Cursor: "▐", Up: "▴", Dwn: "▾",
	Arrow: "»", Left: "«", gap: "~", Act: "▸", Fact: "∙", Mark: "▪",
	laneSigns: laneSigns{LaneHolds: "▐", LaneAgain: "=", LaneWaits: "╌", LaneFree: "╌", LaneFalse: "▚", LaneShort: "|", LaneUnseen: "?", LaneCursor: "╎", Tick: "╌"},
	Box:       lipgloss.ASCIIBorder(),
}

var asciiSigns = signs{
	stateSigns: stateSigns{Holds: "*", Waits: "o", Bad: "X", Late: "!", Unread: "~", Info: "i", Done: "v",
		Renewed: "@", Stale: "?", Full: "=", Empty: "."},
	More: "~", Dot: ".", Line: "-", Cursor: ">", Up: "^", Dwn: "v",
	Arrow: ">", Left: "<", gap: "~", Act: ">", Fact: ".", Mark: "*",
	laneSigns: laneSigns{LaneHolds: "#", LaneAgain: "=", LaneWaits: "-", LaneFree: ".", LaneFalse: "%", LaneShort: "|", LaneUnseen: "?", LaneCursor: ":", Tick: "+"},
	Box:       lipgloss.ASCIIBorder(),
}

// SignSet is which characters a theme draws with.
type SignSet uint8

const (
	// SignsUnicode are for terminals that draw signs of ambiguous width one cell wide.
	SignsUnicode SignSet = iota
	// SignsWide are for those that draw them two cells wide.
	SignsWide
	// SignsASCII are for those that have nothing else.
	SignsASCII
)

var signsOf = [...]signs{SignsUnicode: unicodeSigns, SignsWide: wideSigns, SignsASCII: asciiSigns}

// narrowed writes the signs of our own sentences that are of ambiguous width with others.
var narrowed = strings.NewReplacer("…", "⋯", "·", "∙", "→", "»", "←", "«", "–", "-", "—", "-", "×", "x", "≥", ">=", "≤", "<=", "−", "-")

// Names of themes.
const (
	ThemeDark  = "dark"
	ThemeLight = "light"
	ThemeMono  = "mono" // bold and reversed, no colour
)

// Themes are the names of all themes.
var Themes = []string{ThemeDark, ThemeLight, ThemeMono}

// Dimmed returns the theme for what is shown although it may not be true any more.
func (th *Theme) Dimmed() *Theme {
	old := *th
	for i := range old.Before {
		old.Before[i], old.Chosen[i], old.OnError[i], old.OnWarn[i] = th.Before[Dim], th.Chosen[Dim], th.OnError[Dim], th.OnWarn[Dim]
	}
	return &old
}

// Behind returns the theme for what lies under a dialog: it stays where it was, and does not compete.
func (th *Theme) Behind() *Theme {
	under := *th
	under.Before, under.Chosen, under.OnError, under.OnWarn = th.behind, th.behind, th.behind, th.behind
	return &under
}

// InBox returns the theme for what stands in a dialog.
func (th *Theme) InBox() *Theme {
	box := *th
	box.Before = th.inBox
	return &box
}

// Clean makes bytes from etcd fit for a cell. Very long ones lose their middle
// first, so that a megabyte of a name costs no more than a line of it.
func (th *Theme) Clean(raw string) string {
	return th.Escape(model.Printable(shorten(raw)))
}

// Escape takes text that model.Printable has seen and escapes what terminals
// disagree about: characters that join with their neighbours or have no width. Marks that a person
// types on a letter stay, see [model.Marked].
func (th *Theme) Escape(s string) string {
	if isASCII(s) {
		return s
	}
	switch th.set {
	case SignsWide:
		s = narrowed.Replace(s)
	case SignsASCII:
		s = strings.ReplaceAll(s, "…", th.Sign.More)
		if isASCII(s) {
			return s
		}
		return escapeWide(s)
	}
	return escapeJoined(s)
}

// FormatSentence takes text that the model wrote for a terminal. It trusts it no further
// than that: what cannot be printed is escaped all the same.
func (th *Theme) FormatSentence(s string) string { return th.FormatText(shorten(s)) }

// FormatText is prose of any length: that of a lesson, which was read from a file.
func (th *Theme) FormatText(s string) string {
	s = strings.ToValidUTF8(s, "?")
	if strings.ContainsFunc(s, func(r rune) bool { return !model.Shown(r) }) {
		s = model.Printable(s)
	}
	return th.Escape(s)
}

// Tone is the colour of a piece of a lane.
type Tone uint8

// What a piece of a lane says.
const (
	ToneNone   Tone = iota // nobody
	ToneHold               // one holder
	ToneHold2              // the next one, told apart by its tone
	ToneQuiet              // the same two of a lock that is well and not selected
	ToneQuiet2             //
	ToneLate               // held far longer than usual, or not renewed
	ToneStuck              // will not move by itself
	ToneWait               // waits in the queue
	ToneFalse              // its client believes that it holds, and it does not
	ToneDepth              // how many wait, above a lane
	toneCount  = iota
)

// Holds says whether the lock is held where it stands.
func (t Tone) Holds() bool { return t >= ToneHold && t <= ToneStuck }
