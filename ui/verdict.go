package ui

import (
	"time"

	"locktop/model"
)

// level returns the style and sign of a level.
func (th *theme) level(l model.Level) (style, string) {
	switch l {
	case model.LevelError:
		return bad, th.sign.bad
	case model.LevelWarning:
		return late, th.sign.late
	case model.LevelInfo:
		return waiting, th.sign.info
	case model.LevelWell:
		return good, th.sign.holds
	case model.LevelUnread:
		return dim, th.sign.unread
	}
	return dim, th.sign.waits
}

// severity returns the style and sign of a severity.
func (th *theme) severity(s model.Severity) (style, string) { return th.level(s.Level()) }

// says is the sign and the word of a condition, in its style.
func (th *theme) says(c model.Condition) span {
	st, sign := th.level(c.Level)
	return span{st, sign + " " + c.Word}
}

// outlook says when the lock will move, as far as that is known, or how long it has
// been as it is.
func outlook(l *model.Lock, c model.Condition, now time.Time) string {
	switch h := l.Head(); {
	case h == nil && c.Trouble():
		return "free for " + age(l.FreeFor(now), false)
	case h == nil:
		return "for " + age(l.FreeFor(now), false)
	case !l.Recipe().HasHolder:
		return plural(l.Len(), "key")
	}
	return l.MovesWhen(now)
}
