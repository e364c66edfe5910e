package ui

import (
	"strings"

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
	renewed, stale                   string
	full, empty                      string
	more, dot, line, cursor, up, dwn string
	arrow, left, gap, act, fact      string
	corners                          [4]string
	side                             string
}

var unicodeSigns = signs{
	holds: "●", waits: "○", bad: "x", late: "!", unread: "…",
	renewed: "♥", stale: "?",
	full: "━", empty: "·",
	more: "…", dot: "·", line: "─", cursor: "▌", up: "▲", dwn: "▼",
	arrow: "→", left: "←", gap: "≈", act: "!", fact: "∙",
	corners: [4]string{"╭", "╮", "╰", "╯"}, side: "│",
}

var asciiSigns = signs{
	holds: "*", waits: "o", bad: "x", late: "!", unread: "~",
	renewed: "<", stale: "?",
	full: "#", empty: ".",
	more: "~", dot: "-", line: "-", cursor: ">", up: "^", dwn: "v",
	arrow: ">", left: "<", gap: "~", act: "!", fact: ".",
	corners: [4]string{"+", "+", "+", "+"}, side: "|",
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
	th.after = "\x1b[0m"
	for i := range th.chosen {
		th.chosen[i] = "\x1b[7m"
	}
	th.chosen[late], th.chosen[bad], th.chosen[alarm] = "\x1b[1;7;33m", "\x1b[1;7;31m", "\x1b[1;7;31m"
	th.before = [styleCount]string{
		dim: "\x1b[2m", strong: "\x1b[1m", heading: "\x1b[2m", sorted: "\x1b[1m", rule: "\x1b[2m",
		good: "\x1b[32m", late: "\x1b[1;33m", bad: "\x1b[1;31m", waiting: "\x1b[36m",
		barLate: "\x1b[33m", barBad: "\x1b[31m",
		accent: "\x1b[1;36m",
		alarm:  "\x1b[1;7;31m", armed: "\x1b[1;7;33m", readonly: "\x1b[1;32m",
	}
	return th
}

// dimmed returns the theme for what is shown although it may not be true any more.
func (th *theme) dimmed() *theme {
	old := *th
	if th.after == "" {
		return &old
	}
	for i := range old.before {
		old.before[i], old.chosen[i] = "\x1b[2m", "\x1b[7m"
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
