package page

import (
	"time"

	"locktop/model/locks"
	"locktop/ui/draw"
	"locktop/ui/table"
)

// A row about which there is nothing to worry counts in steps, so that a screen full of
// them is not painted anew every second. What it says was true at the step, and a step
// is no more than a cell of the bar of its lease.
const (
	calmStep = 5 * time.Second
	CalmFrom = 2 * calmStep             // since the last change
	calmTTL  = draw.BarCells * calmStep // of the lease at least
)

// inSteps returns the view for a row that counts in steps.
func inSteps(f table.View) table.View {
	f.Now = f.Now.Truncate(calmStep)
	return f
}

// quietLease says whether a step means little for a lease.
func quietLease(l *locks.Lease) bool {
	return l == nil || !l.HasRead || time.Duration(l.Granted())*time.Second >= calmTTL
}
