package store

import (
	"slices"

	"locktop/model"
)

// Checkpoint returns events from which another state knows what is so now, but what only
// history tells: who writes down what happens begins with them. Where a list is under way there
// is none.
func (v *View) Checkpoint() (events []model.Event, ok bool) {
	if v.locks.Prefixes.Partial() || len(v.locks.Prefixes.Watches()) == 0 {
		return nil, false
	}
	return slices.Concat(v.locks.Checkpoint(), v.drill.Checkpoint(), v.reports.Checkpoint()), true
}
