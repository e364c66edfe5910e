package page

import (
	"locktop/model"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// countAtOnce is below how many locks findings are counted with every change.
const countAtOnce = 1000

// Counters counts the findings, at a rhythm: it goes over all of them.
type Counters struct {
	table.Rhythm
	errors, warnings, infos int
	// Verdict is the worst of it.
	Verdict Verdict
}

// NewCounters returns one that has counted nothing.
func NewCounters() Counters {
	return Counters{Rhythm: table.Rhythm{Per: table.SortPer, AtOnce: countAtOnce}}
}

// Update counts anew if that is due, for so many locks.
func (t *Counters) Update(s *store.View, total int, c table.Clock) {
	now := c.Now
	if t.Due(s.Version(), c) {
		t.Begin(s.Version(), now, total)
		t.errors, t.warnings, t.infos = s.CountFindings()
		t.Verdict.update(s, now)
	} else if !t.Verdict.Now && t.Verdict.Showing() {
		t.Verdict.update(s, now)
	}
}

// Worst is the code of the worst finding, "" once nothing is wrong any more.
func (t *Counters) Worst() model.Code {
	if !t.Verdict.Now {
		return ""
	}
	return t.Verdict.Finding.Code
}

// Count returns how many a person should look at, in the style of the worst.
func (t *Counters) Count() (int, draw.Style) {
	if t.errors > 0 {
		return t.errors + t.warnings, draw.Bad
	}
	return t.warnings, draw.Late
}

// Words are "2 errors", "3 warnings", "1 info", as far as there are any.
func (t *Counters) Words() []model.Message {
	var parts []model.Message
	if t.errors > 0 {
		parts = append(parts, model.Say("errors", draw.Counted(t.errors)))
	}
	if t.warnings > 0 {
		parts = append(parts, model.Say("warnings", draw.Counted(t.warnings)))
	}
	if t.infos > 0 {
		parts = append(parts, model.Say("infos", t.infos))
	}
	return parts
}
