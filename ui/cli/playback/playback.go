package playback

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui/host"
	"locktop/watcher/recording"
)

// speeds are how many times as fast as it was a playback can go.
var speeds = []float64{0.25, 0.5, 1, 2, 4, 10, 25, 60, 200, 1000}

// batchMost is how many events are told at once.
const batchMost = 2000

// Playback is a recording under the console. Make it with [New], then [Playback.Load] it.
type Playback struct {
	pins    []model.Pin
	wall    func() time.Time
	running bool // it is of a console that goes on

	segments *recording.Segments // it may grow
	begins   time.Time
	play     reader // of what is told next
	read     parts
	marks    *marks
	scanner  *scanner
	mu       sync.Mutex
	told     int // events that were told
	opens    int // events that are told though it is paused: it opens behind them
	taken    int // of them, those that were surely taken in
	gen      int // rises when the playback is moved
	paused   bool
	speed    float64
	at       time.Time // the moment that it showed when the wall clock stood at since
	since    time.Time
	changed  chan struct{} // closed when anything of the above is changed by hand
}

var (
	_ model.Source  = (*Playback)(nil)
	_ host.Playback = (*Playback)(nil)
)

// errMoved is what a call of Next returns that was under way when the playback was moved.
var errMoved = errors.New("the recording was moved")

// New returns an empty playback that goes so many times as fast as it was.
func New(speed float64, pins []model.Pin) *Playback {
	return &Playback{pins: pins, speed: speed, wall: time.Now, marks: newMarks(), scanner: newScanner(pins), changed: make(chan struct{})}
}

// Pin says more of the keys of a recording, which is known once it was opened, and returns all that
// is said. It is for before [Playback.Load].
func (t *Playback) Pin(pins ...model.Pin) []model.Pin {
	t.pins = slices.Concat(t.pins, pins)
	t.scanner = newScanner(t.pins)
	return t.pins
}

// Load takes a recording, and begins to look for the places at which one may want to stop,
// until ctx ends. It stands at a moment, or goes on from its beginning if that is zero.
func (t *Playback) Load(ctx context.Context, r *recording.Segments, at time.Time) error {
	begins, err := r.Begins()
	if err != nil {
		return fmt.Errorf("there is nothing in the recording that can be read: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.segments, t.begins, t.play = r, begins, reader{segments: r, read: &t.read}
	t.at, t.since = begins, t.wall()
	if !at.IsZero() {
		if t.at, err = t.within(r, at); err == nil {
			t.opens, err = (&reader{segments: r}).by(t.at)
		}
		if err != nil {
			return err
		}
		t.paused = true
	}
	t.scan(ctx)
	return nil
}

// Still returns a playback of a recording that stands at its beginning, until [Playback.MoveTo] moves it.
func Still(r *recording.Segments, speed float64, pins []model.Pin) (*Playback, error) {
	t := New(speed, pins)
	began := time.Now()
	t.wall = func() time.Time { return began }
	var err error
	if t.begins, err = r.Begins(); err != nil {
		return nil, fmt.Errorf("there is nothing in the recording that can be read: %w", err)
	}
	t.segments, t.play, t.at, t.since = r, reader{segments: r}, t.begins, began
	return t, nil
}

// Period is from when to when the recording is.
func (t *Playback) Period() (begins, end time.Time) { return t.begins, ends(t.segments) }

// Within is a moment if it is in the recording, as nearly as a person writes it.
func (t *Playback) Within(at time.Time) (time.Time, error) { return t.within(t.segments, at) }

// MoveTo moves on to a moment. It has taken what came by then, and what falls due in the state without
// any event.
func (t *Playback) MoveTo(now time.Time, s *store.Store, take func(model.Batch) error) error {
	t.change(func() { t.at = now })
	for {
		t.mu.Lock()
		b, _, err := t.due()
		t.mu.Unlock()
		if err == io.EOF || err == nil && len(b.Events) == 0 {
			break
		}
		if err != nil {
			return err
		}
		if err := take(b); err != nil {
			return err
		}
	}
	return passTo(now, s, take)
}

// passTo lets time pass for a state, as whoever pulls is woken.
func passTo(at time.Time, s *store.Store, take func(model.Batch) error) error {
	for now := s.Now(); now.Before(at); now = s.Now() {
		next := at
		if wake := s.Want(nil).WakeAt; wake.After(now) && wake.Before(at) {
			next = wake
		}
		if err := take(model.Batch{Events: []model.Event{model.Tick{At: next}}}); err != nil {
			return err
		}
	}
	return nil
}

// Grow takes the same recording, which goes on further now.
func (t *Playback) Grow(ctx context.Context, r *recording.Segments) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.segments, t.play.segments = r, r
	t.scan(ctx)
}

// scan looks for the places in what is there.
func (t *Playback) scan(ctx context.Context) {
	t.marks.grow(t.segments.Len())
	go t.marks.scan(ctx, reader{segments: t.segments, read: &t.read}, t.scanner)
}

// Next implements model.Source: it returns what is due by the moment that the playback shows.
func (t *Playback) Next(ctx context.Context, _ model.Want) (model.Batch, error) {
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
		if !t.paused || t.told < t.opens {
			b, next, err := t.due()
			if err != nil || len(b.Events) > 0 {
				return b, err
			}
			wait = time.Duration(float64(next.Sub(t.now())) / t.speed)
		}
		t.sleep(ctx, wait)
	}
}

