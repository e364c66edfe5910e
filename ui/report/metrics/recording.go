package metrics

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Recording is what is told of a recording that is written meanwhile.
type Recording struct {
	Dir      string // where it is: a folder, or a file
	Writes   bool   // false: nothing can be written at the moment
	Bytes    int64
	Since    time.Time // the oldest moment that is there, zero: none
	Failures int       // how often nothing could be written any more
	Lost     int       // events that were not written
	Steps    int       // how often the clock was set
}

func (r Recording) tell(g *gauges) {
	g.add("recording_info", "The folder, or of a lab the file, into which is recorded what is seen; the value is 1.", 1, "dir", r.Dir)
	g.add("recording_up", "Whether what is seen can be written down.", truth(r.Writes))
	g.add("recording_bytes", "Bytes that the folder of the recording holds.", float64(r.Bytes))
	if !r.Since.IsZero() {
		g.add("recording_since_timestamp_seconds", "The oldest moment that the recording answers for.", unix(r.Since))
	}
	g.typed(prometheus.CounterValue, "recording_failures_total", "How often nothing could be written any more.", float64(r.Failures))
	g.typed(prometheus.CounterValue, "recording_lost_events_total", "Events that were seen and not written down.", float64(r.Lost))
	g.typed(prometheus.CounterValue, "recording_clock_steps_total", "How often the clock of the machine was set.", float64(r.Steps))
}
