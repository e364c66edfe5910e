package tape

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"
	"sync"
	"time"

	"locktop/model"
	"locktop/model/fold"
	"locktop/ui/replay"
)

// Speeds are how many times as fast as it was a tape can go.
var speeds = []float64{0.25, 0.5, 1, 2, 4, 10, 25, 60, 200, 1000}

// batchMost is how many events are told at once.
const batchMost = 2000

// Tape is a recording under the console. Make it with [New], then [Tape.Load] it.
type Tape struct {
	pins []model.Pin
	wall func() time.Time

	events []model.Event
	clock  []time.Time // of each event; it never goes back
	stops  []stop      // once scanned is closed

	scanned chan struct{}

	mu      sync.Mutex
	told    int // events that were told
	taken   int // of them, those that were surely taken in
	gen     int // rises when the tape is moved
	paused  bool
	speed   float64
	at      time.Time // the moment that it showed when the wall clock stood at since
	since   time.Time
	changed chan struct{} // closed when anything of the above is changed by hand
}

// stop is where the journal has a line more.
type stop struct {
	told int // events that were told by then
	at   time.Time
	kind replay.StopKind
}

var (
	_ model.Source = (*Tape)(nil)
	_ replay.Tape  = (*Tape)(nil)
)

// errMoved is what a call of Next returns that was under way when the tape was moved.
var errMoved = errors.New("the recording was moved")

// New returns an empty tape that goes so many times as fast as it was.
func New(speed float64, pins []model.Pin) *Tape {
	return &Tape{pins: pins, speed: speed, wall: time.Now, scanned: make(chan struct{}), changed: make(chan struct{})}
}

// Load reads all of a recording, and begins to look for the places at which one may want to
// stop, until ctx ends. A part at the end that cannot be read is left out, and why is said.
func (t *Tape) Load(ctx context.Context, src model.Source) (cut error, err error) {
	var now time.Time
	for {
		b, err := src.Next(ctx, model.Want{})
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil && err != io.EOF {
			cut = err
		}
		if err != nil {
			break
		}
		for _, e := range b.Events {
			if at := e.When(); at.After(now) {
				now = at
			}
			t.events, t.clock = append(t.events, e), append(t.clock, now)
		}
	}
	if len(t.events) == 0 {
		return cut, fmt.Errorf("there is nothing in the recording that can be read: %w", errors.Join(cut, io.EOF))
	}
	t.mu.Lock()
	t.at, t.since = t.clock[0], t.wall()
	t.mu.Unlock()
	go t.scan(ctx)
	return cut, nil
}

// scan finds the stops.
func (t *Tape) scan(ctx context.Context) {
	defer close(t.scanned)
	s, seen := fold.NewState(t.pins...), uint64(0)
	for i := range t.events {
		if i%batchMost == 0 && ctx.Err() != nil {
			return
		}
		s.Apply(model.Batch{Events: t.events[i : i+1]})
		for _, f := range s.JournalAfter(seen) {
			seen = f.Seq
			t.stops = append(t.stops, stop{i + 1, t.clock[i], stopKind(f.Kind)})
		}
	}
}

func stopKind(k model.EntryKind) replay.StopKind {
	switch k {
	case model.EntryFinding:
		return replay.StopFinding
	case model.EntryHandover, model.EntryAcquired, model.EntryShared, model.EntryLeft, model.EntryTogether:
		return replay.StopHandover
	case model.EntryQueued, model.EntryBlocked:
		return replay.StopEvent
	}
	return replay.StopMark
}

// Next implements model.Source: it returns what is due by the moment that the tape shows.
func (t *Tape) Next(ctx context.Context, _ model.Want) (model.Batch, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.taken = t.told
	for gen := t.gen; ; {
		switch {
		case ctx.Err() != nil:
			return model.Batch{}, ctx.Err()
		case gen != t.gen:
			return model.Batch{}, errMoved
		}
		wait := time.Duration(-1) // for ever
		if !t.paused {
			if t.told == len(t.events) {
				return model.Batch{}, io.EOF
			}
			if b := t.due(); len(b.Events) > 0 {
				return b, nil
			}
			wait = time.Duration(float64(t.clock[t.told].Sub(t.now())) / t.speed)
		}
		t.sleep(ctx, wait)
	}
}

// due takes what is due.
func (t *Tape) due() model.Batch {
	from, now := t.told, t.now()
	for t.told < len(t.events) && t.told-from < batchMost && !t.clock[t.told].After(now) {
		t.told++
	}
	return model.Batch{Events: t.events[from:t.told]}
}

// sleep lets others in until something is changed, or for a while.
func (t *Tape) sleep(ctx context.Context, d time.Duration) {
	changed := t.changed
	var after <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		after = timer.C
	}
	t.mu.Unlock()
	defer t.mu.Lock()
	select {
	case <-ctx.Done():
	case <-changed:
	case <-after:
	}
}

