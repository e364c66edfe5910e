package fold

import (
	"slices"

	"locktop/model"
)

// Beginning returns events from which another state knows what is so now, but what only
// history tells: who writes down what happens begins with them. Where a list is under way there
// is none.
func (s *State) Beginning() (events []model.Event, ok bool) {
	if s.Partial() || len(s.Watches()) == 0 {
		return nil, false
	}
	return slices.Concat(s.Keyspace.Beginning(), s.Drill.Beginning(), s.Reports.Beginning()), true
}
