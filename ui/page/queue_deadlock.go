package page

import (
	"slices"

	"locktop/model"
	"locktop/model/locks"
	"locktop/ui/draw"
	"locktop/ui/timeline"
)

// ringFrom is the height from which a deadlock is drawn, and ringRest how many lines what goes with its
// sessions, and blank ones, have beside how it came.
const (
	ringFrom = 10
	ringRest = 4
)

// ring has the queue, as few rows of it as leave room, who waits for whom, and what goes with
// which session. What else was found stands below, and the lanes and the journal in what is left.
func (p *QueuePane) ring(f Frame, l *locks.Lock, ring *timeline.Ring, lines []string, w, h int, focused bool) []string {
	rows := max(2, min(1+l.Len(), h-1-timeline.RingHigh, h/3))
	lines = p.queue(lines, f, l, w, rows, focused)
	lines = append(lines, f.Th.Ruler(w, draw.Strong.Of(f.Th.Say("who-waits-for-whom"))))
	lines = append(lines, ring.Lines(w, h-len(lines))...)
	if n := ring.CameHigh(); n > 0 && f.Height >= TallFrom && h-len(lines) >= n+ringRest {
		lines = append(lines, draw.Blank(w))
		lines = append(lines, ring.Came(&f.Axis.Painter, w)...)
	}
	if f.Height >= TallFrom && h-len(lines) > 1+l.Len()+2*ringRest {
		lines = append(lines, draw.Blank(w))
	}
	lines = append(lines, ring.Costs(w, h-len(lines))...)
	found := slices.DeleteFunc(slices.Clone(besideCycle(f.S.FindingsOf(l))), func(x model.Finding) bool { return x.Code == model.CodeLockCycle })
	if n := min(3, l.Len()); h-len(lines) >= n+8 && l.Recipe().HasHolder {
		past, _ := f.Axis.Lanes(f, l, w, n, true)
		lines = append(lines, past...)
	}
	why, facts := whyShares(f.Th, found, w, h-len(lines))
	if why > 0 {
		lines = WhyPane(f.Th, lines, found, w, why)
	}
	if facts > 1 {
		lines = append(lines, p.history(f, l, w, facts, true)...)
	}
	return draw.Fill(lines, w, h)
}

// besideCycle leaves out that locks share a lease where a deadlock says so already: each of its
// sessions is in the queues of two.
func besideCycle(found []model.Finding) []model.Finding {
	is := func(code model.Code) func(model.Finding) bool {
		return func(x model.Finding) bool { return x.Code == code }
	}
	if !slices.ContainsFunc(found, is(model.CodeLockCycle)) {
		return found
	}
	return slices.DeleteFunc(slices.Clone(found), is(model.CodeSharedLease))
}
