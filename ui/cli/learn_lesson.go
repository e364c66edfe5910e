package cli

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
	"locktop/demo"
	"locktop/model"
	"locktop/model/text"
	"locktop/ui"
	"locktop/ui/cli/course"
	"locktop/ui/cli/session"
)

// lessonLimit is how long a person may take for a lesson.
const lessonLimit = 12 * time.Hour

// tellDrill tells a drill in the console.
func tellDrill(ctx context.Context, e *env, name string) error {
	d, err := loadDrill(ctx, name)
	if err != nil {
		return err
	}
	if !e.isTerminal() {
		return bad("a lesson needs a terminal; \"locktop drill run %s\" runs it without", name)
	}
	_, err = e.tell(ctx, "drill "+d.Name, d, e.language(), false, runner.Options{})
	return err
}

// tell opens the console on the lab of a drill, and tells it there. How the drill ended is known once
// the console is left.
func (e *env) tell(ctx context.Context, label string, d *drill.Drill, lang string, brief bool, ro runner.Options) (round runner.Run, err error) {
	ctx, cancel := context.WithCancel(ctx)
	var room labRun
	t := course.New(ctx, d, lang, brief)
	var played sync.WaitGroup
	var run runner.Run
	defer func() {
		cancel()
		played.Wait()
		path := room.recordedIn()
		round, err = run, room.closeAfter(err)
		if of := d.Lesson; of != nil && path != "" && round.Explained {
			e.tellLine(text.Render(lang, model.Say("course-cast", model.Verbatim(model.ShellQuote(path)), d.Name)))
		}
	}()
	ro.Trainer, ro.Limit = t, lessonLimit
	o, pins := e.uiOptions(label), slices.Concat(e.pins, course.Pins(d))
	o.Pins, o.Prefixes, o.Lab, o.Armed, o.NoSuspend, o.Brief, o.Lesson = pins, []string{""}, true, true, demoNoSuspend, brief, t.Lesson()
	if lacking, all := d.Untold(lang); lacking > 0 {
		o.Notice = text.Render(lang, model.Say("texts-lack-the-language", lacking, all))
	}
	o.Boot = func(_ context.Context, progress func(model.Message)) (ui.Live, error) {
		live, err := room.open(ctx, e, demo.Options{Spec: &d.Lab, Seed: d.Seed}, progress)
		if err != nil {
			return live, fmt.Errorf("starting the lab of %s: %w", d.Name, err)
		}
		drillSide, screenSide := session.Fork(ctx, live.Source)
		live.Source, live.Actions = t.Screen(screenSide), t.Watch(live.Actions)
		played.Go(func() {
			stage := e.stage(&room, drillSide)
			stage.Pins = pins
			run = runner.Play(ctx, d, stage, ro)
			drillSide.Leave()
			if run.Err != nil {
				t.Broke(&run)
			}
		})
		return live, nil
	}
	return runner.Run{}, e.show(ctx, o)
}
