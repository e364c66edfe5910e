package watcher

import (
	"testing"
	"time"

	"locktop/model"
)

// BenchmarkWatch is how fast changes come through a real watch, from the first put
// of 20,000 to the last event.
func BenchmarkWatch(b *testing.B) {
	s := newServer(b)
	c := s.dial()
	w := newWatcher(b, s.dial(), Options{Prefixes: []string{"/l/"}, Budget: -1, Timing: Timing{Drain: 5 * time.Millisecond}})
	r := &record{t: b, w: w}
	has[model.Loaded](r, 1)
	const puts = 20_000
	for b.Loop() {
		go fill(b, c, "/l/", puts)
		for n := 0; n < puts; {
			r.pull()
			for _, ev := range r.events {
				if e, ok := ev.(model.Committed); ok {
					n += len(e.Changes)
				}
			}
			r.events, r.batches = r.events[:0], r.batches[:0]
		}
	}
	b.ReportMetric(float64(puts*b.N)/b.Elapsed().Seconds(), "events/s")
}