// due takes what is due, of one part at most, or says when the next event is.
func (t *Playback) due() (b model.Batch, next time.Time, err error) {
	if t.told == t.segments.Len() {
		return b, next, io.EOF
	}
	p, err := t.play.at(t.told)
	if err != nil {
		return b, next, err
	}
	from, now := t.told-p.first, t.now()
	to := from
	for to < len(p.events) && to-from < batchMost && !p.clock[to].After(now) {
		to++
	}
	if to == from {
		return b, p.clock[from], nil
	}
	events := p.events[from:to:to]
	if t.told < t.opens && t.opens <= p.first+to { // it is there
		events = append(events, model.Tick{At: now})
	}
	t.told = p.first + to
	return model.Batch{Events: events}, next, nil
}

// sleep lets others in until something is changed, or for a while.
func (t *Playback) sleep(ctx context.Context, d time.Duration) {
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

// now is the moment that the playback shows.
func (t *Playback) now() time.Time {
	if t.segments == nil || t.paused {
		return t.at
	}
	now := t.at.Add(time.Duration(float64(t.wall().Sub(t.since)) * t.speed))
	if end := ends(t.segments); now.After(end) {
		return end
	}
	return now
}

func ends(r *recording.Segments) time.Time {
	_, at := r.Until(r.Parts() - 1)
	return at
}

// change changes how it goes, from the moment that is shown.
func (t *Playback) change(f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at, t.since = t.now(), t.wall()
	f()
	close(t.changed)
	t.changed = make(chan struct{})
}

// Now implements host.Playback.
func (t *Playback) Now() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.now()
}

// Pause implements host.Playback.
func (t *Playback) Pause() { t.change(func() { t.paused = !t.paused }) }

// Faster implements host.Playback.
func (t *Playback) Faster(by int) {
	t.change(func() {
		i := sort.SearchFloat64s(speeds, t.speed)
		if by < 0 || i < len(speeds) && speeds[i] == t.speed {
			i += by
		}
		t.speed = speeds[max(0, min(i, len(speeds)-1))]
	})
}

// Label implements host.Playback.
func (t *Playback) Label() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.paused:
		return "paused"
	case t.segments != nil && !t.now().Before(ends(t.segments)):
		return "ended"
	}
	return fmt.Sprintf("%gx", t.speed)
}

