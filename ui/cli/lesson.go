package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"locktop/chaos/drill"
	"locktop/chaos/drill/play"
	"locktop/demo"
	"locktop/ui"
	"locktop/ui/cli/session"
)

// lessonLimit is how long a person may take for a lesson.
const lessonLimit = 12 * time.Hour

// lesson tells a drill to a person: it is the drill's teller, and what the console
// shows.
type lesson struct {
	d       *drill.Drill
	lang    string
	steps   chan ui.LessonStep
	answers chan int
	ctx     context.Context // ends with the console
}

func newLesson(ctx context.Context, d *drill.Drill, lang string) *lesson {
	return &lesson{d: d, lang: lang, ctx: ctx, steps: make(chan ui.LessonStep), answers: make(chan int, 1)}
}

// shown is the lesson as the console wants it.
func (l *lesson) shown() *ui.Lesson {
	return &ui.Lesson{Title: l.d.Title, Why: l.d.Why,
		Next: func(ctx context.Context) (ui.LessonStep, error) {
			select {
			case s := <-l.steps:
				return s, nil
			case <-ctx.Done():
				return ui.LessonStep{}, ctx.Err()
			}
		},
		Answer: func(choice int) {
			select {
			case l.answers <- choice:
			case <-l.ctx.Done():
			}
		}}
}

// show hands a step over to the console.
func (l *lesson) show(ctx context.Context, s ui.LessonStep) {
	select {
	case l.steps <- s:
	case <-ctx.Done():
	}
}

// Step implements drill.Teller. What is said and asked tells itself.
func (l *lesson) Step(i int) {
	s := l.d.Steps[i-1]
	switch {
	case s.Say != nil || s.Ask != nil:
	case s.Wait != nil:
		text := strings.TrimSuffix(strings.TrimPrefix(s.Describe(), "wait for "), ", at most "+s.Wait.Within.String())
		l.show(l.ctx, ui.LessonStep{Kind: ui.StepWait, Text: text, Within: s.Wait.Within})
	case s.Pause > 0:
		l.show(l.ctx, ui.LessonStep{Kind: ui.StepWait, Within: s.Pause})
	default:
		l.show(l.ctx, ui.LessonStep{Kind: ui.StepDo, Text: s.Describe()})
	}
}

// Say implements drill.Teller.
func (l *lesson) Say(ctx context.Context, t drill.Text) {
	l.show(ctx, ui.LessonStep{Kind: ui.StepSay, Text: t.In(l.lang)})
	l.answer(ctx)
}

// Ask implements drill.Teller.
func (l *lesson) Ask(ctx context.Context, q drill.Question) int {
	s := ui.LessonStep{Kind: ui.StepAsk, Text: q.Text.In(l.lang), Right: q.Answer}
	for _, o := range q.Options {
		s.Options = append(s.Options, o.In(l.lang))
	}
	l.show(ctx, s)
	return l.answer(ctx)
}

func (l *lesson) answer(ctx context.Context) int {
	select {
	case choice := <-l.answers:
		return choice
	case <-ctx.Done():
		return 0
	}
}

// end shows the verdict.
func (l *lesson) end(round play.Round) {
	s := ui.LessonStep{Kind: ui.StepVerdict, Verdict: ui.Verdict(round.Verdict), Text: round.Reason}
	for _, r := range round.Results {
		measured, bound, _ := strings.Cut(r.Numbers(), ", ")
		s.Lines = append(s.Lines, ui.LessonLine{Name: r.Describe(), Measured: measured, Bound: bound, Verdict: ui.Verdict(r.Verdict)})
	}
	l.show(l.ctx, s)
}

// runLesson opens the console on the lab of a drill, which is told there.
func (e *env) runLesson(ctx context.Context, name string) (err error) {
	d, err := loadDrill(name)
	if err != nil {
		return err
	}
	if !e.isTerminal() {
		return bad("a lesson needs a terminal; \"locktop drill run %s\" runs it without", name)
	}
	ctx, cancel := context.WithCancel(ctx)
	var room labRoom
	l := newLesson(ctx, d, e.lang)
	var played sync.WaitGroup
	defer func() {
		cancel()
		played.Wait()
		err = room.closeAfter(err)
	}()
	o := e.uiOptions("drill " + d.Name)
	o.Prefixes, o.Lab, o.Armed, o.NoSuspend, o.Lesson = []string{""}, true, true, demoNoSuspend, l.shown()
	o.Boot = func(_ context.Context, progress func(string)) (ui.Live, error) {
		live, err := room.open(ctx, e, demo.Options{Spec: &d.Lab, Seed: d.Seed}, progress)
		if err != nil {
			return live, fmt.Errorf("starting the lab of %s: %w", d.Name, err)
		}
		drillSide, screenSide := session.Fork(ctx, live.Source)
		live.Source = screenSide
		played.Go(func() {
			l.end(play.Run(ctx, d, e.stage(&room, drillSide), play.Options{Teller: l, Limit: lessonLimit}))
			drillSide.Leave()
		})
		return live, nil
	}
	return e.show(ctx, o)
}
