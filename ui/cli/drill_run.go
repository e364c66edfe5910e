package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"locktop/chaos/drill"
	"locktop/chaos/drill/play"
	"locktop/demo"
	"locktop/model"
	"locktop/model/fold"
	"locktop/ui/report"
)

// drillFlags are the flags of drill run.
type drillFlags struct {
	repeat   int
	seed     uint64
	reports  []string
	results  string
	pictures string
	dryRun   bool
	timeline bool
	seconds  int // length of a cell of the published experiment
}

func (e *env) drillRunCmd() *cobra.Command {
	var f drillFlags
	cmd := &cobra.Command{
		Use:   "run NAME | FILE | " + everyDrill,
		Short: "run a drill on a lab of its own: exit 0 if all held, 1 if not, 3 if unknown, 2 if it could not run",
		Long: "run starts the lab that the drill asks for, does its steps, heals every fault whatever\n" +
			"happens, and judges what was expected. With --results each run is appended to a file, and\n" +
			"those that are in it already are not done again: an interrupted series goes on where it was.",
		Example: "  locktop drill run holder-crash --report crash.json --report crash.xml\n" +
			"  locktop drill run all --repeat 10 --results runs.jsonl",
		Args: drillArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			if args[0] == demo.LockSetName {
				if err := needless(cmd, demo.LockSetName+" prints a table", "timeline", "recipe", "expect", "lease-budget"); err != nil {
					return err
				}
				return couldNotRun(cmd.Context(), e.runLockSet(cmd.Context(), f))
			}
			if err := needless(cmd, "it is for "+demo.LockSetName+" alone", "seconds"); err != nil {
				return err
			}
			return couldNotRun(cmd.Context(), e.runDrills(cmd.Context(), args[0], f))
		},
	}
	fl := cmd.Flags()
	fl.IntVar(&f.repeat, "repeat", 1, "how often")
	fl.Uint64Var(&f.seed, "seed", 0, "makes its chances repeat (default: the drill's, one more each time)")
	fl.StringArrayVar(&f.reports, "report", nil, "write a report: JSON, or JUnit where the name ends in .xml; may be repeated")
	fl.StringVar(&f.results, "results", "", "append each run to this file, and skip those that are in it")
	fl.StringVar(&f.pictures, "pictures", "", "folder for pictures of the histories that were checked (HTML)")
	fl.BoolVar(&f.dryRun, "dry-run", false, "say what would be done, and do nothing")
	fl.BoolVar(&f.timeline, "timeline", false, "print what happened when")
	fl.IntVar(&f.seconds, "seconds", 120, "length of a cell of "+demo.LockSetName)
	return cmd
}

func (f drillFlags) check() error {
	return cmp.Or(inRange("--repeat", f.repeat, 1, 1000, ""), inRange("--seconds", f.seconds, 5, 3600, ""))
}

// places makes sure, before a lab is started for it, that what comes of it can be
// written.
func (f drillFlags) places() error {
	for _, name := range f.reports {
		_, missing := os.Stat(name)
		file, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil {
			return bad("writing the report: %v", err)
		}
		err = file.Close()
		if os.IsNotExist(missing) { // it is written at the end, or not at all
			err = errors.Join(err, os.Remove(name))
		}
		if err != nil {
			return bad("writing the report: %v", err)
		}
	}
	if f.pictures == "" {
		return nil
	}
	if err := os.MkdirAll(f.pictures, 0o755); err != nil {
		return bad("making the folder for pictures: %v", err)
	}
	return nil
}

// runDrills runs one drill or all of them, as often as asked.
func (e *env) runDrills(ctx context.Context, name string, f drillFlags) error {
	drills, err := chosen(ctx, name)
	if err != nil {
		return err
	}
	if f.dryRun {
		for _, d := range drills {
			for _, line := range drill.Plan(d) {
				fmt.Fprintln(e.out, model.Told(line))
			}
		}
		return nil
	}
	if len(drills) > 1 && len(f.reports) > 0 {
		return bad("--report is for one drill; for all of them there is --results")
	}
	if err := f.places(); err != nil {
		return err
	}
	results, err := openResults[result](f.results)
	if err != nil {
		return err
	}
	defer results.close()
	series := series{results}
	code := 0
	for _, d := range drills {
		if ctx.Err() != nil {
			code = worseCode(code, exitBad) // the rest was not run
			break
		}
		c, err := e.runDrill(ctx, d, series, f)
		if err != nil {
			return err
		}
		code = worseCode(code, c)
	}
	if code != 0 {
		return exitCode(code)
	}
	return nil
}