// now is the moment that the tape shows.
func (t *Tape) now() time.Time {
	if len(t.clock) == 0 || t.paused {
		return t.at
	}
	now := t.at.Add(time.Duration(float64(t.wall().Sub(t.since)) * t.speed))
	if end := t.clock[len(t.clock)-1]; now.After(end) {
		return end
	}
	return now
}

// change changes how it goes, from the moment that is shown.
func (t *Tape) change(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at, t.since = t.now(), t.wall()
	f()
	close(t.changed)
	t.changed = make(chan struct{})
}

// Now implements replay.Tape.
func (t *Tape) Now() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now()
}

// Pause implements replay.Tape.
func (t *Tape) Pause() { t.change(func() { t.paused = !t.paused }) }

// Faster implements replay.Tape.
func (t *Tape) Faster(by int) {
	t.change(func() {
		i := sort.SearchFloat64s(speeds, t.speed)
		if by < 0 || i < len(speeds) && speeds[i] == t.speed {
			i += by
		}
		t.speed = speeds[max(0, min(i, len(speeds)-1))]
	})
}

// Says implements replay.Tape.
func (t *Tape) Says() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.paused:
		return "paused"
	case len(t.clock) > 0 && !t.now().Before(t.clock[len(t.clock)-1]):
		return "ended"
	}
	return fmt.Sprintf("%gx", t.speed)
}

// Go implements replay.Tape: the state is folded anew from the beginning, so it is the one that
// was seen. The tape stands still there.
func (t *Tape) Go(ctx context.Context, g replay.Goal) (*fold.State, error) {
	select {
	case <-t.scanned:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	t.mu.Lock()
	from := t.taken
	t.mu.Unlock()
	told, at, err := t.find(g, from)
	if err != nil {
		return nil, err
	}
	s := fold.NewState(t.pins...)
	for i := 0; i < told; i += batchMost {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.Apply(model.Batch{Events: t.events[i:min(told, i+batchMost)]})
	}
	for now := s.Now(); now.Before(at); now = s.Now() { // as whoever pulls is woken
		if wake := s.Want().WakeAt; wake.After(now) && wake.Before(at) {
			s.Apply(model.Batch{Events: []model.Event{model.Tick{At: wake}}})
		} else {
			s.Apply(model.Batch{Events: []model.Event{model.Tick{At: at}}})
		}
	}
	t.change(func() {
		t.told, t.taken, t.paused, t.at = told, told, true, at
		t.gen++
	})
	return s, nil
}

// find returns how many events were told at a goal, and its moment.
func (t *Tape) find(g replay.Goal, from int) (told int, at time.Time, err error) {
	if g.Kind == replay.StopTime {
		if at, err = t.moment(g.Text); err != nil {
			return 0, at, err
		}
		return sort.Search(len(t.clock), func(i int) bool { return t.clock[i].After(at) }), at, nil
	}
	fits := func(s stop) bool { return g.Kind == replay.StopEvent || s.kind == g.Kind }
	if g.Back {
		for i := len(t.stops) - 1; i >= 0; i-- {
			if s := t.stops[i]; s.told < from && fits(s) {
				return s.told, s.at, nil
			}
		}
		return 0, at, fmt.Errorf("no %s before this", g.Kind)
	}
	for _, s := range t.stops {
		if s.told > from && fits(s) {
			return s.told, s.at, nil
		}
	}
	return 0, at, fmt.Errorf("no %s after this", g.Kind)
}

// moment reads a time that was typed: a time of day is the first one in the recording.
func (t *Tape) moment(text string) (time.Time, error) {
	first, last := t.clock[0], t.clock[len(t.clock)-1]
	at, err := ParseMoment(text, first)
	switch {
	case err != nil:
		return at, err
	case at.Before(first.Truncate(time.Second)) || at.After(last.Add(time.Second)):
		const layout = "2006-01-02 15:04:05"
		return at, fmt.Errorf("%s is not in the recording: it goes from %s to %s", at.Format(layout), first.Format(layout), last.Format(layout))
	case at.Before(first):
		return first, nil
	case at.After(last):
		return last, nil
	}
	return at, nil
}

// ErrNoTime is what [ParseMoment] returns for something that is none.
var ErrNoTime = errors.New("want a time (10:04:05, 2026-03-01 10:04:05, RFC 3339)")

// ParseMoment reads a time. A time of day is the first such time from begins on.
func ParseMoment(text string, begins time.Time) (time.Time, error) {
	text = strings.TrimSpace(text)
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", time.DateTime} {
		if at, err := time.ParseInLocation(layout, text, begins.Location()); err == nil {
			return at.In(begins.Location()), nil
		}
	}
	for _, layout := range []string{time.TimeOnly, "15:04"} {
		if at, err := time.Parse(layout, text); err == nil {
			y, mo, d := begins.Date()
			at = time.Date(y, mo, d, at.Hour(), at.Minute(), at.Second(), at.Nanosecond(), begins.Location())
			if at.Before(begins.Truncate(time.Second)) {
				at = at.AddDate(0, 0, 1)
			}
			return at, nil
		}
	}
	return time.Time{}, ErrNoTime
}
