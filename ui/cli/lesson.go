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
	"locktop/ui/lesson"
)

// lessonLimit is how long a person may take for a lesson.
const lessonLimit = 12 * time.Hour

// lessonTeller tells a drill to a person: it is the drill's teller, and what the console
// shows.
type lessonTeller struct {
	d       *drill.Drill
	lang    string
	steps   chan lesson.Step
	answers chan int
	ctx     context.Context // ends with the console
}

func newLesson(ctx context.Context, d *drill.Drill, lang string) *lessonTeller {
	return &lessonTeller{d: d, lang: lang, ctx: ctx, steps: make(chan lesson.Step), answers: make(chan int, 1)}
}

// shown is the lesson as the console wants it.
func (l *lessonTeller) shown() *lesson.Lesson {
	return &lesson.Lesson{Title: l.d.Title, Why: l.d.Why,
		Next: func(ctx context.Context) (lesson.Step, error) {
			select {
			case s := <-l.steps:
				return s, nil
			case <-ctx.Done():
				return lesson.Step{}, ctx.Err()
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
func (l *lessonTeller) show(ctx context.Context, s lesson.Step) {
	select {
	case l.steps <- s:
	case <-ctx.Done():
	}
}

// Step implements drill.Teller. What is said and asked tells itself.
func (l *lessonTeller) Step(i int) {
	s := l.d.Steps[i-1]
	switch {
	case s.Say != nil || s.Ask != nil:
	case s.Wait != nil:
		l.show(l.ctx, lesson.Step{Kind: lesson.StepWait, Text: s.Wait.Describe(), Met: s.Wait.Met(), Within: s.Wait.Within})
	case s.Pause > 0:
		l.show(l.ctx, lesson.Step{Kind: lesson.StepWait, Within: s.Pause})
	default:
		l.show(l.ctx, lesson.Step{Kind: lesson.StepDo, Text: s.Describe()})
	}
}

// Say implements drill.Teller.
func (l *lessonTeller) Say(ctx context.Context, t drill.Text) {
	l.show(ctx, lesson.Step{Kind: lesson.StepSay, Text: t.In(l.lang)})
	l.answer(ctx)
}

// Ask implements drill.Teller.
func (l *lessonTeller) Ask(ctx context.Context, q drill.Question) int {
	s := lesson.Step{Kind: lesson.StepAsk, Text: q.Text.In(l.lang), Right: q.Answer}
	for _, o := range q.Options {
		s.Options = append(s.Options, o.In(l.lang))
	}
	l.show(ctx, s)
	return l.answer(ctx)
}

func (l *lessonTeller) answer(ctx context.Context) int {
	select {
	case choice := <-l.answers:
		return choice
	case <-ctx.Done():
		return 0
	}
}

// end shows the verdict.
func (l *lessonTeller) end(round play.Round) {
	s := lesson.Step{Kind: lesson.StepVerdict, Verdict: lesson.Verdict(round.Verdict), Text: round.Reason}
	for _, r := range round.Results {
		measured, bound, _ := strings.Cut(r.Numbers(), ", ")
		s.Lines = append(s.Lines, lesson.Line{Name: r.Describe(), Measured: measured, Bound: bound, Verdict: lesson.Verdict(r.Verdict)})
	}
	l.show(l.ctx, s)
}

// tellDrill opens the console on the lab of a drill, which is told there.
func tellDrill(ctx context.Context, e *env, name string) (err error) {
	d, err := loadDrill(ctx, name)
	if err != nil {
		return err
	}
	if !e.isTerminal() {
		return bad("a lesson needs a terminal; \"locktop drill run %s\" runs it without", name)
	}
	lang, err := courseLanguage(e)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	var room labRoom
	l := newLesson(ctx, d, lang)
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
