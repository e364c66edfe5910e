// Package timeline paints what happened across time.
//
//	model/timeline ──Segments──▶ laneCells ──cells──▶ Row: a lock in one line
//	                                        └──▶ Lanes: a line for each contender of a lock
//	Window: which time, how far back ──Scale──▶ which time a cell is
//
// The resolution never makes a picture lie. A cell has eight slots, and a slot shows what was
// in its middle: so no column shows two holders where one held after the other. The rest
// is counted: a cell in which more happened than two parts can show, or a hold
// too short for any slot, says how many, and claims nothing of who held when. A false
// belief lies on top, at least one slot wide.
//
// ring.go draws a deadlock: a ring of sessions, each of which waits for the next, as boxes and arrows
// where they fit, else as a line for each session.
//
// The package knows no page and draws for any of them.
package timeline
