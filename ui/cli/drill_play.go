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
func (dr *drillRun) runDrill(ctx context.Context, asked roles.Assignment, results *resultsFile) (code int, err error) {
	d := asked.Drill
	r := runner.Report{Drill: d, NotAsked: asked.NotAsked, File: dr.file, Locktop: thisBuild().Version}
	had := map[drill.Verdict]int{}
	var figures []runner.Figures
	for run := 1; run <= dr.repeat && err == nil; run++ {
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
		if dr.failFast && (code != 0 || len(r.Rounds) > 0 && r.ExitCode() != 0) {
			break
		}
		var round runner.Run
		if round, err = dr.playDrill(ctx, d, dr.seedOf(d, run)); round.Verdict != "" {
			r.Rounds = append(r.Rounds, round)
			figures = append(figures, round.Figures())
			err = errors.Join(err, results.addRound(d, run, round))
		}
	}
	if len(had) > 0 {
		dr.tellHad(d, had)
	}
	if len(r.Rounds) > 0 {
		code = worseCode(code, r.ExitCode())
	}
	if dr.repeat > 1 || len(dr.thresholds) > 0 || len(had) > 0 {
		r.Repeats = r.Together(runner.Repeats{Asked: dr.repeat, Held: had[drill.Held], Violated: had[drill.Violated], Need: dr.need}, dr.thresholds, figures)
		code = r.Repeats.ExitCode(code)
	}
	if dr.collect != nil && len(r.Rounds)+len(had) > 0 {
		dr.collect(r)
	}
	if len(r.Rounds) > 0 {
		err = errors.Join(r.Text(dr.e.out, dr.timeline), writeReports(ctx, dr.reports, r), dr.writePictures(r), err)
	}
	if r.Repeats != nil {
		err = errors.Join(err, r.Repeats.Text(dr.e.out, d.Name))
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
func (dr *drillRun) seedOf(d *drill.Drill, run int) uint64 {
	if dr.seed != 0 {
		return dr.seed + uint64(run-1)
	}
	return d.Seed + uint64(run-1)
}

// tellHad says which runs were not done again.
func (dr *drillRun) tellHad(d *drill.Drill, had map[drill.Verdict]int) {
	n := had[drill.Held] + had[drill.Violated] + had[drill.Unknown]
	fmt.Fprintf(dr.e.out, "%s: %d of %d runs are in %s already (%s)", d.Name, n, dr.repeat, dr.results, runner.VerdictList(had))
	if n == dr.repeat && len(dr.reports) > 0 {
		fmt.Fprint(dr.e.out, ": no report is written")
	}
	fmt.Fprintln(dr.e.out)
}

// playDrill starts the lab of a drill and plays it once.
func (dr *drillRun) playDrill(ctx context.Context, d *drill.Drill, seed uint64) (round runner.Run, err error) {
	room, lab := labRun{armed: dr.foreign != nil}, demo.Options{}
	if dr.foreign != nil {
		if err := dr.unused(ctx, d); err != nil {
			return round, err
		}
		lab = *dr.foreign
	}
	lab.Spec, lab.Seed = &d.Lab, seed
	defer func() { err = room.closeAfter(err) }()
	live, err := room.open(ctx, dr.e, lab, func(model.Message) {})
	if err != nil {
		return round, err
	}
	stage := dr.e.stage(&room, live.Source)
	stage.Pins = append(slices.Clone(stage.Pins), singleKeys(d)...)
	return runner.Play(ctx, d, stage, runner.Options{Seed: seed, Hasty: d.Name == stormName, Event: eventOf, Steady: dr.steady.questions(room.lab.MemberEndpoints(), d.Lab.Locks()[0])}), nil
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
func (dr *drillRun) writePictures(r runner.Report) error {
	if dr.pictures == "" {
		return nil
	}
	for name, page := range r.Pictures() {
		if err := os.WriteFile(filepath.Join(dr.pictures, name), page, 0o644); err != nil {
			return fmt.Errorf("writing a picture: %w", err)
		}
	}
	return nil
}
