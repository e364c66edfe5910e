package ui

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// rawMax bounds how many bytes of a key or value are looked at for one cell.
const rawMax = 1024

const blanks = fewBlanks + fewBlanks + fewBlanks + fewBlanks

const fewBlanks = "                                                                "

// blank is a line without anything on it.
func blank(w int) string {
	if w > len(blanks) {
		return strings.Repeat(" ", w)
	}
	return blanks[:max(0, w)]
}

// shorten cuts the middle out of overlong bytes.
func shorten(s string) string {
	if len(s) <= rawMax {
		return s
	}
	return s[:rawMax/2] + "..." + s[len(s)-rawMax/2:]
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// simpleWidth returns the width of a character that never joins with another
// one, and 0 for all that has to be measured with its neighbours.
func simpleWidth(r rune) int {
	switch {
	case r >= 0x20 && r < 0x7f:
		return 1
	case r >= 0xc0 && r < 0x300, r >= 0x391 && r < 0x460 && r != 0x3a2: // Latin, Greek, Cyrillic
		return 1
	case r >= 0x2500 && r < 0x25a0, r == '…', r == '·', r == '●', r == '○', r == '→', r == '←':
		return 1
	case r >= 0x4e00 && r < 0x9f00, r >= 0x3041 && r < 0x3097, r >= 0x30a1 && r < 0x30fb:
		return 2
	}
	return 0
}

// width returns how many cells s takes.
func width(s string) int {
	n := 0
	for _, r := range s {
		w := simpleWidth(r)
		if w == 0 {
			return ansi.StringWidth(s)
		}
		n += w
	}
	return n
}

// standsAlone says whether each character of s has a width of its own, whatever
// stands beside it.
func standsAlone(s string) bool {
	sum, simple := 0, true
	for _, r := range s {
		w := simpleWidth(r)
		if w == 0 {
			simple = false
			w = ansi.StringWidth(string(r))
			if w == 0 || ansi.StringWidth("a"+string(r)+"a") != w+2 {
				return false
			}
		}
		sum += w
	}
	return simple || ansi.StringWidth(s) == sum && ansi.StringWidthWc(s) == sum
}

// escapeWide writes every character outside ASCII as an escape.
func escapeWide(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

// head returns as much of the start of s as fits into w cells.
func head(s string, w int) (string, int) {
	n := 0
	for i, r := range s {
		rw := runeWidth(r)
		if n+rw > w {
			return s[:i], n
		}
		n += rw
	}
	return s, n
}

// tail returns as much of the end of s as fits into w cells.
func tail(s string, w int) (string, int) {
	n := 0
	for i := len(s); i > 0; {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		rw := runeWidth(r)
		if n+rw > w {
			return s[i:], n
		}
		n += rw
		i -= size
	}
	return s, n
}

func runeWidth(r rune) int {
	if w := simpleWidth(r); w > 0 {
		return w
	}
	return ansi.StringWidth(string(r))
}

// cut shortens s at its end to w cells at most, with a sign that it did.
func (th *theme) cut(s string, w int) string {
	if width(s) <= w {
		return s
	}
	if w <= 0 {
		return ""
	}
	h, _ := head(s, w-1)
	return h + th.sign.more
}

// cutPath shortens a name in the middle: its last segment tells most, then how
// it begins.
func (th *theme) cutPath(s string, w int) string {
	if width(s) <= w {
		return s
	}
	if w < 4 {
		return th.cut(s, w)
	}
	last := width(s[strings.LastIndexByte(s, '/')+1:]) + 1
	back := max(min(last, w-1), (w-1)*2/3)
	t, tw := tail(s, back)
	h, _ := head(s, w-1-tw)
	return h + th.sign.more + t
}

// cutKey shortens a key at its start: a queue's keys differ at their end.
func (th *theme) cutKey(s string, w int) string {
	if width(s) <= w {
		return s
	}
	if w <= 1 {
		return th.cut(s, w)
	}
	if i := strings.LastIndexByte(s, '/'); i >= 0 && width(s[i:]) <= w-1 {
		return th.sign.more + s[i:]
	}
	t, _ := tail(s, w-1)
	return th.sign.more + t
}

// wrap breaks a sentence into lines of at most w cells, at spaces where there
// are any, and into at most n of them.
func (th *theme) wrap(s string, w, n int) []string {
	var lines []string
	for width(s) > w && len(lines) < n-1 {
		h, _ := head(s, w)
		if h == "" {
			break
		}
		at := len(h)
		if i := strings.LastIndexByte(h, ' '); i > len(h)/2 {
			at = i
		}
		lines = append(lines, s[:at])
		s = strings.TrimPrefix(s[at:], " ")
	}
	return append(lines, th.cut(s, w))
}

// span is a piece of text in one style. Its text is clean.
type span struct {
	st   style
	text string
}

// pad appends n spaces.
func pad(b []byte, n int) []byte {
	for n > 0 {
		k := min(n, len(blanks))
		b = append(b, blanks[:k]...)
		n -= k
	}
	return b
}

// put appends s in a style.
func (th *theme) put(b []byte, st style, s string) []byte {
	return th.wrapped(b, th.before[st], s)
}

func (th *theme) wrapped(b []byte, before, s string) []byte {
	if s == "" || before == "" {
		return append(b, s...)
	}
	b = append(b, before...)
	b = append(b, s...)
	return append(b, th.after...)
}

// spans appends as many of the spans as fit into w cells and returns what is
// left of w.
func (th *theme) spans(b []byte, spans []span, w int, styles *[styleCount]string) ([]byte, int) {
	for _, sp := range spans {
		if w <= 0 {
			break
		}
		sw := width(sp.text)
		if sw > w {
			sp.text = th.cut(sp.text, w)
			return th.wrapped(b, styles[sp.st], sp.text), w - width(sp.text)
		}
		b = th.wrapped(b, styles[sp.st], sp.text)
		w -= sw
	}
	return b, w
}

// line is one line of exactly w cells: left, and right as far as it has room.
func (th *theme) line(w int, left, right []span) string {
	rw := 0
	for _, sp := range right {
		rw += width(sp.text)
	}
	if rw >= w { // left has a blank at least
		right, rw = nil, 0
	}
	room := w - rw
	if rw > 0 {
		room--
	}
	b, rest := th.spans(nil, left, max(0, room), &th.before)
	if rw > 0 {
		rest++
	}
	b = pad(b, rest)
	b, _ = th.spans(b, right, rw, &th.before)
	return string(b)
}

// ruler is a line across with a title in it.
func (th *theme) ruler(w int, title ...span) string {
	b := th.put(nil, rule, strings.Repeat(th.sign.line, min(2, w))+" ")
	b, rest := th.spans(b, title, max(0, w-5), &th.before)
	if w < 5 {
		return string(pad(nil, w))
	}
	b = th.put(b, rule, " "+strings.Repeat(th.sign.line, rest+1))
	return string(b)
}

// fill makes it h lines.
func fill(lines []string, w, h int) []string {
	for len(lines) < h {
		lines = append(lines, blank(w))
	}
	return lines[:max(0, h)]
}
