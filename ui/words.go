package ui

import (
	"strconv"
	"time"

	"locktop/model"
)

// age writes a duration for a column: whole seconds, and one unit with a plus
// where it is a lower bound.
func age(d time.Duration, atLeast bool) string {
	if !atLeast && d >= 10*time.Second {
		return model.Duration(d, false)
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

// ticks writes a duration in three cells at most: the two digits that matter.
func ticks(d time.Duration) string {
	switch {
	case d < 100*time.Second:
		return strconv.Itoa(int(d/time.Second)) + "s"
	case d < 100*time.Minute:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	case d < 100*time.Hour:
		return strconv.Itoa(int(d/time.Hour)) + "h"
	}
	return strconv.Itoa(min(99, int(d/(24*time.Hour)))) + "d"
}

// count writes a number with separators: 184,203.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// plural writes "1 lock", "2 locks".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return count(int64(n)) + " " + word + "s"
}

func (th *theme) noReading(l *model.Lease) string {
	switch {
	case l == nil:
		return "no lease"
	case l.HasRead:
		return "gone"
	case l.Unread != "":
		return th.clean(l.Unread)
	}
	return th.sign.unread + " not read"
}

// remaining writes 39/60s, and 12m/60m where seconds would be too wide.
func remaining(left, granted int64) string {
	if granted < 1000 {
		return strconv.FormatInt(left, 10) + "/" + strconv.FormatInt(granted, 10) + "s"
	}
	return ticks(time.Duration(left)*time.Second) + "/" + ticks(time.Duration(granted)*time.Second)
}

// who names a claim, in cells. A value may be long: only its start is looked at.
func (th *theme) who(s *model.State, r model.ClaimRef) string {
	return th.tame(s.Who(brief(r)))
}

func brief(r model.ClaimRef) model.ClaimRef {
	r.Value, r.Key = shorten(r.Value), shorten(r.Key)
	return r
}

// sentence says an entry.
func (th *theme) sentence(s *model.State, f *model.JournalEntry) string {
	short := *f
	short.Lock, short.Text = shorten(f.Lock), shorten(f.Text)
	short.Claim, short.From, short.WaitsFor = brief(f.Claim), brief(f.From), brief(f.WaitsFor)
	return th.tame(short.Sentence(s.Who))
}

// factSign returns the sign and style of a kind of entry.
func (th *theme) factSign(f *model.JournalEntry) (string, style) {
	switch f.Kind {
	case model.EntryHandover:
		if f.Cause == model.CauseExpired || f.Cause == model.CauseRevoked || f.Unseen {
			return th.sign.arrow, late
		}
		return th.sign.arrow, good
	case model.EntryAcquired, model.EntryShared:
		return th.sign.holds, good
	case model.EntryFinding:
		switch f.Severity {
		case model.SevError:
			return th.sign.bad, bad
		case model.SevWarning:
			return th.sign.late, late
		}
		return th.sign.fact, dim // it is over
	case model.EntryQueued:
		return th.sign.waits, waiting
	case model.EntryLeft:
		return th.sign.left, plain
	case model.EntryBlocked:
		return th.sign.bad, bad
	case model.EntryGap:
		return th.sign.gap, late
	case model.EntryAction:
		return th.sign.act, accent
	}
	return th.sign.fact, dim
}

// clock is the time of day of an entry.
func clock(t time.Time) string { return t.Format("15:04:05.000") }

// factClock is the time of an entry, a word of the same width for one from etcd's
// history, which keeps no times.
func factClock(f *model.JournalEntry) string {
	if f.Past {
		return "earlier     "
	}
	return clock(f.At)
}
