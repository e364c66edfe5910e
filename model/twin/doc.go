// Package twin makes a second value of one that is a web of pointers: the twin is the same,
// and what is done to one of them is never seen in the other.
//
//	state ──Of──▶ the same state again, in a few milliseconds and not by the events
//
// It goes by the types and not by hand, so a field that is new is in the twin, too. What it
// cannot copy, a function or a channel, it refuses by a panic at the first sight of the type:
// such a thing might know the first value.
package twin
