// Package axis paints what happened across time: a lane for each contender of a lock, with
// when it waited, when it held, and when it believed to hold.
//
//	lab.Interval, lab.Overlap ──LanesOf──▶ Lanes ──Lines──▶ the last minute, in cells
//
// A picture does not lie by its resolution: what is shorter than a cell is shown all the
// same, and of two marks the one that matters more. Lanes move by whole cells.
//
// The package knows no page.
package axis
