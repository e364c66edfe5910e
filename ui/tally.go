package ui

import (
	"strconv"
	"time"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// tallyAtOnce is below how many locks findings are counted with every change.
const tallyAtOnce = 1000

// tally counts the findings, at a rhythm: it goes over all of them.
type tally struct {
	table.Rhythm
	errors, warnings, infos int
}

func newTally() tally { return tally{Rhythm: table.Rhythm{Per: table.SortPer, AtOnce: tallyAtOnce}} }

func (t *tally) update(s *model.State, total int, now time.Time) {
	if t.Due(s.Version(), now) {
		t.Begin(s.Version(), now, total)
		t.errors, t.warnings, t.infos = s.CountFindings()
	}
}

// count returns how many a person should look at, in the style of the worst.
func (t *tally) count() (int, draw.Style) {
	if t.errors > 0 {
		return t.errors + t.warnings, draw.Bad
	}
	return t.warnings, draw.Late
}

// words are "2 errors", "3 warnings", "1 info", as far as there are any.
func (t *tally) words() []string {
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
