package store

import (
	"slices"

	"locktop/model"
)

// Checkpoint returns events from which another store knows what is so now, but not what only history
// tells. Whoever writes down what happens begins with them: events can be written, and read by later
// versions. Where a list is under way there are none. [Store.Clone] knows more, and stays in memory.
func (v *View) Checkpoint() (events []model.Event, ok bool) {
	if v.locks.Prefixes.Partial() || len(v.locks.Prefixes.Watches()) == 0 {
		return nil, false
	}
	return slices.Concat(v.locks.Checkpoint(), v.drill.Checkpoint(), v.reports.Checkpoint()), true
}