// worseCode is the exit code of two drills: violated, then could not run, then
// unknown, then held.
func worseCode(a, b int) int {
	for _, code := range []int{exitFailed, exitBad} {
		if a == code || b == code {
			return code
		}
	}
	return max(a, b)
}

// chosen are the drills that a name means.
func chosen(ctx context.Context, name string) ([]*drill.Drill, error) {
	if name == everyDrill {
		return builtIn(ctx)
	}
	d, err := loadDrill(ctx, name)
	return []*drill.Drill{d}, err
}

// runDrill runs a drill as often as asked, but for the runs that the series has. The
// exit code is that of all of them.
func (e *env) runDrill(ctx context.Context, d *drill.Drill, series series, f drillFlags) (code int, err error) {
	r := play.Report{Drill: d}
	had := map[drill.Verdict]int{}
	for run := 1; run <= f.repeat && err == nil; run++ {
		if old, ok := series.find(d.Name, run); ok {
			had[old.Verdict]++
			code = worseCode(code, old.Verdict.ExitCode())
			continue
		}
		if ctx.Err() != nil {
			code = worseCode(code, exitBad)
			break
		}
		var round play.Round
		if round, err = e.playDrill(ctx, d, f.seedOf(d, run)); round.Verdict != "" {
			r.Rounds = append(r.Rounds, round)
			err = errors.Join(err, series.addRound(d, run, round))
		}
	}
	if len(had) > 0 {
		e.tellHad(d, had, f)
	}
	if len(r.Rounds) == 0 {
		return code, err
	}
	return worseCode(code, r.ExitCode()), errors.Join(r.Text(e.out, f.timeline), e.writeReports(r, f), err)
}

// seedOf is the seed of a run, which counts from 1.
func (f drillFlags) seedOf(d *drill.Drill, run int) uint64 {
	if f.seed != 0 {
		return f.seed + uint64(run-1)
	}
	return d.Seed + uint64(run-1)
}

// tellHad says which runs were not done again.
func (e *env) tellHad(d *drill.Drill, had map[drill.Verdict]int, f drillFlags) {
	n := had[drill.Held] + had[drill.Violated] + had[drill.Unknown]
	fmt.Fprintf(e.out, "%s: %d of %d runs are in %s already (%s)", d.Name, n, f.repeat, f.results, verdictList(had))
	if n == f.repeat && len(f.reports) > 0 {
		fmt.Fprint(e.out, ": no report is written")
	}
	fmt.Fprintln(e.out)
}

// playDrill starts the lab of a drill and plays it once.
func (e *env) playDrill(ctx context.Context, d *drill.Drill, seed uint64) (round play.Round, err error) {
	var room labRoom
	defer func() { err = room.closeAfter(err) }()
	live, err := room.open(ctx, e, demo.Options{Spec: &d.Lab, Seed: seed}, func(string) {})
	if err != nil {
		return round, err
	}
	return play.Run(ctx, d, e.stage(&room, live.Source), play.Options{Seed: seed, Event: eventOf}), nil
}

// stage is the room as a drill sees it.
func (e *env) stage(room *labRoom, source model.Source) play.Stage {
	return play.Stage{Source: source, Begin: room.lab.Begin, Do: room.do, Leader: room.lab.Leader, Pins: e.pins}
}

// eventOf is an entry as the events command has it.
func eventOf(s *fold.State, f *model.JournalEntry) any {
	var line strings.Builder
	if err := report.EventLine(&line, s, f); err != nil {
		return err.Error() // cannot happen: every field is text or a number
	}
	return json.RawMessage(strings.TrimSpace(line.String()))
}

// writeReports writes the reports and pictures that were asked for.
func (e *env) writeReports(r play.Report, f drillFlags) error {
	for _, name := range f.reports {
		write := r.JSON
		if filepath.Ext(name) == ".xml" {
			write = r.JUnit
		}
		if err := writeFile(name, write); err != nil {
			return err
		}
	}
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

// writeFile writes a file whole or says why not.
func writeFile(name string, write func(io.Writer) error) error {
	file, err := os.Create(name)
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return errors.Join(write(file), file.Close())
}
