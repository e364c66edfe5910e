package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
	"locktop/demo"
	"locktop/model"
	"locktop/ui"
	"locktop/ui/cli/session"
	"locktop/ui/tutor"
)

// lessonLimit is how long a person may take for a lesson.
const lessonLimit = 12 * time.Hour

// lessonTeller tells a drill to a person: it is the drill's teller, and what the console
// shows.
type lessonTeller struct {
	d    *drill.Drill
	lang string
	pane *tutor.Handover
	ctx  context.Context // ends with the console
}

// lesson is the lesson as the console wants it.
func (l *lessonTeller) lesson() *tutor.Lesson {
	return &tutor.Lesson{Judged: true, Title: l.d.Title, Why: l.d.Why, Next: l.pane.Next, Answer: l.pane.Answer}
}

// Step implements drill.Teller. What is said and asked tells itself.
func (l *lessonTeller) Step(i int) {
	s := l.d.Steps[i-1]
	switch {
	case s.Say != nil || s.Ask != nil:
	case s.Wait != nil:
		l.pane.Show(l.ctx, tutor.Step{Kind: tutor.StepWait, Text: s.Wait.Describe(), Met: s.Wait.Met(), Within: s.Wait.Within})
	case s.Pause > 0:
		l.pane.Show(l.ctx, tutor.Step{Kind: tutor.StepWait, Within: s.Pause})
	default:
		l.pane.Show(l.ctx, tutor.Step{Kind: tutor.StepDo, Text: s.Describe()})
	}
}

// Say implements drill.Teller.
func (l *lessonTeller) Say(ctx context.Context, t drill.Text) {
	l.pane.Show(ctx, tutor.Step{Kind: tutor.StepSay, Text: t.In(l.lang)})
	l.pane.Answered(ctx)
}

// Ask implements drill.Teller.
func (l *lessonTeller) Ask(ctx context.Context, q drill.Question) int {
	s := tutor.Step{Kind: tutor.StepAsk, Text: q.Text.In(l.lang), Right: q.Answer}
	for _, o := range q.Options {
		s.Options = append(s.Options, o.Text.In(l.lang))
	}
	l.pane.Show(ctx, s)
	return l.pane.Answered(ctx)
}

// end shows the verdict.
func (l *lessonTeller) end(round runner.Run) {
	s := tutor.Step{Kind: tutor.StepVerdict, Verdict: model.DrillVerdict(round.Verdict), Text: round.Reason}
	for _, r := range round.Results {
		measured, bound, _ := strings.Cut(r.Numbers(), ", ")
		s.Lines = append(s.Lines, tutor.Line{Name: r.Describe(), Measured: measured, Bound: bound, Verdict: model.DrillVerdict(r.Verdict)})
	}
	l.pane.Show(l.ctx, s)
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
	var room labRun
	l := &lessonTeller{d: d, lang: lang, pane: tutor.NewHandover(ctx), ctx: ctx}
	var played sync.WaitGroup
	defer func() {
		cancel()
		played.Wait()
		err = room.closeAfter(err)
	}()
	o := e.uiOptions("drill " + d.Name)
	o.Prefixes, o.Lab, o.Armed, o.NoSuspend, o.Lesson = []string{""}, true, true, demoNoSuspend, l.lesson()
	o.Boot = func(_ context.Context, progress func(string)) (ui.Live, error) {
		live, err := room.open(ctx, e, demo.Options{Spec: &d.Lab, Seed: d.Seed}, progress)
		if err != nil {
			return live, fmt.Errorf("starting the lab of %s: %w", d.Name, err)
		}
		drillSide, screenSide := session.Fork(ctx, live.Source)
		live.Source = screenSide
		played.Go(func() {
			l.end(runner.Play(ctx, d, e.stage(&room, drillSide), runner.Options{Teller: l, Limit: lessonLimit}))
			drillSide.Leave()
		})
		return live, nil
	}
	return e.show(ctx, o)
}
