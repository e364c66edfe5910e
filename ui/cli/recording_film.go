package cli

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/ui"
	"locktop/ui/cast"
	"locktop/ui/cli/course"
	"locktop/ui/cli/playback"
	"locktop/ui/terminal"
	"locktop/ui/tutor"
	"locktop/watcher/recording"
)

// filmOptions say how a recording becomes a recorded terminal.
type filmOptions struct {
	// speed is how many times as fast as it was, idle for how long a stretch is shown in which the
	// journal has no line: the rest of it is cut.
	speed float64
	idle  time.Duration
	// from and to are the period that is shown, zero for all of it.
	from, to time.Time
	// width and height are the size of the console.
	width, height int
	// maxBytes bounds what is written.
	maxBytes int64
	// lang is the language in which a lesson is told again, "" if none is.
	lang string
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

// shoot lets the console play a whole recording, and writes what it shows. What happened is marked,
// but for changes of holders; in a lesson only its questions are, so that a player which stops at each
// mark stops where a prediction is asked. o is the console's; its playback is made here.
func (f filmOptions) shoot(ctx context.Context, r *recording.Segments, o ui.Options, live ui.Live, to io.Writer, title string) (*cast.Writer, error) {
	if f.lang != "" {
		o.Pins = slices.Concat(o.Pins, toldPins(r))
	}
	t, err := playback.Still(r, f.speed, o.Pins)
	if err != nil {
		return nil, err
	}
	o.Playback = t
	begins, _ := t.Period()
	out, err := cast.New(to, cast.Header{Width: f.width, Height: f.height, Title: title, Began: begins})
	if err != nil {
		return nil, err
	}
	s := &shooting{filmOptions: f, ctx: ctx, playback: t, shell: ui.NewFilm(ctx, o, live, f.width, f.height), out: out, marked: map[marked]time.Duration{}}
	return out, s.run()
}

// beginsWithin is in how many parts of a recording a lesson begins: it is recorded from its start.
const beginsWithin = 16

// toldPins are those of the lesson that a recording begins with: its keys are locks there, too.
func toldPins(r *recording.Segments) []model.Pin {
	for i := range min(beginsWithin, r.Parts()) {
		events, _ := r.Read(i) // what is damaged is said when it is played
		for _, e := range events {
			if b, ok := e.(model.DrillBegan); ok {
				return course.PinsOf(b)
			}
		}
	}
	return nil
}

// shooting is a film that is made.
type shooting struct {
	filmOptions
	ctx      context.Context
	playback *playback.Playback
	shell    *ui.Film
	out      *cast.Writer
	lines    []string      // that are shown
	at       time.Duration // of the film
	quiet    time.Duration // since the journal had a line
	seen     uint64        // of the journal
	marked   map[marked]time.Duration
	lesson   *course.Retelling // nil: none is told
}

// marked is what a marker is about.
type marked struct {
	kind journal.Kind
	code model.Code
	lock string
}

func (s *shooting) run() error {
	begin, end := s.playback.Period()
	var err error
	if !s.to.IsZero() {
		if end, err = s.playback.Within(s.to); err != nil {
			return err
		}
	}
	if !s.from.IsZero() {
		if begin, err = s.playback.Within(s.from); err != nil {
			return err
		}
		if err := s.moveTo(begin); err != nil { // what was so by then
			return err
		}
		for _, e := range s.shell.State().JournalAfter(0) {
			s.seen = e.Seq
		}
	}
	step := time.Duration(float64(filmStep) * s.speed)
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
		if s.quiet <= s.idle || now.Equal(end) {
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

// moveTo brings the console to a moment.
func (s *shooting) moveTo(now time.Time) error {
	return s.playback.MoveTo(now, s.shell.State(), s.take)
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
		if s.lang == "" {
			break
		}
		if s.lesson = course.Retell(e, s.lang); s.lesson != nil {
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
	if s.playback.Now().Before(s.from) { // it is what was so when the film begins
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
	if length, size, _ := s.out.Written(); size > s.maxBytes {
		_, end := s.playback.Period()
		return fmt.Errorf("the film has %d MiB after %s, and %s of the recording are left: raise --speed, or cut it by --from and --to", size>>20, length.Round(time.Second),
			end.Sub(s.playback.Now()).Round(time.Second))
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
