package draw

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/model/text"
)

// Tenths writes for how long something was wrong: cut, so that it is never too much.
func Tenths(d time.Duration) string { return model.Duration(d.Truncate(100*time.Millisecond), false) }

// Age writes a duration for a column: whole seconds, and one unit with a plus
// where it is a lower bound.
func Age(d time.Duration, atLeast bool) string {
	if !atLeast && d >= 10*time.Second {
		return model.Duration(d, false)
	}
	if d < time.Second && atLeast {
		return model.Duration(d, true)
	}
	n, unit := int64(d/time.Second), "s"
	switch {
	case d >= 24*time.Hour:
		n, unit = int64(d/(24*time.Hour)), "d"
	case d >= time.Hour:
		n, unit = int64(d/time.Hour), "h"
	case d >= time.Minute:
		n, unit = int64(d/time.Minute), "m"
	}
	s := strconv.FormatInt(max(0, n), 10) + unit
	if atLeast {
		s += "+"
	}
	return s
}

// Count writes a number with separators: 184,203.
func Count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Counted is a number with separators, for a message.
func Counted(n int) model.Verbatim { return model.Verbatim(Count(int64(n))) }

// PadTo is a text with blanks after it, in n cells or as many as it takes.
func PadTo(s string, n int) string { return s + Blank(max(0, n-Width(s))) }

// NoReading says why nothing is known of a lease.
func (th *Theme) NoReading(l *locks.Lease) string {
	switch {
	case l == nil:
		return th.Say("no-lease")
	case l.HasRead:
		return th.Say("gone")
	case !l.Unread.IsZero():
		return th.Message(l.Unread)
	}
	return th.Sign.Unread + " " + th.Say("not-read")
}

// Who names a claim, in cells. A value may be long: only its start is looked at.
func (th *Theme) Who(s *store.View, r model.ClaimRef) string {
	return th.Escape(s.Who(Brief(r)))
}

// WhoIn names a claim in so many cells: one that has no other name than its key by the end of it,
// since the lock's own name is its beginning.
func (th *Theme) WhoIn(s *store.View, r model.ClaimRef, w int) string {
	name := th.Who(s, r)
	if name == th.Escape(shorten(r.Key)) {
		return th.CutKey(name, w)
	}
	return th.Cut(name, w)
}

// Brief cuts the middle out of a long key and a long value: they are only to be named.
func Brief(r model.ClaimRef) model.ClaimRef {
	r.Value, r.Key = shorten(r.Value), shorten(r.Key)
	return r
}

// Sentence says an entry.
func (th *Theme) Sentence(s *store.View, f *journal.Entry) string {
	short := *f
	short.Lock = shorten(f.Lock)
	if !th.Past {
		short.By = ""
	}
	short.Claim, short.From, short.WaitsFor = Brief(f.Claim), Brief(f.From), Brief(f.WaitsFor)
	if th.Asks && short.Text.ID == "found" { // not what that means
		short.Text = model.Say("found-alone", short.Text.Args[:2]...)
	}
	m := short.Message(s.Who)
	if th.Asks && f.Kind == journal.Queued && f.Permits <= 1 { // nor who is next
		m = model.Say("joined-somewhere", m.Args[:2]...)
	}
	said := text.Render(th.Lang, m)
	if !f.Text.IsZero() {
		said = shorten(said)
	}
	return th.Escape(said)
}

// SentenceHere says an entry where its lock is named beside it.
func (th *Theme) SentenceHere(s *store.View, f *journal.Entry) string {
	if f.Lock == "" {
		return th.Sentence(s, f)
	}
	here := *f
	here.Lock = ""
	return th.Sentence(s, &here)
}

// FactSign returns the sign and style of a kind of entry.
func (th *Theme) FactSign(f *journal.Entry) (string, Style) {
	switch f.Kind {
	case journal.Handover:
		if f.Cause == journal.CauseExpired || f.Cause == journal.CauseRevoked || f.Cause == journal.CauseReplaced || f.Unseen {
			return th.Sign.Arrow, Late
		}
		return th.Sign.Arrow, Good
	case journal.Acquired, journal.Shared:
		return th.Sign.Holds, Good
	case journal.Finding:
		switch f.Severity {
		case model.SevError:
			return th.Sign.Bad, Bad
		case model.SevWarning:
			return th.Sign.Late, Late
		}
		return th.Sign.Fact, Dim // it is over
	case journal.Queued:
		return th.Sign.Waits, Waiting
	case journal.Left:
		return th.Sign.Left, Plain
	case journal.Together:
		return th.Sign.Left, Late
	case journal.Blocked:
		return th.Sign.Bad, Bad
	case journal.Gap:
		return th.Sign.gap, Late
	case journal.Action:
		return th.Sign.Act, Accent
	case journal.Drill:
		return th.Sign.Mark, Accent
	case journal.Member:
		return th.Sign.Mark, Waiting
	case journal.Lab:
		if f.Text.ID == "wrote-with-old-token" {
			return th.Sign.Bad, Bad
		}
	}
	return th.Sign.Fact, Dim
}

// ClockCells is how wide the time of an event is, and ClockBrief without its milliseconds.
const (
	ClockCells = 12
	ClockBrief = 8
)

// FactClock is the time of an entry in so many cells, or words for one from etcd's history, which
// keeps no times.
func (th *Theme) FactClock(f *journal.Entry, cells int) string {
	said := head(th.factClock(f), cells)
	return PadTo(said, cells)
}

func (th *Theme) factClock(f *journal.Entry) string {
	switch {
	case f.Past && f.Within > 0:
		return th.Say("by-the-clock", model.Verbatim(f.At.Format(time.TimeOnly)))
	case f.Past:
		return th.Say("before-we-looked")
	}
	return model.Clock(f.At)
}

// ClockWasSet says that the machine's clock was set by so much, which the times that are told do
// not follow: between two of them there is as much as there was.
func ClockWasSet(by time.Duration) model.Message {
	if by < 0 {
		return model.Say("the-clock-was-set-back", by.Abs())
	}
	return model.Say("the-clock-was-set-forward", by)
}

// NotNow says why something cannot be done now. A reason that is a sentence of its own
// stands alone.
func (th *Theme) NotNow(reason string) string {
	if r, _ := utf8.DecodeRuneInString(reason); unicode.IsUpper(r) && strings.HasSuffix(reason, ".") || strings.HasSuffix(reason, "。") {
		return reason
	}
	return th.Say("not-available", model.Verbatim(reason))
}
