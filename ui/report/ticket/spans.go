package ticket

import (
	"time"

	"locktop/model/store"
	"locktop/model/timeline"
)

// spansOf are the spans of all locks within a time, to the microsecond as the timeline has it.
func spansOf(s *store.View, from, to time.Time) map[string][]timeline.Span {
	all := map[string][]timeline.Span{}
	take := func(name string) bool {
		if _, ok := all[name]; ok {
			return true
		}
		list := []timeline.Span{}
		for x := range s.Timeline().Spans(name, from, to) {
			x.Came, x.Got, x.Gone = x.Came.Truncate(time.Microsecond), x.Got.Truncate(time.Microsecond), x.Gone.Truncate(time.Microsecond)
			list = append(list, *x)
		}
		all[name] = list
		return true
	}
	s.Timeline().Names(take)
	for _, l := range s.Locks() {
		take(l.Name)
	}
	return all
}

// wholeSince is from when on the spans of a lock are whole, nil if from a time on.
func wholeSince(s *store.View, lock string, from time.Time) *time.Time {
	since := s.Timeline().Since(lock)
	if n, _ := s.Timeline().Dropped(); n == 0 || !since.After(from) {
		return nil
	}
	return &since
}
