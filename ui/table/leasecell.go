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
	nums := model.Remaining(left, l.Granted())
	numw := max(7, len(nums))
	if bar := min(draw.BarCells, r.Room()-numw-6); bar >= 3 {
		r.Spans = leaseBar(r.Spans, th, left, l.Granted(), bar, st)
	}
	r.Add(draw.Plain, draw.Blanks[:numw-len(nums)]+nums+" ")
	r.Add(draw.Dim, beat.sign+draw.Blanks[:max(0, 3-len(beat.ago))]+beat.ago)
}

// leaseBar appends how much of a lease is left as a bar of so many cells, with a blank behind it.
func leaseBar(spans []draw.Span, th *draw.Theme, left, granted int64, cells int, st draw.Style) []draw.Span {
	full := int((left*int64(cells) + granted - 1) / granted)
	return append(spans, barStyle(st).Of(th.FullBar[:full*len(th.Sign.Full)]), draw.Dim.Of(th.EmptyBar[(draw.BarCells-cells+full)*len(th.Sign.Empty):]))
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

// briefNums is the width of most figures of a lease: those behind bars stand under each other.
const briefNums = 6

// LeaseBrief is what is known of a lease in w cells, behind a bar of so many, 0 for none.
func LeaseBrief(th *draw.Theme, l *locks.Lease, now time.Time, bar, w int) []draw.Span {
	left, ok := l.Remaining(now)
	if !ok {
		return []draw.Span{draw.Dim.Of(th.Cut(th.NoReading(l), w))}
	}
	left, beat, st := leaseNow(th, l, left, now)
	var spans []draw.Span
	nums := model.Remaining(left, l.Granted())
	if bar > 0 {
		spans = leaseBar(spans, th, left, l.Granted(), bar, st)
		nums = draw.Blank(max(0, briefNums-len(nums))) + nums
	}
	if st == draw.Good {
		st = draw.Plain
	}
	return append(spans, st.Of(nums), draw.Dim.Of(th.Cut(" "+beat.sign+beat.ago, w-draw.WidthOf(spans)-len(nums))))
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
