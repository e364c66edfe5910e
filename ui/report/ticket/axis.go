package ticket

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"locktop/model/timeline"
)

// The axis is cut into cells. A cell is of one holder only if that one held all through it
// and nobody else did; where a handover falls into it, it says so. So no resolution makes
// two holders of one, or one of two.
const (
	axisWidth  = 720     // units of a lane
	axisBudget = 100_000 // bytes of all lanes
	cellBytes  = 9       // of a run of cells, at most
)

// lane is one row of the axis, as paths: what two successive holders held, what was held in
// part or changed hands, and when anybody waited.
type lane struct {
	Name, Even, Odd, Part, Waits string
}

// axis is a time cut into cells.
type axis struct {
	from, to time.Time
	cells    int
}

// newAxis is the axis for so many lanes.
func newAxis(from, to time.Time, lanes int) axis {
	width := max(1, (lanes*axisWidth*2*cellBytes+axisBudget-1)/axisBudget)
	return axis{from, to, max(1, axisWidth/width)}
}

// cellsOf returns the first cell that a time touches and the first that it does not, and
// whether it fills the first and the last of them.
func (a axis) cellsOf(from, to time.Time) (first, end int, fillsFirst, fillsLast bool) {
	total := a.to.Sub(a.from)
	if total <= 0 {
		return 0, 0, false, false
	}
	place := func(t time.Time) (int, bool) {
		x := float64(t.Sub(a.from)) / float64(total) * float64(a.cells)
		n := int(x)
		return n, float64(n) == x
	}
	first, fillsFirst = place(from)
	end, fillsLast = place(to)
	if !fillsLast {
		end++
	}
	if end == first { // a moment
		end, fillsFirst, fillsLast = first+1, false, false
	}
	return max(0, first), min(a.cells, end), fillsFirst, fillsLast
}

const (
	cellFree = iota
	cellEven
	cellOdd
	cellPart
)

// mark paints every cell that a time touches.
func (a axis) mark(cells []byte, from, to time.Time) {
	first, end, _, _ := a.cellsOf(from, to)
	for i := first; i < end; i++ {
		cells[i] = cellEven
	}
}

// lane paints spans.
func (a axis) lane(name string, spans []timeline.Span) lane {
	holds, waits := make([]byte, a.cells), make([]byte, a.cells)
	list := slices.Clone(spans)
	slices.SortStableFunc(list, func(x, y timeline.Span) int { return cmp.Or(x.Got.Compare(y.Got), x.Came.Compare(y.Came)) })
	n := 0
	for _, s := range list {
		if from, to, ok := s.WaitedWithin(a.from, a.to); ok {
			a.mark(waits, from, to)
		}
		from, to, ok := s.HeldWithin(a.from, a.to)
		if !ok {
			continue
		}
		shade := byte(cellEven + n%2)
		n++
		first, end, fillsFirst, fillsLast := a.cellsOf(from, to)
		for i := first; i < end; i++ {
			whole := (i > first || fillsFirst) && (i < end-1 || fillsLast)
			if holds[i] == cellFree && whole {
				holds[i] = shade
			} else {
				holds[i] = cellPart
			}
		}
	}
	return lane{name, a.path(holds, cellEven), a.path(holds, cellOdd), a.path(holds, cellPart), a.path(waits, cellEven)}
}

// path draws the runs of cells of a kind.
func (a axis) path(cells []byte, kind byte) string {
	var b []byte
	width := float64(axisWidth) / float64(a.cells)
	for i := 0; i < len(cells); i++ {
		if cells[i] != kind {
			continue
		}
		n := i
		for n < len(cells) && cells[n] == kind {
			n++
		}
		b = append(b, 'M')
		b = strconv.AppendFloat(b, math.Round(float64(i)*width), 'f', -1, 64)
		b = append(b, " 5h"...)
		b = strconv.AppendFloat(b, math.Round(float64(n)*width)-math.Round(float64(i)*width), 'f', -1, 64)
		i = n
	}
	return string(b)
}

// heldWithin is how long was held within a time, by all together.
func heldWithin(spans []timeline.Span, from, to time.Time) (sum time.Duration) {
	for _, s := range spans {
		if a, b, ok := s.HeldWithin(from, to); ok {
			sum += b.Sub(a)
		}
	}
	return sum
}
