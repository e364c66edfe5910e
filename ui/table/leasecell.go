package table

import (
	"time"

	"locktop/model"
	"locktop/ui/draw"
)

// Lease fills in what is known of a lease, into the room that the cell has:
// bar, remaining of granted, and how long ago it was renewed.
func (r *Row) Lease(l *model.Lease, now time.Time) {
	th := r.F.Th
	left, ok := l.Remaining(now)
	if !ok {
		r.Add(draw.Dim, th.NoReading(l))
		return
	}
	ago, _ := l.Renewed(now)
	granted := l.Granted()
	sign := th.Sign.Renewed
	st, _ := th.Level(l.State().Condition().Level)
	if old := now.Sub(l.Read.At); st == draw.Good && old > time.Duration(granted)*time.Second/3+3*time.Second {
		// It was healthy, and nobody has asked since: no reason to let it run out.
		sign, left, ago, st = th.Sign.Stale, max(0, l.Read.Remaining), old, draw.Dim
	}
	nums := draw.Remaining(left, granted)
	numw := max(7, len(nums))
	if bar := min(draw.BarCells, r.Room()-numw-6); bar >= 3 {
		full := int((left*int64(bar) + granted - 1) / granted)
		r.Add(barStyle(st), th.FullBar[:full*len(th.Sign.Full)])
		r.Add(draw.Dim, th.EmptyBar[(draw.BarCells-bar+full)*len(th.Sign.Empty):])
	}
	r.Add(draw.Plain, draw.Blanks[:numw-len(nums)]+nums+" ")
	t := draw.Ticks(ago)
	r.Add(draw.Dim, sign+draw.Blanks[:max(0, 3-len(t))]+t)
}

func barStyle(st draw.Style) draw.Style {
	switch st {
	case draw.Late:
		return draw.BarLate
	case draw.Bad:
		return draw.BarBad
	}
	return st
}
