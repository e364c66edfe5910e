package table

import (
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/ui/draw"
)

// Lease fills in what is known of a lease, into the room that the cell has:
// bar, remaining of granted, and how long ago it was renewed.
func (r *Row) Lease(l *locks.Lease, now time.Time) {
	th := r.F.Th
	left, ok := l.Remaining(now)
	if !ok {
		r.Add(draw.Dim, th.NoReading(l))
		return
	}
	left, beat, st := leaseNow(th, l, left, now)
	granted := l.Granted()
	nums := model.Remaining(left, granted)
	numw := max(7, len(nums))
	if bar := min(draw.BarCells, r.Room()-numw-6); bar >= 3 {
		full := int((left*int64(bar) + granted - 1) / granted)
		r.Add(barStyle(st), th.FullBar[:full*len(th.Sign.Full)])
		r.Add(draw.Dim, th.EmptyBar[(draw.BarCells-bar+full)*len(th.Sign.Empty):])
	}
	r.Add(draw.Plain, draw.Blanks[:numw-len(nums)]+nums+" ")
	r.Add(draw.Dim, beat.sign+draw.Blanks[:max(0, 3-len(beat.ago))]+beat.ago)
}

// beat is the last sign of life of a lease: what sign, and how long ago.
type beat struct{ sign, ago string }

// leaseNow says what is left of a lease and when it was renewed last, or, if nobody has
// asked since it was healthy, what it was then: no reason to let it run out. While no renewal
// was seen there is no heart: what was so long ago may have been its grant.
func leaseNow(th *draw.Theme, l *locks.Lease, left int64, now time.Time) (int64, beat, draw.Style) {
	st, _ := th.Level(l.State().Condition().Level)
	if old := now.Sub(l.Read.At); st == draw.Good && old > time.Duration(l.Granted())*time.Second/3+3*time.Second {
		return max(0, l.Read.Remaining), beat{th.Sign.Stale, model.Ticks(old)}, draw.Dim
	}
	ago, known := l.Renewed(now)
	switch {
	case !known: // a new leader gave it its TTL anew
		return left, beat{th.Sign.Renewed, th.Sign.Stale}, st
	case !l.Learned():
		return left, beat{" ", model.Ticks(ago)}, st
	}
	return left, beat{th.Sign.Renewed, model.Ticks(ago)}, st
}

// LeaseBrief is what is known of a lease in few cells, without a bar.
func LeaseBrief(th *draw.Theme, l *locks.Lease, now time.Time) draw.Span {
	left, ok := l.Remaining(now)
	if !ok {
		return draw.Dim.Of(th.NoReading(l))
	}
	left, beat, st := leaseNow(th, l, left, now)
	if st == draw.Good {
		st = draw.Plain
	}
	return st.Of(model.Remaining(left, l.Granted()) + " " + beat.sign + beat.ago)
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
