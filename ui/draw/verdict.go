package draw

import (
	"time"

	"locktop/model"
	"locktop/model/findings"
	"locktop/model/locks"
	"locktop/model/status"
)

// Level returns the style and sign of a level.
func (th *Theme) Level(l model.Level) (Style, string) {
	switch l {
	case model.LevelError:
		return Bad, th.Sign.Bad
	case model.LevelWarning:
		return Late, th.Sign.Late
	case model.LevelInfo:
		return Waiting, th.Sign.Info
	case model.LevelWell:
		return Good, th.Sign.Holds
	case model.LevelUnread:
		return Dim, th.Sign.Unread
	}
	return Dim, th.Sign.Waits
}

// Severity returns the style and sign of a severity.
func (th *Theme) Severity(s model.Severity) (Style, string) { return th.Level(s.Level()) }

// FormatCondition is the sign and the word of a condition, in its style.
func (th *Theme) FormatCondition(c model.Condition) Span {
	st, sign := th.Level(c.Level)
	if c == model.IsWaitedFor { // as calm as one that is held
		st, sign = Good, th.Sign.Holds
	}
	return st.Of(sign + " " + th.Message(findings.StateWord(c)))
}

// NextMove says when the lock will move, as far as that is known, or how long it has
// been as it is, in so many cells: its beginning if not all fits, else nothing.
func (th *Theme) NextMove(d status.Diagnosis, l *locks.Lock, c model.Condition, now time.Time, room int) string {
	switch h := l.Head(); {
	case h == nil && c.Trouble():
		return th.Message(FreeFor(l, now))
	case h == nil:
		return th.Message(model.Say("for", model.Verbatim(Age(l.FreeFor(now)))))
	case !l.Recipe().HasHolder:
		return th.Message(Keys(l.Len()))
	}
	if th.Asks {
		return ""
	}
	move := status.NextMove(d, l, now)
	if said := th.Fitting(room, move.Until(), move.UntilBrief); Width(said) <= room {
		return said
	}
	return ""
}

// FreeFor says for how long the lock has been free.
func FreeFor(l *locks.Lock, now time.Time) model.Message {
	return model.Say("free-for", model.Verbatim(Age(l.FreeFor(now))))
}

// Keys says how many keys there are.
func Keys(n int) model.Message { return model.Say("keys", model.Verbatim(Count(int64(n)))) }

// Fitting says the message, or the first of the briefer ones that fits into so many cells, or
// the last of them.
func (th *Theme) Fitting(room int, m model.Message, briefer func() []model.Message) string {
	said := th.Message(m)
	if Width(said) <= room {
		return said
	}
	for _, b := range briefer() {
		if Width(said) <= room {
			break
		}
		said = th.Message(b)
	}
	return said
}
