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
func (pb *Playback) Pin(pins ...model.Pin) []model.Pin {
	pb.pins = slices.Concat(pb.pins, pins)
	pb.scanner = newScanner(pb.pins)
	return pb.pins
}

// Load takes a recording, and begins to look for the places at which one may want to stop,
// until ctx ends. It stands at a moment, or goes on from its beginning if that is zero.
func (pb *Playback) Load(ctx context.Context, r *recording.Segments, at time.Time) error {
	begins, err := r.Begins()
	if err != nil {
		return fmt.Errorf("there is nothing in the recording that can be read: %w", err)
	}
	pb.mu.Lock()
	defer pb.mu.Unlock()
	pb.segments, pb.begins, pb.play = r, begins, reader{segments: r, read: &pb.read}
	pb.at, pb.since = begins, pb.wall()
	if !at.IsZero() {
		if pb.at, err = pb.within(r, at); err == nil {
			pb.opens, err = (&reader{segments: r}).by(pb.at)
		}
		if err != nil {
			return err
		}
		pb.paused = true
	}
	pb.scan(ctx)
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
func (pb *Playback) Period() (begins, end time.Time) { return pb.begins, ends(pb.segments) }

// Within is a moment if it is in the recording, as nearly as a person writes it.
func (pb *Playback) Within(at time.Time) (time.Time, error) { return pb.within(pb.segments, at) }

// MoveTo moves on to a moment. It has taken what came by then, and what falls due in the state without
// any event.
func (pb *Playback) MoveTo(now time.Time, s *store.Store, take func(model.Batch) error) error {
	pb.change(func() { pb.at = now })
	for {
		pb.mu.Lock()
		b, _, err := pb.due()
		pb.mu.Unlock()
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
func (pb *Playback) Grow(ctx context.Context, r *recording.Segments) {
	pb.mu.Lock()
	defer pb.mu.Unlock()
	pb.segments, pb.play.segments = r, r
	pb.scan(ctx)
}

// scan looks for the places in what is there.
func (pb *Playback) scan(ctx context.Context) {
	pb.marks.grow(pb.segments.Len())
	go pb.marks.scan(ctx, reader{segments: pb.segments, read: &pb.read}, pb.scanner)
}

// Next implements model.Source: it returns what is due by the moment that the playback shows.
func (pb *Playback) Next(ctx context.Context, _ model.Want) (model.Batch, error) {
	pb.mu.Lock()
	defer pb.mu.Unlock()
	pb.taken = pb.told
	for gen := pb.gen; ; {
		switch {
		case ctx.Err() != nil:
			return model.Batch{}, ctx.Err()
		case gen != pb.gen:
			return model.Batch{}, errMoved
		}
		wait := time.Duration(-1) // for ever
		if !pb.paused || pb.told < pb.opens {
			b, next, err := pb.due()
			if err != nil || len(b.Events) > 0 {
				return b, err
			}
			wait = time.Duration(float64(next.Sub(pb.now())) / pb.speed)
		}
		pb.sleep(ctx, wait)
	}
}

// due takes what is due, of one part at most, or says when the next event is.
func (pb *Playback) due() (b model.Batch, next time.Time, err error) {
	if pb.told == pb.segments.Len() {
		return b, next, io.EOF
	}
	p, err := pb.play.at(pb.told)
	if err != nil {
		return b, next, err
	}
	from, now := pb.told-p.first, pb.now()
	to := from
	for to < len(p.events) && to-from < batchMost && !p.clock[to].After(now) {
		to++
	}
	if to == from {
		return b, p.clock[from], nil
	}
	events := p.events[from:to:to]
	if pb.told < pb.opens && pb.opens <= p.first+to { // it is there
		events = append(events, model.Tick{At: now})
	}
	pb.told = p.first + to
	return model.Batch{Events: events}, next, nil
}

// sleep lets others in until something is changed, or for a while.
func (pb *Playback) sleep(ctx context.Context, d time.Duration) {
	changed := pb.changed
	var after <-chan time.Time
	if d >= 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		after = timer.C
	}
	pb.mu.Unlock()
	defer pb.mu.Lock()
	select {
	case <-ctx.Done():
	case <-changed:
	case <-after:
	}
}

// now is the moment that the playback shows.
func (pb *Playback) now() time.Time {
	if pb.segments == nil || pb.paused {
		return pb.at
	}
	now := pb.at.Add(time.Duration(float64(pb.wall().Sub(pb.since)) * pb.speed))
	if end := ends(pb.segments); now.After(end) {
		return end
	}
	return now
}

func ends(r *recording.Segments) time.Time {
	_, at := r.Until(r.Parts() - 1)
	return at
}

// change changes how it goes, from the moment that is shown.
func (pb *Playback) change(f func()) {
	pb.mu.Lock()
	defer pb.mu.Unlock()
	pb.at, pb.since = pb.now(), pb.wall()
	f()
	close(pb.changed)
	pb.changed = make(chan struct{})
}

// Now implements host.Playback.
func (pb *Playback) Now() time.Time {
	pb.mu.Lock()
	defer pb.mu.Unlock()
	return pb.now()
}

// Pause implements host.Playback.
func (pb *Playback) Pause() { pb.change(func() { pb.paused = !pb.paused }) }

// Faster implements host.Playback.
func (pb *Playback) Faster(by int) {
	pb.change(func() {
		i := sort.SearchFloat64s(speeds, pb.speed)
		if by < 0 || i < len(speeds) && speeds[i] == pb.speed {
			i += by
		}
		pb.speed = speeds[max(0, min(i, len(speeds)-1))]
	})
}

// Label implements host.Playback.
func (pb *Playback) Label() string {
	pb.mu.Lock()
	defer pb.mu.Unlock()
	switch {
	case pb.paused:
		return "paused"
	case pb.segments != nil && !pb.now().Before(ends(pb.segments)):
		return "ended"
	}
	return fmt.Sprintf("%gx", pb.speed)
}

// Go implements host.Playback: the state is folded anew from the last moment before that is kept,
// so it is the one that was seen. The playback stands still there.
func (pb *Playback) Go(ctx context.Context, g host.Goal) (*store.Store, error) {
	pb.mu.Lock()
	from, in := pb.taken, reader{segments: pb.segments, read: &pb.read}
	pb.mu.Unlock()
	told, at, err := pb.find(ctx, &in, g, from)
	if err != nil {
		return nil, err
	}
	s, have, err := pb.marks.before(ctx, told)
	if err != nil {
		return nil, err
	}
	if s == nil {
		s = store.New(pb.pins...)
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
	pb.change(func() {
		pb.told, pb.taken, pb.opens, pb.paused, pb.at = told, told, 0, true, at
		pb.gen++
	})
	return s, nil
}

// find returns how many events were told at a goal, and its moment.
func (pb *Playback) find(ctx context.Context, in *reader, g host.Goal, from int) (told int, at time.Time, err error) {
	if g.Kind == host.StopTime {
		if g.At.IsZero() {
			at, err = pb.moment(in.segments, g.Text)
		} else {
			at, err = pb.within(in.segments, g.At)
		}
		if err == nil {
			told, err = in.by(at)
		}
		return told, at, err
	}
	s, err := pb.marks.stop(ctx, from, g.Back, func(s bookmark) bool { return g.Kind == host.StopEvent || s.kind == g.Kind })
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
func (pb *Playback) moment(in *recording.Segments, text string) (time.Time, error) {
	if by, err := time.ParseDuration(text); err == nil && (text[0] == '-' || text[0] == '+') {
		return pb.within(in, pb.Now().Add(by))
	}
	at, err := ParseMoment(text, pb.begins)
	if err != nil {
		return at, err
	}
	if pb.running && len(text) <= len(time.TimeOnly) && at.After(ends(in)) { // a time of day is one that has been
		at = at.AddDate(0, 0, -1)
	}
	return pb.within(in, at)
}

// within is a moment if it is in the recording, as nearly as a person writes it.
func (pb *Playback) within(in *recording.Segments, at time.Time) (time.Time, error) {
	first, last := pb.begins, ends(in)
	tooEarly, tooLate := at.Before(first.Truncate(time.Second)), at.After(last.Add(time.Second))
	switch {
	case pb.running && tooEarly:
		return at, fmt.Errorf("nothing is kept before %s", first.Format(time.TimeOnly))
	case pb.running && at.After(last):
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
