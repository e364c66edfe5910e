package page

import (
	"testing"
	"time"

	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/ui/draw"
)

// TestPulse: handovers of the last minute are counted to the second, with a plus as long as no
// minute was seen, and stand as a graph of steps; so does who waits. Where nothing happened
// there is no graph.
func TestPulse(t *testing.T) {
	th := draw.NewTheme(draw.ThemeDark, termenv.TrueColor, draw.SignsUnicode)
	s, h := store.New(), modeltest.New()
	h.Loaded(0)
	var p Sparkline
	key := func(i int) string { return modeltest.ClaimKey("/l", model.LeaseID(0xa0+i)) }
	holder := 0
	h.Put(0.5, key(0), "", 0xa0)
	h.Put(0.6, key(1), "", 0xa1)
	handover := func(sec float64) {
		h.Put(sec, key(holder+2), "", model.LeaseID(0xa0+holder+2))
		h.Del(sec+0.1, key(holder))
		holder++
	}
	look := func(sec float64, waiting int) (handovers, waits string) {
		s.Apply(model.Batch{Events: h.Events})
		h.Events = nil
		now := modeltest.At(sec).Truncate(time.Second)
		p.Update(s.View, waiting, now)
		for _, sp := range p.Handovers(th, now) {
			handovers += sp.Text
		}
		for _, sp := range p.Waiting(th) {
			waits += sp.Text
		}
		return handovers, waits
	}
	start := float64(-modeltest.Start.Second()%10+10) + 10 // a step begins
	for _, r := range []struct {
		at           float64
		handovers    int // before
		waiting      int
		graph, waits string
		reason       string
	}{
		{1, 0, 1, "", "waiting        █   1", "nothing was handed over"},
		{start, 4, 1, "handovers/min        █  4+", "waiting      ███   1", "in the first step, and it is no minute yet"},
		{start + 11, 1, 2, "handovers/min       █▂  5+", "waiting     ▄▄▄█   2", "one in the next step"},
		{start + 31, 0, 2, "handovers/min     █▂    5+", "waiting   ▄▄▄███   2", "steps without any; who waits goes on to"},
		{start + 59, 0, 0, "handovers/min   █▂       5", "waiting ▄▄▄█████   0", "a minute was seen"},
		{start + 60, 0, 0, "handovers/min  █▂        1", "waiting ▄▄█████    0", "the first four were more than a minute ago"},
		{start + 200, 0, 0, "", "", "nothing in all that the graph shows"},
		{start + 201, 2, 1, "handovers/min        █   2", "waiting        █   1", "and again"},
	} {
		for range r.handovers {
			handover(r.at)
		}
		graph, waits := look(r.at, r.waiting)
		if graph != r.graph || waits != r.waits {
			t.Errorf("%s: %q and %q, want %q and %q", r.reason, graph, waits, r.graph, r.waits)
		}
	}
	if graph, _ := look(start+100, 0); graph != "" {
		t.Errorf("time went back, and it says %q of what was not seen so", graph)
	}
}
