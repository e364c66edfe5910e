package timeline

import (
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// View is what a timeline answers, and a [Timeline] is one: nothing of it changes the timeline.
type View interface {
	// Start returns from when on there may be spans of any lock.
	Start() time.Time
	// Since returns from when on the spans of a lock are whole, zero if nothing was listed yet.
	Since(lock string) time.Time
	// Names yields the locks of which there is a past, in no order.
	Names(yield func(string) bool)
	// Spans yields the spans of a lock that touch a time, to not included.
	Spans(lock string, from, to time.Time) func(yield func(*Span) bool)
	// Last yields the spans of a lock that are over, the last one first.
	Last(lock string) func(yield func(*Span) bool)
	// LastHold returns the last span by which a key, or a lease, held a lock before a time and
	// not long before another, nil for none.
	LastHold(lock, key string, lease model.LeaseID, after, before time.Time) *Span
	// BeganAt returns when the span of a claim began that goes on.
	BeganAt(c *locks.Claim) (at time.Time, atLeast bool)
	// Recent returns a moment since which about n spans of a lock ended up to another.
	Recent(lock string, to time.Time, n int) time.Time
	// Ended returns when the last span of a lock ended that is over, false if none is kept.
	Ended(lock string) (at time.Time, any bool)
	// Segments yields the past of a lock between two times in µs, and what goes on. Spans that all
	// held within one grain are one piece.
	Segments(lock string, from, to, grain int64, yield func(*Segment) bool)
	// Contention returns the figures of a lock between two times, to not included.
	Contention(lock string, from, to time.Time, who func(model.ClaimRef) string) *Contention
	// Waited returns how long all that waited for a lock did so in a time.
	Waited(lock string, from, to time.Time) time.Duration
	// Handovers returns how many handovers were seen, HandoversIn how many in a second of the
	// last two minutes, by the Unix clock.
	Handovers() int
	HandoversIn(unix int64) int
	// Marks returns the marks of a time, of a lock and of all; Missed since when renewals of a
	// claim of a lock were missed, and Gaps the times in which nothing was seen of it.
	Marks(lock string, from, to time.Time) []Mark
	Missed(lock string) []Mark
	Gaps(lock string) []Gap
	// Dropped returns how many spans gave way to later ones, and when the last of them ended.
	Dropped() (n int, until time.Time)
}
