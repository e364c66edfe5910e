package playback

import (
	"context"
	"fmt"
	"io"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/store"
	"locktop/ui"
	"locktop/ui/cast"
	"locktop/ui/terminal"
	"locktop/ui/tutor"
	"locktop/watcher/recording"
)

// Film says how a recording becomes a recorded terminal.
type Film struct {
	// Speed is how many times as fast as it was, Idle for how long a stretch is shown in which the
	// journal has no line: the rest of it is cut.
	Speed float64
	Idle  time.Duration
	// From and To are the period that is shown, zero for all of it.
	From, To time.Time
	// Width and Height are the size of the console.
	Width, Height int
	// MaxBytes bounds what is written.
	MaxBytes int64
	// Retell returns the lesson that a recording begins to tell, nil if it is none; nil: none is.
	Retell func(model.DrillBegan) Retelling
}

// Retelling is a lesson as its recording tells it: what the console shows it as, and what an event of
// it shows, if anything.
type Retelling interface {
	Lesson() *tutor.Lesson
	Step(model.DrillStep) (tutor.Step, bool)
}

const (
	// filmStep is the time between two frames.
	filmStep = 250 * time.Millisecond
	// filmEnd is for how long the last frame stays.
	filmEnd = 3 * time.Second
	// markersApart is the least time between two markers of one kind and lock: where a lock goes in
	// and out of trouble, a list of every change helps nobody.
	markersApart = time.Second
)

// Shoot lets the console play a whole recording, and writes what it shows. What happened is marked,
// but for changes of holders; in a lesson only its questions are, so that a player which stops at each
// mark stops where a prediction is asked. o is the console's; its playback is made here.
func (f Film) Shoot(ctx context.Context, r *recording.Segments, o ui.Options, live ui.Live, to io.Writer, title string) (*cast.Writer, error) {
	t := New(f.Speed, o.Pins)
	began := time.Now()
	t.wall = func() time.Time { return began } // only its steps move it
	var err error
	if t.begins, err = r.Begins(); err != nil {
		return nil, fmt.Errorf("there is nothing in the recording that can be read: %w", err)
	}
	t.segments, t.play, t.at, t.since = r, reader{segments: r}, t.begins, began
	o.Playback = t
	live.Source = nil
	out, err := cast.New(to, cast.Header{Width: f.Width, Height: f.Height, Title: title, Began: t.begins})
	if err != nil {
		return nil, err
	}
	shell := ui.NewFilm(ctx, o, live, f.Width, f.Height)
	s := &shooting{Film: f, ctx: ctx, playback: t, shell: shell, out: out, marked: map[marked]time.Duration{}}
	return out, s.run()
}

// shooting is a film that is made.
type shooting struct {
	Film
	ctx      context.Context
	playback *Playback
	shell    *ui.Film
	out      *cast.Writer
	lines    []string      // that are shown
	at       time.Duration // of the film
	quiet    time.Duration // since the journal had a line
	seen     uint64        // of the journal
	marked   map[marked]time.Duration
	lesson   Retelling // nil: none is told
}

// marked is what a marker is about.
type marked struct {
	kind journal.Kind
	code model.Code
	lock string
}

