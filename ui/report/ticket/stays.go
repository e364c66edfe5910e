package ticket

import (
	"time"

	"locktop/model/store"
	"locktop/model/timeline"
)

// stay is the time of one claim in the queue of its lock, to the microsecond as the book
// has it.
type stay timeline.Span

// stayBook are the stays of all locks within a time.
type stayBook map[string][]stay

func staysOf(s *store.View, from, to time.Time) stayBook {
	book := stayBook{}
	take := func(name string) bool {
		if _, ok := book[name]; ok {
			return true
		}
		list := []stay{}
		for x := range s.Timeline().Spans(name, from, to) {
			x.Came, x.Got, x.Gone = x.Came.Truncate(time.Microsecond), x.Got.Truncate(time.Microsecond), x.Gone.Truncate(time.Microsecond)
			list = append(list, stay(*x))
		}
		book[name] = list
		return true
	}
	s.Timeline().Names(take)
	for _, l := range s.Locks() {
		take(l.Name)
	}
	return book
}

// wholeSince is from when on the stays of a lock are whole, nil if from a time on.
func wholeSince(s *store.View, lock string, from time.Time) *time.Time {
	since := s.Timeline().Since(lock)
	if n, _ := s.Timeline().Dropped(); n == 0 || !since.After(from) {
		return nil
	}
	return &since
}
