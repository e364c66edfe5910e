package page

import (
	"strconv"
	"time"

	"locktop/model/fold"
	"locktop/ui/draw"
)

// Pulse is how much happens: handovers, and how many wait, in steps of time up to now.
type Pulse struct {
	begun              time.Time // what was before is not counted
	now                int64     // the step that goes on
	total              int       // handovers up to now
	handovers, waiting [pulseSteps]int
	second             int64
	seconds            [60]int // handovers of each second of the last minute
	waits              int     // now
}

// A pulse goes back for pulseSteps steps.
const (
	pulseStep  = 10 * time.Second
	pulseSteps = 8
)

// Update counts what happened since, and notes how many wait. Where time goes back it begins
// anew.
func (p *Pulse) Update(s *fold.State, waiting int, now time.Time) {
	if now.IsZero() || !s.Loaded() {
		return
	}
	second, total := now.Unix(), s.Book.Handovers()
	step := second / int64(pulseStep/time.Second)
	if p.begun.IsZero() || second < p.second || total < p.total {
		*p = Pulse{begun: now, now: step, second: second, total: total}
	}
	p.now = max(p.now, step-pulseSteps)
	for ; p.now < step; p.now++ {
		copy(p.handovers[:], p.handovers[1:])
		copy(p.waiting[:], p.waiting[1:])
		p.handovers[pulseSteps-1], p.waiting[pulseSteps-1] = 0, p.waits // as many as before: no event came
	}
	for p.second = max(p.second, second-60); p.second < second; {
		p.second++
		p.seconds[p.second%60] = 0
	}
	const last = pulseSteps - 1
	p.handovers[last] += total - p.total
	p.seconds[second%60] += total - p.total
	p.waiting[last] = max(p.waiting[last], waiting)
	p.total, p.waits = total, waiting
}

// Handovers are those of the last minute as a graph and a number, with a plus as long as no
// minute was seen; nothing where there were none.
func (p *Pulse) Handovers(th *draw.Theme, now time.Time) []draw.Span {
	n := sum(p.seconds[:])
	if n == 0 && sum(p.handovers[:]) == 0 {
		return nil
	}
	more := ""
	if now.Sub(p.begun) < time.Minute {
		more = "+"
	}
	return p.graph(th, "handovers/min ", p.handovers[:], draw.ToneHold, strconv.Itoa(n)+more)
}

// Waiting are those who wait, all together; nothing where nobody did.
func (p *Pulse) Waiting(th *draw.Theme) []draw.Span {
	if sum(p.waiting[:]) == 0 {
		return nil
	}
	return p.graph(th, "waiting ", p.waiting[:], draw.ToneDepth, strconv.Itoa(p.waits))
}

// graph has room for three digits, so that what stands beside it stays where it is.
func (p *Pulse) graph(th *draw.Theme, name string, steps []int, t draw.Tone, number string) []draw.Span {
	return []draw.Span{draw.Dim.Of(name), th.Bars(steps, t), draw.Plain.Of(draw.Blank(1+max(0, 3-len(number))) + number)}
}

func sum(of []int) (n int) {
	for _, x := range of {
		n += x
	}
	return n
}
