// Package twin keeps a copy of a value that is a web of pointers, and makes new values from the
// copy, as often as one wants. A change to one of these values is never seen in another.
//
//	state ──Keep──▶ image ──New──▶ the same state again, in a few milliseconds and not by the events
//
// The copy is made by the types and not by hand, so the image has a new field, too. A function or
// a channel cannot be copied, since it might know the first value: the package panics at the
// first sight of such a type.
//
// An image has no pointers but those to data that all values share, so images cost the garbage
// collector nothing, however many are kept. Things of one type stand side by side in it and are
// much the same, so its bytes are packed to about a ninth. Making a value goes through memory from
// one end to the other, and searches for nothing.
package twin
