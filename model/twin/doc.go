// Package twin keeps a value that is a web of pointers, and makes it anew as often as one wants:
// what is done to one of them is never seen in another.
//
//	state ──Keep──▶ image ──New──▶ the same state again, in a few milliseconds and not by the events
//
// It goes by the types and not by hand, so a field that is new is in the image, too. What it
// cannot copy, a function or a channel, it refuses by a panic at the first sight of the type:
// such a thing might know the first value.
//
// An image has no pointers but those to what all values share, so that however many are kept
// they cost the collector of memory nothing; and its bytes are packed, to a ninth or so, since
// things of a type that stand side by side are much the same. To make a value of it goes through
// memory from one end to the other, and searches for nothing.
package twin
