package timeline

import (
	"math"
	"time"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/model/timeline"
	"locktop/ui/draw"
)

// Painter paints lanes. It keeps what it painted with: a frame has many of them.
type Painter struct {
	laneCells
	depth []int64 // of each cell: µs waited in it, by all who waited
	most  []int32 // and how many waited when somebody looked, where more happened than is told apart
}

// Row is the lane of a whole lock: who holds changes its tone. Its cells are those of the
// painter, until it paints the next.
type Row struct {
	Cells []draw.Cell
	// Waiting is how many waited in each cell, on the average; nil if it was not asked for.
	Waiting []float64
}

// usualHolds is how many holds a lock has to have had before one may be called long, and
// longAfter how many times the usual one is long.
const (
	usualHolds = 10
	longAfter  = 3
)

// Row paints a lock in one line. quiet says that there is nothing to say about it, and depth
// that who waits is asked for, too.
func (pt *Painter) Row(s *store.View, lock string, sc Scale, quiet, depth bool) Row {
	pt.reset(sc)
	if depth {
		pt.depth, pt.most = cleared(pt.depth, sc.Cells), cleared(pt.most, sc.Cells)
	}
	even, odd := draw.ToneHold, draw.ToneHold2
	if quiet {
		even, odd = draw.ToneQuiet, draw.ToneQuiet2
	}
	s.Timeline().Segments(lock, sc.From, sc.To(), sc.Slot, func(p *timeline.Segment) bool {
		if p.Held {
			tone := even
			if p.Index%2 == 1 {
				tone = odd
			}
			pt.hold(p.Got, p.Gone, p.N, tone)
		}
		if depth {
			pt.waits(p)
		}
		return true
	})
	pt.wrong(s, lock, func(model.ClaimRef) bool { return true })
	for _, o := range s.Reports().Overlaps(lock) {
		pt.believe(o.From.UnixMicro(), pt.end(o.To))
	}
	cells := pt.cells(micro(s.Timeline().Since(lock)), true)
	pt.write(cells, even, "handovers-in-a-lane")
	pt.finish(s, lock, cells)
	row := Row{Cells: cells}
	if depth {
		row.Waiting = pt.waiting()
	}
	return row
}

// Holds paints times of which none overlaps another as one lane; where else nothing was seen from known on,
// nobody holds. The end of the last one may be zero: it goes on.
func (pt *Painter) Holds(sc Scale, known time.Time, all [][2]time.Time, unseen [][2]time.Time) []draw.Cell {
	pt.reset(sc)
	for i, x := range all {
		tone := draw.ToneQuiet
		if i%2 == 1 {
			tone = draw.ToneQuiet2
		}
		pt.hold(micro(x[0]), pt.end(x[1]), 1, tone)
	}
	cells := pt.cells(micro(known), true)
	for _, x := range unseen {
		pt.unseen(cells, micro(x[0]), pt.end(x[1]))
	}
	return cells
}

// micro is a time in µs, the end of all times for none.
func micro(t time.Time) int64 {
	if t.IsZero() {
		return math.MaxInt64
	}
	return t.UnixMicro()
}

// end is the end of what may go on: then it goes up to now.
func (pt *Painter) end(t time.Time) int64 {
	if t.IsZero() {
		return max(pt.Now, pt.To())
	}
	return t.UnixMicro()
}

// waits adds up for how long a piece waited in which cell.
func (pt *Painter) waits(p *timeline.Segment) {
	n := int64(1)
	switch {
	case p.N > 1 && p.Present:
		n = int64(p.N)
	case p.N > 1: // how many waited when the last of them ended
		if c := pt.Cell(p.Gone); c >= 0 && c < pt.Cells {
			pt.most[c] = max(pt.most[c], int32(p.Waiting)+1)
		}
		return
	}
	size := pt.Slot * draw.Slots
	from, to := max(p.Came, pt.From), min(p.Waited(), pt.To(), max(pt.Now, pt.From))
	for at := from; at < to; {
		c := pt.Cell(at)
		next := min(to, pt.From+int64(c+1)*size)
		pt.depth[c] += (next - at) * n
		at = next
	}
}

