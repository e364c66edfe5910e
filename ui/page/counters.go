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
func (cs *Counters) Update(s *store.View, total int, c table.Clock) {
	now := c.Now
	if cs.Due(s.Version(), c) {
		cs.Begin(s.Version(), now, total)
		cs.errors, cs.warnings, cs.infos = s.CountFindings()
		cs.Verdict.update(s, now)
	} else if !cs.Verdict.Now && cs.Verdict.Showing() {
		cs.Verdict.update(s, now)
	}
}

// Worst is the code of the worst finding, "" once nothing is wrong any more.
func (cs *Counters) Worst() model.Code {
	if !cs.Verdict.Now {
		return ""
	}
	return cs.Verdict.Finding.Code
}

// Count returns how many a person should look at, in the style of the worst.
func (cs *Counters) Count() (int, draw.Style) {
	if cs.errors > 0 {
		return cs.errors + cs.warnings, draw.Bad
	}
	return cs.warnings, draw.Late
}

// Words are "2 errors", "3 warnings", "1 info", as far as there are any.
func (cs *Counters) Words() []model.Message {
	var parts []model.Message
	if cs.errors > 0 {
		parts = append(parts, model.Say("errors", draw.Counted(cs.errors)))
	}
	if cs.warnings > 0 {
		parts = append(parts, model.Say("warnings", draw.Counted(cs.warnings)))
	}
	if cs.infos > 0 {
		parts = append(parts, model.Say("infos", cs.infos))
	}
	return parts
}
