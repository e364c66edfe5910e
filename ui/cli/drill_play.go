package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"locktop/chaos/drill"
	"locktop/chaos/drill/roles"
	"locktop/chaos/drill/runner"
	"locktop/demo"
	"locktop/model"
	"locktop/model/journal"
	"locktop/model/store"
	"locktop/ui/report"
)

// runDrill runs a drill as often as asked, but for the runs that the results have. The
// exit code is that of all of them.
func (f *drillRun) runDrill(ctx context.Context, asked roles.Assignment, results *resultsFile) (code int, err error) {
	d := asked.Drill
	r := runner.Report{Drill: d, NotAsked: asked.NotAsked, File: f.file, Locktop: thisBuild().Version}
	had := map[drill.Verdict]int{}
	var figures []runner.Figures
	for run := 1; run <= f.repeat && err == nil; run++ {
		if old, ok := results.find(d.Name, run); ok {
			had[old.Verdict]++
			figures = append(figures, old.Figures())
			code = worseCode(code, old.Verdict.ExitCode())
			continue
		}
		if ctx.Err() != nil {
			code = worseCode(code, exitBad)
			break
		}
		if f.failFast && (code != 0 || len(r.Rounds) > 0 && r.ExitCode() != 0) {
			break
		}
		var round runner.Run
		if round, err = f.playDrill(ctx, d, f.seedOf(d, run)); round.Verdict != "" {
			r.Rounds = append(r.Rounds, round)
			figures = append(figures, round.Figures())
			err = errors.Join(err, results.addRound(d, run, round))
		}
	}
	if len(had) > 0 {
		f.tellHad(d, had)
	}
	if len(r.Rounds) > 0 {
		code = worseCode(code, r.ExitCode())
	}
	if f.repeat > 1 || len(f.thresholds) > 0 || len(had) > 0 {
		r.Repeats = r.Together(runner.Repeats{Asked: f.repeat, Held: had[drill.Held], Violated: had[drill.Violated], Need: f.need}, f.thresholds, figures)
		code = r.Repeats.ExitCode(code)
	}
	if f.collect != nil && len(r.Rounds)+len(had) > 0 {
		f.collect(r)
	}
	if len(r.Rounds) > 0 {
		err = errors.Join(r.Text(f.e.out, f.timeline), writeReports(ctx, f.reports, r), f.writePictures(r), err)
	}
	if r.Repeats != nil {
		err = errors.Join(err, r.Repeats.Text(f.e.out, d.Name))
	}
	return code, err
}

// measured refuses a threshold that none of the drills measures anything for.
func measured(checks []runner.Threshold, asked []roles.Assignment) error {
	for _, t := range checks {
		if !slices.ContainsFunc(asked, func(c roles.Assignment) bool { return t.Fits(c.Drill) }) {
			return bad("--threshold %q: no drill that is to be run expects %s", t, t.Name)
		}
	}
	return nil
}

// seedOf is the seed of a run, which counts from 1.
func (f *drillRun) seedOf(d *drill.Drill, run int) uint64 {
	if f.seed != 0 {
		return f.seed + uint64(run-1)
	}
	return d.Seed + uint64(run-1)
}

// tellHad says which runs were not done again.
func (f *drillRun) tellHad(d *drill.Drill, had map[drill.Verdict]int) {
	n := had[drill.Held] + had[drill.Violated] + had[drill.Unknown]
	fmt.Fprintf(f.e.out, "%s: %d of %d runs are in %s already (%s)", d.Name, n, f.repeat, f.results, runner.VerdictList(had))
	if n == f.repeat && len(f.reports) > 0 {
		fmt.Fprint(f.e.out, ": no report is written")
	}
	fmt.Fprintln(f.e.out)
}

// playDrill starts the lab of a drill and plays it once.
func (f *drillRun) playDrill(ctx context.Context, d *drill.Drill, seed uint64) (round runner.Run, err error) {
	room, lab := labRun{armed: f.foreign != nil}, demo.Options{}
	if f.foreign != nil {
		if err := f.unused(ctx, d); err != nil {
			return round, err
		}
		lab = *f.foreign
	}
	lab.Spec, lab.Seed = &d.Lab, seed
	defer func() { err = room.closeAfter(err) }()
	live, err := room.open(ctx, f.e, lab, func(model.Message) {})
	if err != nil {
		return round, err
	}
	stage := f.e.stage(&room, live.Source)
	stage.Pins = append(slices.Clone(stage.Pins), singleKeys(d)...)
	return runner.Play(ctx, d, stage, runner.Options{Seed: seed, Hasty: d.Name == stormName, Event: eventOf, Steady: f.steady.questions(room.lab.MemberEndpoints(), d.Lab.Locks()[0])}), nil
}

// stage is the room as a drill sees it.
func (e *env) stage(room *labRun, source model.Source) runner.Lab {
	return runner.Lab{Source: source, Begin: room.lab.Begin, Do: room.do, Leader: room.lab.Leader, Pins: e.pins, Printed: room.lab.Printed, Report: room.lab.Report}
}

// eventOf is an entry as the events command has it.
func eventOf(s *store.Store, f *journal.Entry) any {
	var line strings.Builder
	if err := report.EventLine(&line, s.View, f); err != nil {
		return err.Error() // cannot happen: every field is text or a number
	}
	return json.RawMessage(strings.TrimSpace(line.String()))
}

// writePictures writes the pictures that were asked for.
func (f *drillRun) writePictures(r runner.Report) error {
	if f.pictures == "" {
		return nil
	}
	for name, page := range r.Pictures() {
		if err := os.WriteFile(filepath.Join(f.pictures, name), page, 0o644); err != nil {
			return fmt.Errorf("writing a picture: %w", err)
		}
	}
	return nil
}