func (s *shooting) run() error {
	begin, end := s.playback.begins, ends(s.playback.segments)
	var err error
	if !s.To.IsZero() {
		if end, err = s.playback.within(s.playback.segments, s.To); err != nil {
			return err
		}
	}
	if !s.From.IsZero() {
		if begin, err = s.playback.within(s.playback.segments, s.From); err != nil {
			return err
		}
		if err := s.moveTo(begin); err != nil { // what was so by then
			return err
		}
		for _, e := range s.shell.State().JournalAfter(0) {
			s.seen = e.Seq
		}
	}
	step := time.Duration(float64(filmStep) * s.Speed)
	for now := begin; ; now = now.Add(step) {
		if now.After(end) {
			now = end
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if err := s.moveTo(now); err != nil {
			return err
		}
		news := s.shell.State().JournalAfter(s.seen)
		if len(news) > 0 {
			s.quiet = 0
		}
		if s.quiet <= s.Idle || now.Equal(end) {
			if err := s.frame(news); err != nil {
				return err
			}
			s.at += filmStep
		}
		if s.quiet += filmStep; now.Equal(end) {
			return s.out.Output(s.at+filmEnd, nil)
		}
	}
}

// moveTo brings the console to a moment: what came by then, and what falls due without any event.
func (s *shooting) moveTo(now time.Time) error {
	t := s.playback
	t.mu.Lock()
	t.at = now
	for {
		b, _, err := t.due()
		if err == io.EOF || err == nil && len(b.Events) == 0 {
			break
		}
		if err != nil {
			t.mu.Unlock()
			return err
		}
		t.mu.Unlock()
		err = s.take(b)
		t.mu.Lock()
		if err != nil {
			t.mu.Unlock()
			return err
		}
	}
	t.mu.Unlock()
	passTo(now, s.shell.State(), func(tick model.Tick) { s.shell.Take(model.Batch{Events: []model.Event{tick}}) })
	return nil
}

// take takes in what came, and stays at each text of a lesson until it can have been read.
func (s *shooting) take(b model.Batch) error {
	from := 0
	for i, e := range b.Events {
		step, tells := s.retells(e)
		if !tells {
			continue
		}
		s.shell.Take(model.Batch{Events: b.Events[from : i+1], Cost: b.Cost})
		from = i + 1
		if err := s.tell(step); err != nil {
			return err
		}
	}
	s.shell.Take(model.Batch{Events: b.Events[from:], Cost: b.Cost})
	return nil
}

// retells is what an event shows of a lesson, if anything.
func (s *shooting) retells(e model.Event) (step tutor.Step, tells bool) {
	switch e := e.(type) {
	case model.DrillBegan:
		if s.Retell == nil {
			break
		}
		if s.lesson = s.Retell(e); s.lesson != nil {
			s.shell.Begin(s.lesson.Lesson())
		}
	case model.DrillStep:
		if s.lesson != nil {
			return s.lesson.Step(e)
		}
	}
	return step, false
}

// tell shows a step of the lesson for as long as it takes to read it.
func (s *shooting) tell(step tutor.Step) error {
	s.shell.Tell(step)
	if s.playback.at.Before(s.From) { // it is what was so when the film begins
		return nil
	}
	if err := s.frame(nil); err != nil {
		return err
	}
	if step.Kind == tutor.StepAsk {
		if err := s.out.Marker(s.at, model.Printable(step.Text)); err != nil {
			return err
		}
	}
	s.at += step.Reads(0)
	return nil
}

// passTo lets time pass for a state, as whoever pulls is woken.
func passTo(at time.Time, s *store.Store, tick func(model.Tick)) {
	for now := s.Now(); now.Before(at); now = s.Now() {
		if wake := s.Want(nil).WakeAt; wake.After(now) && wake.Before(at) {
			tick(model.Tick{At: wake})
		} else {
			tick(model.Tick{At: at})
		}
	}
}

// frame writes what is new on the screen, and marks what happened.
func (s *shooting) frame(news []*journal.Entry) error {
	lines := s.shell.Lines()
	changed := terminal.Changed(s.lines, lines)
	if s.lines == nil {
		changed = append([]byte("\x1b[?25l\x1b[?7l\x1b[2J"), changed...) // no cursor, no line that goes on in the next
	}
	s.lines = lines
	if len(changed) > 0 {
		if err := s.out.Output(s.at, changed); err != nil {
			return err
		}
	}
	for i, e := range news {
		s.seen = e.Seq
		key := marked{e.Kind, e.Code, e.Lock}
		if last, any := s.marked[key]; s.lesson != nil || !worthAMarker(e) || any && s.at-last < markersApart || i > 0 && e.Repeats(news[i-1]) {
			continue
		}
		s.marked[key] = s.at
		by := ""
		if e.By != "" {
			by = model.Printable(e.By) + ": "
		}
		said := e.At.Format(time.TimeOnly) + " " + by + s.shell.Say(e)
		if e.Kind == journal.Action && e.Lock != "" {
			said += " (" + model.Printable(e.Lock) + ")"
		}
		if err := s.out.Marker(s.at, said); err != nil {
			return err
		}
	}
	if length, size, _ := s.out.Written(); size > s.MaxBytes {
		return fmt.Errorf("the film has %d MiB after %s, and %s of the recording are left: raise --speed, or cut it by --from and --to", size>>20, length.Round(time.Second),
			ends(s.playback.segments).Sub(s.playback.Now()).Round(time.Second))
	}
	return nil
}

// worthAMarker says whether a person who was not there wants to go to a line of the journal: to all
// but the ordinary ways of a queue.
func worthAMarker(e *journal.Entry) bool {
	if e.Part() {
		return false
	}
	switch e.Kind {
	case journal.Finding, journal.Blocked, journal.Together, journal.Gap, journal.Member, journal.Lab, journal.Action, journal.Drill:
		return true
	}
	return false
}
