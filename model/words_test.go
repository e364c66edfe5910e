package model

import (
	"testing"
	"time"
)

// TestDurationsInShort: one form for all screens and lists, and what is not known is no figure.
func TestDurationsInShort(t *testing.T) {
	for _, r := range []struct{ got, want, reason string }{
		{Duration(0, true), ">0s", "it began before we looked, and nothing more is known"},
		{Duration(999*time.Millisecond, true), ">0s", "less than a second is no more"},
		{Duration(time.Second, true), "1s+", "at least a second"},
		{Duration(0, false), "0.0s", "seen from its beginning"},
		{Remaining(39, 60), "39/60s", "seconds where they fit"},
		{Latency(400 * time.Microsecond), "<1ms", "a way of no length"},
		{Latency(2600 * time.Microsecond), "3ms", "the next whole one"},
		{Latency(999600 * time.Microsecond), "1.0s", "a second is written as one"},
		{Latency(2 * time.Second), "2.0s", "seconds to the tenth"},
		{Bytes(812), "812 B", "less than one KiB"},
		{Bytes(4 << 20), "4.0 MiB", "two figures"},
		{Bytes(1020 << 20), "1.0 GiB", "never four figures"},
		{Bytes(84 << 30), "84 GiB", "two figures"},
		{Remaining(3093, 3600), "51m/60m", "and minutes where they do not"},
		{Ticks(99 * 24 * time.Hour), "99d", "days"},
		{Ticks(101 * 24 * time.Hour), "14w", "weeks: never fewer days than there are"},
		{Ticks(3 * 366 * 24 * time.Hour), "3y", "years"},
		{Remaining(8999999999, 9000000000), ">9y/>9y", "the longest lease that etcd grants"},
	} {
		if r.got != r.want {
			t.Errorf("%q, want %q: %s", r.got, r.want, r.reason)
		}
	}
}

// FuzzWhatIsPrintedIsReadAgain: each name that is printed can be given back, whatever its bytes.
func FuzzWhatIsPrintedIsReadAgain(f *testing.F) {
	for _, s := range []string{"", "/jobs/a", "/a\xff/b", `/back\nslash`, "/new\nline", "/e\u0301", "/\u202e", `\`, `\\`, `\x4`, `\x41`, `\u00`, "\x7f\x00\a'\"", "\ufffd", "\U0001f512", "/a\\\xff", "/pad ", " ", "  a b  "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		printed := Printable(s)
		if got := Unescape(printed); got != s {
			t.Errorf("%q was printed as %s, and read as %q", s, printed, got)
		}
		for _, r := range printed {
			if !Shown(r) {
				t.Errorf("%q was printed with %q", s, r)
			}
		}
	})
}

// TestShellQuote: a line that is copied reads as the same bytes.
func TestShellQuote(t *testing.T) {
	for _, r := range []struct{ s, want, reason string }{
		{"/a b", "'/a b'", "a blank"},
		{" /a ", "' /a '", "quotes show blanks at the ends, too"},
		{"it's", `'it'\''s'`, "a quote"},
		{`a\b`, `'a\b'`, "a backslash stands for itself"},
		{"a\x1b[2J ", `$'a\033[2J '`, "what a terminal obeys is not shown"},
	} {
		if got := ShellQuote(r.s); got != r.want {
			t.Errorf("%q: %s, want %s: %s", r.s, got, r.want, r.reason)
		}
	}
}
