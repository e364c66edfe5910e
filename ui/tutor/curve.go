package tutor

import (
	"cmp"
	"time"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/page"
)

// curve is how much was left of the lease of each holder of one lock in turn while the person looked, a cell a
// second.
type curve []sample

// sample is what was left of the lease of the holder of a lock, in seconds; of is 0 where that is not known.
type sample struct {
	at       time.Time
	lock     string
	who      string // "" where nobody holds
	none     bool   // the holder's key has no lease
	left, of int64
	late     bool // its renewal is
}

// Lines of a curve, without its title, and how many seconds it keeps.
const (
	curveHigh = 3
	curveMost = 150
)

// look takes in what is left now: it stands in the newest cell until that is a second old. Another lock begins a
// curve of its own.
func (c *curve) look(f page.Frame, lock string) {
	l := f.S.Lock(lock)
	if all := f.S.Locks(); l == nil && len(all) == 1 {
		l = all[0]
	}
	if l == nil {
		return
	}
	x := sample{at: f.Now, lock: l.Name}
	if head := l.Head(); head != nil {
		lease := head.LeaseInfo()
		x.who, x.none = f.Th.Who(f.S, head.Ref()), lease == nil
		if left, ok := lease.Remaining(f.Now); ok {
			x.left, x.of, x.late = left, lease.Read.Granted, lease.State() != model.LeaseHealthy
		}
	}
	switch n := len(*c); {
	case n == 0 && x.of == 0:
	case n > 0 && (*c)[n-1].lock != x.lock:
		*c = curve{x}
	case n > 0 && x.at.Sub((*c)[n-1].at) < time.Second:
		x.at = (*c)[n-1].at
		(*c)[n-1] = x
	default:
		*c = append((*c)[max(0, n-curveMost):], x)
	}
}

// lines is the curve with its title, in w cells.
func (c curve) lines(th *draw.Theme, w int) []string {
	const edge = 7
	shown, last := c[max(0, len(c)-(w-edge-1)):], c[len(c)-1]
	top := int64(0)
	for _, x := range shown {
		top = max(top, x.of)
	}
	title := draw.Strong.Of(th.Say("tutor-lease-of", model.Verbatim(last.who)))
	switch {
	case last.who == "":
		title = draw.Dim.Of(th.Say("tutor-no-holder"))
	case last.none:
		title = draw.Strong.Of(th.Say("tutor-no-lease", model.Verbatim(last.who)))
	}
	lines := []string{th.Ruler(w, title)}
	for row := curveHigh - 1; row >= 0; row-- {
		label := ""
		switch {
		case top == 0: // nothing was read yet
		case row == curveHigh-1:
			label = draw.Age(time.Duration(top)*time.Second, false)
		case row == 0:
			label = "0s"
		}
		spans := []draw.Span{draw.Dim.Of(draw.Blank(edge-1-draw.Width(label)) + label + " ")}
		var run []int
		tone := draw.ToneHold
		flush := func() {
			if len(run) > 0 {
				spans = append(spans, th.Bars(run, draw.Slots, tone))
			}
			run = nil
		}
		for _, x := range shown {
			t := draw.ToneHold
			if x.late {
				t = draw.ToneLate
			}
			if t != tone {
				flush()
				tone = t
			}
			high := 0
			if top > 0 {
				high = int(x.left*curveHigh*draw.Slots/top) - row*draw.Slots
			}
			run = append(run, min(draw.Slots, max(0, high)))
		}
		flush()
		lines = append(lines, th.Line(w, spans, nil))
	}
	return lines
}

// ofWhom is the lock whose holder a step is about.
func (p *Panel) ofWhom() string { return cmp.Or(p.step.About, p.step.Lock, p.lock) }
