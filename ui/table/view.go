package table

import (
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/ui/draw"
)

// View is what a row is painted from: what is true, when, and how it looks.
type View struct {
	S   *store.View
	Th  *draw.Theme
	Now time.Time
	// Stands: Now does not go on, see [Clock].
	Stands bool
	// OnScreen collects the leases that are shown: they are read first.
	OnScreen *[]model.LeaseID
	Marks    map[string]bool // what is marked by hand
	Chosen   map[string]bool // what an action is about, all of them at once
	// HolderCut takes the cells of the longest name of a holder that had no room; nil: nobody asks.
	HolderCut *int
	// Under: a row above says how the name of this one begins.
	Under bool
	// Lane paints the last minute of a lock into so many cells; nil where it is not shown.
	Lane func(l *locks.Lock, now time.Time, cells int) []draw.Span
}

// Clock is the time that is shown.
func (f View) Clock() Clock { return Clock{f.Now, f.Stands} }

// Sees notes that the lease of a claim is shown.
func (f View) Sees(c *locks.Claim) {
	if c != nil && c.KV.Lease != 0 {
		*f.OnScreen = append(*f.OnScreen, c.KV.Lease)
	}
}

// Exact is the time up to which milliseconds are counted: what is shown moves on by
// whole seconds, and what happened since has begun already.
func (f View) Exact() time.Time {
	if t := f.S.Now(); t.After(f.Now) {
		return t
	}
	return f.Now
}
