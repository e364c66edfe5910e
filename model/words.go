package model

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Duration writes a duration as the screen does: two units at most, and a plus
// where it is a lower bound ("12m+").
func Duration(d time.Duration, atLeast bool) string {
	var s string
	switch d = max(0, d); {
	case atLeast && d < time.Second:
		return ">0s" // it says no more than that there was some
	case d < 10*time.Second && !atLeast:
		s = fmt.Sprintf("%.1fs", d.Truncate(100*time.Millisecond).Seconds())
	case d < time.Minute:
		s = fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		s = fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < 24*time.Hour:
		s = fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	default:
		s = fmt.Sprintf("%dd%02dh", int(d.Hours())/24, int(d.Hours())%24)
	}
	if atLeast {
		s += "+"
	}
	return s
}

// Ticks writes a duration in three cells at most: the two digits that matter.
func Ticks(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < 100*time.Second:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < 100*time.Minute:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 100*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	case d < 100*day:
		return strconv.Itoa(int(d/day)) + "d"
	case d < 100*7*day:
		return strconv.Itoa(int(d/(7*day))) + "w"
	case d < 10*365*day:
		return strconv.Itoa(int(d/(365*day))) + "y"
	}
	return ">9y" // a lease may be granted for centuries
}

// Remaining writes what is left of a lease: 39/60s, and 12m/60m where seconds would be too
// wide.
func Remaining(left, granted int64) string {
	if granted < 1000 {
		return strconv.FormatInt(left, 10) + "/" + strconv.FormatInt(granted, 10) + "s"
	}
	return Ticks(time.Duration(left)*time.Second) + "/" + Ticks(time.Duration(granted)*time.Second)
}

// Shown says whether a character is one that can be seen, or a space. Fillers, which
// Unicode counts among the letters, and the blank of Braille cannot.
func Shown(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800':
		return false
	}
	return unicode.IsPrint(r)
}

// Printable makes bytes from etcd fit for a terminal: what is not printable is
// escaped as in a Go string, marks that change the direction of text included, and so is a blank at
// either end.
func Printable(s string) string {
	clean := s == "" || s[0] != ' ' && s[len(s)-1] != ' '
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f || s[i] == '\\' {
			clean = false
			break
		}
	}
	if clean {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == ' ' && (b.Len() == 0 || len(s) == 1):
			b.WriteString(`\x20`)
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\\':
			b.WriteString(`\\`)
		case Shown(r) && !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Me, r):
			n += Marked(r, s[n:])
			b.WriteString(s[:n])
		default:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
		s = s[n:]
	}
	return b.String()
}

// PrintableName is a name for people, which a command takes back: [Printable], and that of nothing is a pair of quotes.
func PrintableName(name string) string {
	if name == "" {
		return `""`
	}
	return Printable(name)
}

// Marked is how many bytes of marks at the start of rest stand on a letter as a person types them: those
// that make one character with it (é, が), and the vowels and tones of Thai and Lao. A mark that stands
// alone, strikes a letter through, cannot be seen, or is one too many could deceive.
func Marked(letter rune, rest string) (n int) {
	const most = 2
	for range most {
		mark, size := utf8.DecodeRuneInString(rest[n:])
		if !unicode.Is(unicode.Mn, mark) {
			break
		}
		n += size
	}
	for ; n > 0; n-- {
		marks := rest[:n]
		switch {
		case !utf8.ValidString(marks):
		case onScript(unicode.Thai, letter, marks), onScript(unicode.Lao, letter, marks), utf8.RuneCountInString(norm.NFC.String(string(letter)+marks)) == 1:
			return n
		}
	}
	return 0
}

func onScript(script *unicode.RangeTable, letter rune, marks string) bool {
	return unicode.IsLetter(letter) && unicode.Is(script, letter) && !strings.ContainsFunc(marks, func(r rune) bool { return !unicode.Is(script, r) })
}

// Unescape reads what [Printable] wrote: the same bytes again. A backslash that begins none of its
// escapes stands for itself.
func Unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		if s[0] == '\\' && len(s) > 1 && strings.IndexByte(`xuUabfnrtv\`, s[1]) >= 0 {
			if r, wide, rest, err := strconv.UnquoteChar(s, 0); err == nil {
				if wide {
					b.WriteRune(r)
				} else {
					b.WriteByte(byte(r))
				}
				s = rest
				continue
			}
		}
		b.WriteByte(s[0])
		s = s[1:]
	}
	return b.String()
}

// PrintableIfNeeded is text of a person or a server, as it is if all of it can be seen, else [Printable].
func PrintableIfNeeded(s string) string {
	if utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !Shown(r) }) {
		return s
	}
	return Printable(s)
}

// Short cuts the middle out of text that has more than so many characters: a name is told
// from others by its end.
func Short(s string, most int) string {
	if len(s) <= most || utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)
	return string(r[:most/3]) + "…" + string(r[len(r)-(most-most/3-1):])
}

// Clock writes the time of day of what happened.
func Clock(t time.Time) string { return t.Format("15:04:05.000") }

// Seconds writes a duration in seconds, to the tenth.
func Seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// Latency writes how long an answer took: "3ms", "850ms", "1.2s".
func Latency(d time.Duration) string {
	switch d = max(0, d); {
	case d < time.Millisecond:
		return "<1ms"
	case d < 999500*time.Microsecond:
		return strconv.Itoa(int(d.Round(time.Millisecond)/time.Millisecond)) + "ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + "s"
}

// Bytes writes a size: "812 KiB", "1.7 GiB".
func Bytes(n int64) string {
	size, unit := float64(max(0, n)), 0
	for ; size >= 1000 && unit < len(units)-1; unit++ {
		size /= 1024
	}
	digits := 0
	if size < 10 && unit > 0 {
		digits = 1
	}
	return strconv.FormatFloat(size, 'f', digits, 64) + " " + units[unit]
}

var units = []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}

// Capital returns a sentence with a capital at its beginning.
func Capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if first == utf8.RuneError { // nothing, or no text
		return s
	}
	return string(unicode.ToUpper(first)) + s[n:]
}

// KeysUnder names the keys under a prefix in a sentence.
func KeysUnder(prefix string) string {
	if prefix == "" {
		return "all keys"
	}
	return strconv.Quote(prefix)
}

// CountOf writes a number of things: "1 lock", "3 locks".
func CountOf(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// What is said where the values of keys were not recorded: in the place of a value, and of the
// names that stand in values.
const (
	ValueUnread = "value not recorded"
	NamesUnread = "values are not recorded, and with them no names"
)

// CutLast cuts around the last separator, where [strings.Cut] takes the first: what stands before it may have some.
func CutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}
