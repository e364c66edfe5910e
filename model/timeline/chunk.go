package timeline

import "time"

// chunk is spans of one lock that are over, one behind the other in the order of their ends. Once it
// is full nothing of it changes, so timelines may share it.
type chunk struct {
	spans []Span
	// held counts the spans that got the lock. The times are in µs since 1970: came is the first that
	// came, over the first and gone the last end of any, got the first that got the lock.
	held             int
	came, over, gone int64
	got              int64
	waited           int64 // by all of them, in µs
	before           int   // how many spans of the line got the lock before its first
	waiting          int   // how many waited when its last one ended
}

const (
	chunkSpans = 64
	// chunkWeight is what a chunk takes beside its spans, and the line of a lock with one, in spans.
	chunkWeight = 3
	valueMax    = 64 // bytes of a value: it only says who it was
)

// end is when the wait was over, in µs.
func (s *Span) end() int64 {
	if !s.Got.IsZero() {
		return s.Got.UnixMicro()
	}
	return s.Gone.UnixMicro()
}

// touches says whether a span that is over lies in a part of a time, to not included.
func (s *Span) touches(from, to int64) bool {
	return s.Gone.UnixMicro() >= from && s.Came.UnixMicro() < to
}

// add appends a span, which ended no earlier than those before. Times are whole µs.
func (c *chunk) add(s Span) {
	later := func(t *time.Time, other time.Time) time.Time {
		if *t = t.Truncate(time.Microsecond); t.Before(other) {
			*t = other
		}
		return *t
	}
	from := later(&s.Came, time.Time{})
	if !s.Got.IsZero() {
		from = later(&s.Got, from)
	}
	later(&s.Gone, from)
	came, gone := s.Came.UnixMicro(), s.Gone.UnixMicro()
	if len(c.spans) == 0 || came < c.came {
		c.came = came
	}
	if len(c.spans) == 0 {
		c.over = gone
	}
	if !s.Got.IsZero() {
		if got := s.Got.UnixMicro(); c.held == 0 || got < c.got {
			c.got = got
		}
		c.held++
	}
	c.waited += s.end() - came
	c.gone = max(c.gone, gone)
	c.spans = append(c.spans, s)
}

// full says whether the chunk takes no more.
func (c *chunk) full() bool { return len(c.spans) >= chunkSpans }

// weight is what the chunk counts in the bound of its timeline.
func (c *chunk) weight() int { return len(c.spans) + chunkWeight }