// Go implements host.Playback: the state is folded anew from the last moment before that is kept,
// so it is the one that was seen. The playback stands still there.
func (t *Playback) Go(ctx context.Context, g host.Goal) (*store.Store, error) {
	t.mu.Lock()
	from, in := t.taken, reader{segments: t.segments, read: &t.read}
	t.mu.Unlock()
	told, at, err := t.find(ctx, &in, g, from)
	if err != nil {
		return nil, err
	}
	s, have, err := t.marks.before(ctx, told)
	if err != nil {
		return nil, err
	}
	if s == nil {
		s = store.New(t.pins...)
	}
	for have < told {
		p, err := in.at(have)
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return nil, err
		}
		to := min(told, p.first+len(p.events))
		s.Apply(model.Batch{Events: p.events[have-p.first : to-p.first]})
		have = to
	}
	if err := passTo(at, s, func(b model.Batch) error { s.Apply(b); return nil }); err != nil {
		return nil, err
	}
	t.change(func() {
		t.told, t.taken, t.opens, t.paused, t.at = told, told, 0, true, at
		t.gen++
	})
	return s, nil
}

// find returns how many events were told at a goal, and its moment.
func (t *Playback) find(ctx context.Context, in *reader, g host.Goal, from int) (told int, at time.Time, err error) {
	if g.Kind == host.StopTime {
		if g.At.IsZero() {
			at, err = t.moment(in.segments, g.Text)
		} else {
			at, err = t.within(in.segments, g.At)
		}
		if err == nil {
			told, err = in.by(at)
		}
		return told, at, err
	}
	s, err := t.marks.stop(ctx, from, g.Back, func(s bookmark) bool { return g.Kind == host.StopEvent || s.kind == g.Kind })
	switch {
	case err != nil:
		return 0, at, err
	case s == nil && g.Back:
		return 0, at, text.Refusal{Why: model.Say("no-such-moment-before", stopWords[g.Kind])}
	case s == nil:
		return 0, at, text.Refusal{Why: model.Say("no-such-moment-after", stopWords[g.Kind])}
	}
	return s.told, s.at, nil
}

// stopWords are what the kinds of moments are called.
var stopWords = map[host.StopKind]model.Message{host.StopEvent: model.Say("stop-event"), host.StopFinding: model.Say("kind-finding"),
	host.StopHandover: model.Say("kind-handover"), host.StopMark: model.Say("stop-mark")}

// moment reads a time that was typed: a time of day is the first one in the recording, and -30s is
// that much before the moment that is shown.
func (t *Playback) moment(in *recording.Segments, text string) (time.Time, error) {
	if by, err := time.ParseDuration(text); err == nil && (text[0] == '-' || text[0] == '+') {
		return t.within(in, t.Now().Add(by))
	}
	at, err := ParseMoment(text, t.begins)
	if err != nil {
		return at, err
	}
	if t.running && len(text) <= len(time.TimeOnly) && at.After(ends(in)) { // a time of day is one that has been
		at = at.AddDate(0, 0, -1)
	}
	return t.within(in, at)
}

// within is a moment if it is in the recording, as nearly as a person writes it.
func (t *Playback) within(in *recording.Segments, at time.Time) (time.Time, error) {
	first, last := t.begins, ends(in)
	tooEarly, tooLate := at.Before(first.Truncate(time.Second)), at.After(last.Add(time.Second))
	switch {
	case t.running && tooEarly:
		return at, fmt.Errorf("nothing is kept before %s", first.Format(time.TimeOnly))
	case t.running && at.After(last):
		return last, nil
	case tooEarly || tooLate:
		const layout = "2006-01-02 15:04:05"
		return at, fmt.Errorf("%s is not in the recording: it goes from %s to %s", at.Format(layout), first.Format(layout), last.Format(layout))
	case at.Before(first):
		return first, nil
	case at.After(last):
		return last, nil
	}
	return at, nil
}

// errNoTime is what [ParseMoment] returns for something that is none.
var errNoTime = errors.New("want a time (10:04:05, 2026-03-01 10:04:05, RFC 3339), or a step (-30s, +2m)")

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
	return time.Time{}, errNoTime
}