// waiting is how many waited in each cell.
func (pt *Painter) waiting() []float64 {
	all := make([]float64, pt.Cells)
	size := pt.Slot * draw.Slots
	for i := range all {
		seen := min(size, pt.Now-pt.From-int64(i)*size) // of the last cell only a part is over
		switch {
		case pt.most[i] > 0:
			all[i] = float64(pt.most[i] - 1)
		case seen > 0:
			all[i] = float64(pt.depth[i]) / float64(seen)
		}
	}
	return all
}

// wrong marks what is wrong about the holds of some claims of a lock: renewals that were
// missed, a hold far beyond the usual while others wait, a deadlock.
func (pt *Painter) wrong(s *store.View, lock string, of func(model.ClaimRef) bool) {
	for _, m := range s.Timeline().Missed(lock) {
		at := m.At
		if known := s.Timeline().Since(lock); at.Before(known) { // the last renewal was before anybody looked
			at = known
		}
		if x := s.Timeline().LastHold(lock, "", m.Lease, at, at.Add(time.Microsecond)); x != nil && of(x.Claim) {
			pt.over(max(at.UnixMicro(), x.Got.UnixMicro()), pt.end(x.Gone), draw.ToneLate)
		}
	}
	l := s.Lock(lock)
	if l == nil || l.Holder() == nil {
		return
	}
	h := l.Holder().Ref()
	if !of(h) {
		return
	}
	if since, ok := longSince(l); ok {
		pt.over(since.UnixMicro(), math.MaxInt64, draw.ToneLate)
	}
	for _, f := range s.FindingsOf(l) {
		if tone := toneOf(&f, h); tone != draw.ToneNone {
			pt.over(f.Since.UnixMicro(), math.MaxInt64, tone)
		}
	}
}

// toneOf is how a hold looks of which this was found, as serious as the state of its lock; none for what
// says nothing of the holder, or is only worth knowing.
func toneOf(f *model.Finding, holder model.ClaimRef) draw.Tone {
	switch f.Code {
	case model.CodeOrphanKey, model.CodeLeaseDetached:
		if !f.About(holder) {
			return draw.ToneNone
		}
	case model.CodeLockCycle, model.CodeLongHeld, model.CodeZombieHolder:
	default:
		return draw.ToneNone
	}
	switch f.Severity {
	case model.SevError:
		return draw.ToneStuck
	case model.SevWarning:
		return draw.ToneLate
	}
	return draw.ToneNone
}

// longSince is from when on the holder holds for far longer than is usual while others wait.
func longSince(l *locks.Lock) (since time.Time, ok bool) {
	st := l.Stats()
	got, _, holds := l.Holder().HeldSince()
	if !holds || st.Holds < usualHolds || l.Behind() == 0 {
		return since, false
	}
	since = got.Add(longAfter * st.HoldP50)
	if next := l.Next(); next != nil && next.Since.After(since) {
		since = next.Since
	}
	return since, true
}

// finish puts the signs where something begins to be wrong, and marks what nobody saw.
func (pt *Painter) finish(s *store.View, lock string, cells []draw.Cell) {
	begins(cells, draw.ToneLate)
	begins(cells, draw.ToneStuck)
	for _, g := range s.Timeline().Gaps(lock) {
		pt.unseen(cells, g.From.UnixMicro(), pt.end(g.To))
	}
	pt.cursor(cells)
}

// cursor draws its line through a lane. What cannot be drawn in a cell, and is said by a sign
// there, stays.
func (pt *Painter) cursor(cells []draw.Cell) {
	i := pt.Cursor()
	if i < 0 {
		return
	}
	c := &cells[i]
	if c.Count > 0 || c.Begins || c.Unseen || c.Sign != "" {
		return
	}
	if slot := (pt.At - pt.From) / pt.Slot % draw.Slots; slot >= int64(c.Split) {
		c.Left = c.Right
	}
	c.Right, c.Split, c.Cursor = c.Left, draw.Slots, true
}
