package page

import (
	"strconv"
	"time"

	"locktop/model"
	"locktop/model/fold"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// TallyAtOnce is below how many locks findings are counted with every change.
const TallyAtOnce = 1000

// Tally counts the findings, at a rhythm: it goes over all of them.
type Tally struct {
	table.Rhythm
	errors, warnings, infos int
	// Verdict is the worst of it.
	Verdict Verdict
}

// NewTally returns one that has counted nothing.
func NewTally() Tally { return Tally{Rhythm: table.Rhythm{Per: table.SortPer, AtOnce: TallyAtOnce}} }

// Update counts anew if that is due, for so many locks.
func (t *Tally) Update(s *fold.State, total int, now time.Time) {
	if t.Due(s.Version(), now) {
		t.Begin(s.Version(), now, total)
		t.errors, t.warnings, t.infos = s.CountFindings()
		t.Verdict.update(s, now)
	} else if !t.Verdict.Now && t.Verdict.Showing() {
		t.Verdict.update(s, now)
	}
}

// Worst is the code of the worst finding, "" once nothing is wrong any more.
func (t *Tally) Worst() model.Code {
	if !t.Verdict.Now {
		return ""
	}
	return t.Verdict.Finding.Code
}

// Count returns how many a person should look at, in the style of the worst.
func (t *Tally) Count() (int, draw.Style) {
	if t.errors > 0 {
		return t.errors + t.warnings, draw.Bad
	}
	return t.warnings, draw.Late
}

// Words are "2 errors", "3 warnings", "1 info", as far as there are any.
func (t *Tally) Words() []string {
	var parts []string
	if t.errors > 0 {
		parts = append(parts, draw.Plural(t.errors, "error"))
	}
	if t.warnings > 0 {
		parts = append(parts, draw.Plural(t.warnings, "warning"))
	}
	if t.infos > 0 {
		parts = append(parts, strconv.Itoa(t.infos)+" info")
	}
	return parts
}
