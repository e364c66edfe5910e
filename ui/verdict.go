package ui

import (
	"time"

	"locktop/model"
	"locktop/model/fold"
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

// tallyAtOnce is below how many locks findings are counted with every change.
const tallyAtOnce = 1000

// tally counts the findings, at a rhythm: it goes over all of them.
type tally struct {
	rhythm
	errors, warnings, infos int
}

func newTally() tally { return tally{rhythm: rhythm{per: sortPer, atOnce: tallyAtOnce}} }

func (t *tally) update(s *fold.State, total int, now time.Time) {
	if t.due(s.Version(), now) {
		t.begin(s.Version(), now, total)
		t.errors, t.warnings, t.infos = s.CountFindings()
	}
}

// count returns how many a person should look at, in the style of the worst.
func (t *tally) count() (int, style) {
	if t.errors > 0 {
		return t.errors + t.warnings, bad
	}
	return t.warnings, late
}
