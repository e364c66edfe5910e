package tape

import (
	"reflect"
	"sort"
	"sync"
	"time"

	"locktop/model"
	"locktop/model/twin"
	"locktop/watcher/recording"
)

// reader reads a reel part by part, and keeps the part that it read last.
type reader struct {
	reel *recording.Reel
	part part
	read *parts // by anybody, nil for nobody
}

// parts are those that were read, for all readers of a reel: to read one takes longer than to
// apply it. They are kept as images, of which the collector of memory has no work. Once they take
// so many bytes they all go.
type parts struct {
	mu    sync.Mutex
	maker *twin.Maker
	all   map[int]*twin.Image[part]
	bytes int
}

const partsBytes = 64 << 20

func (x *parts) find(i int) (p part, ok bool) {
	if x == nil {
		return p, false
	}
	x.mu.Lock()
	image := x.all[i]
	x.mu.Unlock()
	if image == nil {
		return p, false
	}
	return *image.New(), true
}

func (x *parts) keep(i int, p part) {
	if x == nil {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.maker == nil {
		x.maker = twin.NewMaker([]reflect.Type{reflect.TypeFor[time.Location]()})
	}
	image := twin.Keep(x.maker, &p)
	if x.bytes += image.Bytes; x.all == nil || x.bytes > partsBytes {
		x.all, x.bytes = map[int]*twin.Image[part]{}, image.Bytes
	}
	x.all[i] = image
}

// part is a part of a reel with the time that the clock showed at each event: it never goes
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
	i := sort.Search(r.reel.Parts(), func(i int) bool { until, _ := r.reel.Until(i); return until > n })
	if p, ok := r.read.find(i); ok {
		r.part = p
		return &r.part, nil
	}
	events, err := r.reel.Read(i)
	if err != nil {
		return nil, err
	}
	p := part{events: events, clock: make([]time.Time, len(events))}
	var now time.Time
	if i > 0 {
		p.first, now = r.reel.Until(i - 1)
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
	i := sort.Search(r.reel.Parts(), func(i int) bool { _, latest := r.reel.Until(i); return latest.After(at) })
	if i == r.reel.Parts() {
		return r.reel.Len(), nil
	}
	first := 0
	if i > 0 {
		first, _ = r.reel.Until(i - 1)
	}
	p, err := r.at(first)
	if err != nil {
		return 0, err
	}
	return first + sort.Search(len(p.clock), func(i int) bool { return p.clock[i].After(at) }), nil
}
