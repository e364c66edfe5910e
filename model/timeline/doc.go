// Package timeline keeps what happened across time: for every lock, when each claim waited and
// when it held.
//
//	changes: gone, let go, lines of the journal ──▶ Timeline: the spans that are over, marks
//	                                                    │
//	queues of locks.State ──────────────────────────────┴──▶ Spans ──▶ lanes, contention figures, beliefs of the lab
//
// A [Span] is one claim in the queue of its lock: it came, it got the lock or not, it went. It
// follows from watched keys alone, so every lock on every cluster has its spans. An open span
// is not stored: it is read from the queues. A span that is over stands in a chunk of its lock, which
// never changes once it is full. A [Mark] is a moment that matters beside them, a [Gap] a time in which
// nothing was seen.
//
// Memory is bounded by the number of spans ([spansMax]): the oldest of all locks are dropped first, and
// those of one lock before it takes a quarter of all. [Timeline.Since] says since when
// the spans of a lock are complete.
//
// [Timeline.Contention] turns the spans of a time into figures: who waited for whom, and for how
// long. A replay of the turns ([Contention.WhatIf]) says how long it would have been with shorter
// holds.
package timeline
