package ui

import (
	"time"

	"locktop/model"
)

// view is what a row is painted from: what is true, when, and how it looks.
type view struct {
	s   *model.State
	th  *theme
	now time.Time
	// onScreen collects the leases that are shown: they are read first.
	onScreen *[]model.LeaseID
	marks    map[string]bool // what is marked by hand
}

// sees notes that the lease of a claim is shown.
func (f view) sees(c *model.Claim) {
	if c != nil && c.KV.Lease != 0 {
		*f.onScreen = append(*f.onScreen, c.KV.Lease)
	}
}

// exact is the time up to which milliseconds are counted: what is shown moves on by
// whole seconds, and what happened since has begun already.
func (f view) exact() time.Time {
	if t := f.s.Now(); t.After(f.now) {
		return t
	}
	return f.now
}
