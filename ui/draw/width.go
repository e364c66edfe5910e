package draw

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"locktop/model"
)

// rawMax bounds how many bytes of a key or value are looked at for one cell.
const rawMax = 1024

// Blanks are what lines are filled with, enough for most.
const Blanks = fewBlanks + fewBlanks + fewBlanks + fewBlanks

const fewBlanks = "                                                                "

// Blank is a line without anything on it.
func Blank(w int) string {
	if w > len(Blanks) {
		return strings.Repeat(" ", w)
	}
	return Blanks[:max(0, w)]
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

// SimpleWidth returns the width of a character that never joins with another
// one, and 0 for all that has to be measured with its neighbours.
func SimpleWidth(r rune) int {
	switch {
	case r >= 0x20 && r < 0x7f:
		return 1
	case r >= 0xc0 && r < 0x300, r >= 0x391 && r < 0x460 && r != 0x3a2: // Latin, Greek, Cyrillic
		return 1
	case r >= 0x2500 && r < 0x25a0, r == '…', r == '·', r == '●', r == '○', r == '→', r == '←', r == '✖', r == '✔', r == '▸', r == '♥':
		return 1
	case r >= 0x4e00 && r < 0x9f00, r >= 0x3041 && r < 0x3097, r >= 0x30a1 && r < 0x30fb:
		return 2
	}
	return 0
}

// Width returns how many cells s takes.
func Width(s string) int {
	n := 0
	for _, r := range s {
		w := SimpleWidth(r)
		if w == 0 {
			return ansi.StringWidth(s)
		}
		n += w
	}
	return n
}

// ownWidth is the width of a character that has one of its own, whatever stands beside it, else 0.
func ownWidth(r rune) int {
	if w := SimpleWidth(r); w > 0 {
		return w
	}
	if w := ansi.StringWidth(string(r)); w > 0 && ansi.StringWidth("a"+string(r)+"a") == w+2 && sameWidth(string(r), w) {
		return w
	}
	return 0
}

// sameWidth says whether text is w cells wide for terminals that measure it by characters, and for those that
// measure it by what stands together.
func sameWidth(s string, w int) bool { return ansi.StringWidth(s) == w && ansi.StringWidthWc(s) == w }

// standsAlone says whether each character of s has a width of its own.
func standsAlone(s string) bool {
	sum, simple := 0, true
	for _, r := range s {
		w := ownWidth(r)
		if w == 0 {
			return false
		}
		sum, simple = sum+w, simple && SimpleWidth(r) > 0
	}
	return simple || sameWidth(s, sum)
}

// escapeJoined writes each character as an escape that has no width of its own, but for the marks on a letter.
func escapeJoined(s string) string {
	if standsAlone(s) {
		return s
	}
	var b strings.Builder
	sum := 0
	for rest := s; rest != ""; {
		r, n := utf8.DecodeRuneInString(rest)
		w := ownWidth(r)
		if marks := model.Marked(r, rest[n:]); w > 0 && marks > 0 && sameWidth(rest[:n+marks], w) {
			n += marks
		}
		if w > 0 {
			b.WriteString(rest[:n])
		} else {
			w, _ = b.WriteString(escapeWide(rest[:n]))
		}
		sum, rest = sum+w, rest[n:]
	}
	if out := b.String(); sameWidth(out, sum) {
		return out
	}
	return escapeWide(s)
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
func head(s string, w int) string {
	n := 0
	for i, r := range s {
		rw := runeWidth(r)
		if n+rw > w {
			return s[:i]
		}
		n += rw
	}
	return s
}

// Tail returns as much of the end of s as fits into w cells.
func Tail(s string, w int) (string, int) {
	n := 0
	for i := len(s); i > 0; {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		rw := runeWidth(r)
		if n+rw > w {
			for r, size := utf8.DecodeRuneInString(s[i:]); unicode.Is(unicode.Mn, r); r, size = utf8.DecodeRuneInString(s[i:]) {
				i += size // its letter has no room
			}
			return s[i:], n
		}
		n += rw
		i -= size
	}
	return s, n
}

func runeWidth(r rune) int {
	if w := SimpleWidth(r); w > 0 {
		return w
	}
	return ansi.StringWidth(string(r))
}

// breakIn is where a line ends whose words are head, with rest after them: at a space, or
// beside a Chinese character, but not before a sign that closes or after one that opens. A word
// in Latin letters is broken only if it is longer than half a line, then anywhere but there.
func breakIn(head, rest string) int {
	next, n := utf8.DecodeRuneInString(rest)
	after, _ := utf8.DecodeRuneInString(rest[n:])
	anywhere := 0
	for at := len(head); at > len(head)/2; {
		last, n := utf8.DecodeLastRuneInString(head[:at])
		parts := last != ' ' && next != ' ' && !closes(next) && !strings.ContainsRune("（「『【《“‘([", last)
		if next == ' ' && !closes(after) || parts && (Width(string(last)) == 2 || Width(string(next)) == 2) {
			return at
		}
		if anywhere == 0 && parts {
			anywhere = at
		}
		after, next, at = next, last, at-n
	}
	return cmp.Or(anywhere, len(head))
}

// closes says whether a sign ends what stands before it, so that no line begins with it.
func closes(r rune) bool {
	return strings.ContainsRune("，。；：？！）」』】》、”’…,.;:?!)]", r)
}

// Pad appends n spaces.
func Pad(b []byte, n int) []byte {
	for n > 0 {
		k := min(n, len(Blanks))
		b = append(b, Blanks[:k]...)
		n -= k
	}
	return b
}
