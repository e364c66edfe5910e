// Package experiment makes a table of what the published experiment measured, and says how long
// it takes.
package experiment

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/demo/lockset"
)

// around is what a run takes beside its length: five members start and end.
const around = 12 * time.Second

// Takes says how long so many runs of a length take.
func Takes(runs int, length time.Duration) string {
	takes := time.Duration(runs) * (length + around)
	if takes < 2*time.Minute {
		return fmt.Sprintf("%.0f s", takes.Seconds())
	}
	return fmt.Sprintf("%.0f min", takes.Minutes())
}

// Of are the rows of a cell from runs of one length: a short run is nothing to add to a
// long one.
func Of(rows []lockset.Row, c lockset.Cell, seconds float64) []lockset.Row {
	return slices.DeleteFunc(slices.Clone(rows), func(r lockset.Row) bool {
		return r.Fault != c.Fault || r.Fence != c.Fence || r.Seconds != seconds
	})
}

// lengths are those of the runs, the longest first.
func lengths(rows []lockset.Row) []float64 {
	var all []float64
	for _, r := range rows {
		all = append(all, r.Seconds)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	slices.Reverse(all)
	return all
}

// share is a part of a whole in percent, with the interval of Wilson in which the true share
// lies with 95 % confidence.
func share(part, whole int) string {
	if whole == 0 {
		return "–"
	}
	const z = 1.96
	p, n := float64(part)/float64(whole), float64(whole)
	middle, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	least, most := max(0, (middle-half)/(1+z*z/n)), min(1, (middle+half)/(1+z*z/n))
	return fmt.Sprintf("%.1f %% (%.1f to %.1f)", 100*p, 100*least, 100*most)
}

// Table writes what was measured beside what is known from elsewhere of runs that were
// no longer.
func Table(w io.Writer, rows []lockset.Row) error {
	var b strings.Builder
	b.WriteString("| Fault | Fence | Runs | Acked | Lost | Lost, share (95 %) | Overlaps | Refused | Elsewhere: acked | lost | overlaps | refused |\n" +
		"|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, c := range lockset.Cells() {
		for _, seconds := range lengths(rows) {
			if of := Of(rows, c, seconds); len(of) > 0 {
				b.WriteString(line(c, of))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// line is the line of a cell, of runs of one length.
func line(c lockset.Cell, of []lockset.Row) string {
	list := func(n func(lockset.Row) int) string {
		var words []string
		for _, r := range of {
			words = append(words, strconv.Itoa(n(r)))
		}
		return strings.Join(words, " / ")
	}
	acked, lost := 0, 0
	for _, r := range of {
		acked, lost = acked+r.Acked, lost+r.Lost
	}
	ref := c.Reference()
	if ref.Seconds > of[0].Seconds {
		ref = lockset.Reference{What: "longer runs", Acked: "-", Lost: "-", Overlaps: "-", Refused: "-"}
	}
	return fmt.Sprintf("| %s | %s | %d × %.0f s | %s | %s | %s | %s | %s | %s (%s) | %s | %s | %s |\n", c.Fault, c.Fence, len(of), of[0].Seconds,
		list(func(r lockset.Row) int { return r.Acked }), list(func(r lockset.Row) int { return r.Lost }), share(lost, acked),
		list(func(r lockset.Row) int { return r.Overlaps }), list(func(r lockset.Row) int { return r.Refused }),
		ref.Acked, ref.What, ref.Lost, ref.Overlaps, ref.Refused)
}
