package playback

import (
	"sort"
	"sync"
	"time"

	"locktop/model"
	"locktop/watcher/recording"
)

// reader reads a recording part by part, and keeps the part that it read last.
type reader struct {
	segments *recording.Segments
	part     part
	read     *parts // by anybody, nil for nobody
}

// parts are those that were read, for all readers of a recording: to read one takes longer than to
// apply it. Nobody writes to their events. Once they have more than eventsMax events they all go.
type parts struct {
	mu     sync.Mutex
	all    map[int]part
	events int
}

// eventsMax are some 50 MiB.
const eventsMax = 100_000

func (x *parts) find(i int) (p part, ok bool) {
	if x == nil {
		return p, false
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	p, ok = x.all[i]
	return p, ok
}

func (x *parts) keep(i int, p part) {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.events += len(p.events); x.all == nil || x.events > eventsMax {
		x.all, x.events = map[int]part{}, len(p.events)
	}
	x.all[i] = p
}

// part is a part of a recording with the time that the clock showed at each event: it never goes
// back.
type part struct {
	first  int // event
	events []model.Event
	clock  []time.Time
}

// at returns the part in which the nth event is.
func (r *reader) at(n int) (*part, error) {
	if p := &r.part; n >= p.first && n < p.first+len(p.events) {
		return p, nil
	}
	i := sort.Search(r.segments.Parts(), func(i int) bool { until, _ := r.segments.Until(i); return until > n })
	if p, ok := r.read.find(i); ok {
		r.part = p
		return &r.part, nil
	}
	events, err := r.segments.Read(i)
	if err != nil {
		return nil, err
	}
	p := part{events: events, clock: make([]time.Time, len(events))}
	var now time.Time
	if i > 0 {
		p.first, now = r.segments.Until(i - 1)
	}
	for i, e := range events {
		if at := e.When(); p.first+i == 0 || at.After(now) {
			now = at
		}
		p.clock[i] = now
	}
	r.part = p
	r.read.keep(i, p)
	return &r.part, nil
}

// by returns how many events there were by a time.
func (r *reader) by(at time.Time) (int, error) {
	i := sort.Search(r.segments.Parts(), func(i int) bool { _, latest := r.segments.Until(i); return latest.After(at) })
	if i == r.segments.Parts() {
		return r.segments.Len(), nil
	}
	first := 0
	if i > 0 {
		first, _ = r.segments.Until(i - 1)
	}
	p, err := r.at(first)
	if err != nil {
		return 0, err
	}
	return first + sort.Search(len(p.clock), func(i int) bool { return p.clock[i].After(at) }), nil
}
