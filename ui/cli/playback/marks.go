package playback

import (
	"cmp"
	"context"
	"sort"
	"sync"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/store"
	"locktop/ui/host"
)

// bookmark is where the journal has a line more.
type bookmark struct {
	told int // events that were told by then
	at   time.Time
	kind host.StopKind
}

func stopKind(k journal.Kind) host.StopKind {
	switch k {
	case journal.Finding:
		return host.StopFinding
	case journal.Handover, journal.Acquired, journal.Shared, journal.Left, journal.Together:
		return host.StopHandover
	case journal.Queued, journal.Blocked:
		return host.StopEvent
	}
	return host.StopMark
}

// Bounds of what is kept of a recording: a state is kept where so many events have passed, or
// so many as a share of its keys, since a copy costs by the key. All weigh so many keys, of which
// each takes some 650 bytes; if there are more, every second one goes.
const (
	keepEvents = 1500
	keepShare  = 10
	keepKeys   = 500_000
)

// marks are what a scan of the recording found so far: the stops, and states on the way.
type marks struct {
	mu    sync.Mutex
	told  int // events that were scanned
	len   int // events that there are to scan
	ended bool
	err   error // why it ended early
	stops []bookmark
	kept  []kept
	keys  int           // that they weigh
	apart int           // how many events are between two of them at least
	most  int           // keys that all of them may weigh
	more  chan struct{} // closed when there is more, and made anew
}

// kept is the state after so many events. Nobody applies to it.
type kept struct {
	told  int
	state *store.Store
	keys  int // that it weighs
}

func newMarks() *marks {
	return &marks{apart: keepEvents, most: keepKeys, more: make(chan struct{})}
}

// scanner is a scan of a recording, which goes on where it was when the recording has grown.
type scanner struct {
	mu    sync.Mutex // one scan goes on at a time
	state *store.Store
	seen  uint64 // of the journal
	told  int
	last  int // events that were told when a state was kept
}

func newScanner(pins []model.Pin) *scanner {
	return &scanner{state: store.New(pins...)}
}

// grow says how many events there are now.
func (m *marks) grow(events int) { m.update(func() { m.len, m.ended = events, false }) }

// scan goes through what was not scanned yet, once.
func (m *marks) scan(ctx context.Context, in reader, x *scanner) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for x.told < in.segments.Len() {
		p, err := in.at(x.told)
		if err = cmp.Or(ctx.Err(), err); err != nil {
			m.update(func() { m.ended, m.err = true, err })
			return
		}
		var stops []bookmark
		for i := x.told - p.first; i < len(p.events); i++ {
			x.state.Apply(model.Batch{Events: p.events[i : i+1]})
			for _, f := range x.state.JournalAfter(x.seen) {
				x.seen = f.Seq
				stops = append(stops, bookmark{p.first + i + 1, p.clock[i], stopKind(f.Kind)})
			}
		}
		x.told = p.first + len(p.events)
		m.update(func() { m.told, m.stops = x.told, append(m.stops, stops...) })
		if keys, _ := x.state.Counts(); x.told-x.last >= max(m.apart, keys/keepShare) {
			x.last = x.told
			k := kept{x.told, x.state.Clone(), x.state.Weight()}
			m.update(func() { m.keep(k) })
		}
	}
	m.update(func() { m.ended = m.told >= m.len }) // else more came meanwhile, and is scanned next
}

// keep keeps a state, and lets others go if all weigh too much.
func (m *marks) keep(k kept) {
	m.kept, m.keys = append(m.kept, k), m.keys+k.keys
	if m.keys <= m.most || len(m.kept) < 2 {
		return
	}
	m.apart *= 2
	some := m.kept[:0]
	for i, k := range m.kept {
		if i%2 == 1 {
			some = append(some, k)
		} else {
			m.keys -= k.keys
		}
	}
	clear(m.kept[len(some):])
	m.kept = some
}

func (m *marks) update(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
	close(m.more)
	m.more = make(chan struct{})
}

// wait returns, with m locked, when enough says so or the scan has ended.
func (m *marks) wait(ctx context.Context, enough func() bool) error {
	m.mu.Lock()
	for !enough() && !m.ended {
		more := m.more
		m.mu.Unlock()
		select {
		case <-ctx.Done():
		case <-more:
		}
		m.mu.Lock()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// before returns a state of one's own after so many events or fewer, and after how many; nil
// if none is kept.
func (m *marks) before(ctx context.Context, told int) (*store.Store, int, error) {
	err := m.wait(ctx, func() bool { return m.told >= told })
	if err == nil && m.told < told {
		err = m.err
	}
	i := sort.Search(len(m.kept), func(i int) bool { return m.kept[i].told > told })
	var k kept
	if i > 0 {
		k = m.kept[i-1]
	}
	m.mu.Unlock()
	if err != nil || k.state == nil {
		return nil, 0, err
	}
	return k.state.Clone(), k.told, nil
}

// stop returns the first stop after so many events that fits, or the last one before; nil if
// there is none.
func (m *marks) stop(ctx context.Context, from int, back bool, fits func(bookmark) bool) (found *bookmark, err error) {
	next := 0 // of the stops, those before were looked at
	err = m.wait(ctx, func() bool {
		if back {
			return m.told >= from
		}
		for ; found == nil && next < len(m.stops); next++ {
			if s := m.stops[next]; s.told > from && fits(s) {
				found = &s
			}
		}
		return found != nil
	})
	defer m.mu.Unlock()
	switch {
	case err != nil:
		return nil, err
	case back:
		for i := len(m.stops) - 1; i >= 0 && found == nil; i-- {
			if s := m.stops[i]; s.told < from && fits(s) {
				found = &s
			}
		}
	}
	if found == nil && m.err != nil {
		return nil, m.err
	}
	return found, nil
}
