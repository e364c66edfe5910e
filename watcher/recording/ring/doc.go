// Package ring keeps the last hours of what a source delivered in a folder of bounded size.
//
//	batches, state ──▶ Ring ──▶ 00000007.base  the state when this piece began
//	                            00000007.log   what followed
//	                            00000008.base  …
//	folder ──Read──▶ spans of time without a gap ──▶ recording.Segments
//
// Each file is a recording of its own. A piece whose number follows that of the piece before
// goes on where that ended, so a reader of both needs only the base of the first, and
// comes to the same state. Where something was not written, because the
// disk was full, the clock was set or locktop had ended, a number is left out: there a new
// span begins, with its base, or with nothing if locktop began anew.
//
// The order is that of the numbers, whatever the clock of the machine said. The oldest
// pieces are removed, so that the folder stays as small and as young as it has to.
package ring
