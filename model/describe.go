package model

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Sentence says an entry in one plain sentence, with who naming claims. Bytes of
// keys and values are escaped.
func (f *JournalEntry) Sentence(who func(ClaimRef) string) string {
	lock := Printable(f.Lock)
	switch f.Kind {
	case EntryQueued:
		return fmt.Sprintf("%s joined the queue of %s at place %d, behind %s", who(f.Claim), lock, f.Place, who(f.WaitsFor))
	case EntryAcquired:
		if f.Unseen {
			return fmt.Sprintf("%s holds %s since some time while the watch was lost", who(f.Claim), lock)
		}
		if !f.From.IsZero() {
			return fmt.Sprintf("%s got %s, which %s blocked", who(f.Claim), lock, Printable(f.From.Key))
		}
		return fmt.Sprintf("%s took %s, which was free", who(f.Claim), lock)
	case EntryShared:
		return fmt.Sprintf("%s holds %s too, at place %d", who(f.Claim), lock, f.Place)
	case EntryLeft:
		if f.WasHolder {
			return fmt.Sprintf("%s no longer holds %s%s: %s%s", who(f.Claim), lock, f.heldWords(), f.causeWords(), f.restWords())
		}
		return fmt.Sprintf("%s left the queue of %s at place %d: %s", who(f.Claim), lock, f.Place, f.causeWords())
	case EntryHandover:
		return f.handoverSentence(who, lock)
	case EntryFirst:
		return fmt.Sprintf("%s comes first in %s, since %s went: %s", who(f.Claim), lock, who(f.From), f.causeWords())
	case EntryTogether:
		return f.story.sentence()
	case EntryBlocked:
		return fmt.Sprintf("%s is blocked by %s, which is no claim of it", lock, Printable(f.Claim.Key))
	}
	return Printable(f.Text)
}

// restWords say what is left of a lock when a holder left.
func (f *JournalEntry) restWords() string {
	switch {
	case f.Others == 1:
		return "; one other holds it on"
	case f.Others > 1:
		return fmt.Sprintf("; %d others hold it on", f.Others)
	case f.Hidden:
		return "; who waits for it leaves no trace in etcd"
	case !f.WaitsFor.IsZero() || f.Place > 1:
		return "" // it is blocked, or somebody else got it: that is a line of its own
	}
	return "; nobody waits"
}

func (f *JournalEntry) handoverSentence(who func(ClaimRef) string, lock string) string {
	if f.Unseen {
		return fmt.Sprintf("%s now holds %s, %s does not any more: it changed while the watch was lost", who(f.Claim), lock, who(f.From))
	}
	gap := "no gap"
	switch {
	case f.Past:
		return fmt.Sprintf("%s got %s from %s: %s", who(f.Claim), lock, who(f.From), f.causeWords())
	case f.Gap > 0:
		gap = "free for " + seconds(f.Gap)
	}
	return fmt.Sprintf("%s got %s from %s%s: %s; %s", who(f.Claim), lock, who(f.From), f.heldWords(), f.causeWords(), gap)
}

func (f *JournalEntry) heldWords() string {
	if f.Held == 0 && !f.HeldAtLeast || f.Past {
		return ""
	}
	return " after " + Duration(f.Held, f.HeldAtLeast)
}

func (f *JournalEntry) causeWords() string {
	if f.Pending {
		if f.Cause == CauseUnknown {
			return "cause not known yet"
		}
		return f.Cause.Words() + " (reading its lease)"
	}
	return f.Cause.Words() + " (" + string(f.Confidence) + ")"
}

// Words says the cause for the screen. A lease that ended early is no accusation:
// closing a session revokes its lease.
func (c Cause) Words() string {
	switch c {
	case CauseReleased:
		return "released"
	case CauseExpired:
		return "lease expired"
	case CauseRevoked:
		return "lease revoked or closed"
	case CauseDeleted:
		return "key deleted"
	case CauseReplaced:
		return "its key was written over"
	}
	return "cause unknown"
}

// Duration writes a duration as the screen does: two units at most, and a plus
// where it is a lower bound ("12m+").
func Duration(d time.Duration, atLeast bool) string {
	var s string
	switch d = max(0, d); {
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
// escaped as in a Go string, marks that change the direction of text included.
func Printable(s string) string {
	clean := true
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
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == '\\':
			b.WriteString(`\\`)
		case Shown(r) && !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Me, r):
			b.WriteRune(r)
		default:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
		s = s[n:]
	}
	return b.String()
}

// Told is text of a person or a server, as it is if all of it can be seen, else [Printable].
func Told(s string) string {
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

func seconds(d time.Duration) string {
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
