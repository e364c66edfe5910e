package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/spf13/cobra"

	"locktop/chaos/drill"
	"locktop/chaos/drill/roles"
	"locktop/chaos/drill/runner"
	"locktop/demo"
	builtins "locktop/demo/drills"
	"locktop/model"
	"locktop/model/journal"
	"locktop/model/store"
	"locktop/ui/report"
)

// drillRun is the command drill run.
type drillRun struct {
	e        *env
	output   string // "github", or "" for text alone
	file     string // of the drill, "" for one that is built in
	jobs     int    // drills that are played at a time
	repeat   int
	seed     uint64
	reports  []string
	results  string
	pictures string
	dryRun   bool
	timeline bool
	failFast bool
	need     int      // how many runs have to hold; 0: all
	bounds   []string // --threshold
	checks   []runner.Threshold
	roles    roleFlags
	steady   steadyFlags
	storm    stormFlags
	programs *roles.Options // nil: none
	armed    bool
	foreign  *demo.Options       // a cluster that is not ours, nil for a lab of its own
	collect  func(runner.Report) // is given what came of it, for a report of several drills; nil: nobody wants it
}

func drillRunCmd(e *env) *cobra.Command {
	f := drillRun{e: e}
	cmd := &cobra.Command{
		Use:   "run NAME | FILE | " + everyDrill + " | " + stormName,
		Short: "run a drill on a lab of its own: exit 0 if all held, 1 if not, 3 if unknown, 2 if it could not run",
		Long: "run starts the lab that the drill asks for, does its steps, heals every fault whatever happens, and\n" +
			"judges the expectations. With --results run appends each result to a file and skips the runs that\n" +
			"the file already has, so an interrupted series continues where it stopped.\n" +
			"\n" +
			"With --as a program of your own plays a role, in its own process group and without a shell. It finds\n" +
			"its listeners in ETCD_ENDPOINTS and ETCDCTL_ENDPOINTS, the lock in LOCKTOP_LOCK, and the TTL of the\n" +
			"drill in LOCKTOP_TTL. {endpoints}, {lock}, {ttl} and {role} in the command are the same values. The\n" +
			"program's output says what it believes: by --belief, or by lines of JSON like {\"state\":\"holding\"}.\n" +
			"Where the program says nothing, only the answers that etcd gave it are known, and an expectation\n" +
			"that needs its belief is unknown. held judges its word, and the claims in etcd. What etcd accepts of it\n" +
			"after it said that it stopped is told with each verdict, and with --guards it is a violation.\n" +
			"--steady asks a question of your own before, during and after the faults: a command that has to end\n" +
			"with 0 (exec:), an address that has to answer below 400 (http:), or to take connections (tcp:). A command\n" +
			"finds the members in ETCD_ENDPOINTS, past the faults. --recovers lets it fail while a fault lasts.\n" +
			"storm is a drill that is drawn by --seed: faults for as long as --for says, against --copies of the\n" +
			"program. Whatever happens, nobody may believe that it holds for longer than --stops-within after it lost\n" +
			"its claim, and once all is healed somebody has to hold. Of one that fails shorter schedules are tried, and\n" +
			"the shortest that fails is kept as the file of a drill.\n" +
			"With --endpoints and --armed the drill runs on a test cluster, behind the proxy. The lock must be\n" +
			"unused, and only drills that do nothing to members or keys can run there: \"all\" means these (see\n" +
			"--dry-run).",
		Example: "  locktop drill run holder-crash --report crash.json --report crash.xml\n" +
			"  locktop drill run all --repeat 10 --results runs.jsonl\n" +
			"  locktop drill run keepalives-held --as './worker {lock}' --lock /app/report \\\n" +
			"    --belief 'stdout:/got the lock/=holding,/released|lost/=idle' --report r.xml\n" +
			"  locktop drill run all --as './worker {lock}' --dry-run\n" +
			"  locktop drill run storm --as './worker {lock} {ttl}' --lock /app/report \\\n" +
			"    --belief 'stdout:/got the lock/=holding,/released|lost/=idle' --seed 7 --for 60s",
		Args: drillArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.check(); err != nil {
				return err
			}
			var err error
			if f.programs, err = f.roles.options(cmd.Context(), cmd); err != nil {
				return err
			}
			if err := f.foreignLab(cmd); err != nil {
				return couldNotRun(err)
			}
			if args[0] == stormName {
				if err := needless(cmd, "a storm is drawn anew for each run", "results", "threshold", "need"); err != nil {
					return err
				}
				return couldNotRun(f.runStorms(cmd.Context()))
			}
			if err := needless(cmd, "it is for a storm", stormOnly...); err != nil {
				return err
			}
			return couldNotRun(f.runDrills(cmd.Context(), args[0]))
		},
	}
	f.add(cmd)
	cmd.Flags().IntVar(&f.jobs, "jobs", 1, "of all: how many drills are run at a time, each on a lab of its own")
	f.storm.add(cmd)
	addDrillOutput(cmd, &f.output)
	return cmd
}

// addDrillOutput adds -o to a command that runs drills.
func addDrillOutput(cmd *cobra.Command, output *string) {
	addOutput(cmd, output, []string{"text", "github"}, "text, or github: text, annotations, and a summary for GITHUB_STEP_SUMMARY")
}

// add adds the flags to a command.
func (f *drillRun) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.IntVar(&f.repeat, "repeat", 1, "how often")
	fl.Uint64Var(&f.seed, "seed", 0, "repeat the random choices of this seed (default: the drill's, one more for each run)")
	fl.StringArrayVar(&f.reports, "report", nil, "write a report: JSON, or JUnit where the name ends in .xml; may be repeated")
	fl.StringVar(&f.results, "results", "", "append each run to this file, and skip those that are in it")
	fl.StringVar(&f.pictures, "pictures", "", "folder for pictures of the histories that were checked (HTML)")
	fl.BoolVar(&f.dryRun, "dry-run", false, "say what would be done, and do nothing")
	fl.BoolVar(&f.timeline, "timeline", false, "print what happened when")
	fl.BoolVar(&f.armed, "armed", false, "with --endpoints: allow your programs to compete there, and faults of theirs")
	fl.IntVar(&f.need, "need", 0, "how many of the runs of --repeat have to hold (default: all)")
	fl.StringArrayVar(&f.bounds, "threshold", nil, "what the runs have to measure together, like 'handover p95 < 6s', or max; may be repeated")
	fl.BoolVar(&f.failFast, "fail-fast", false, "end after the first run that is not held")
	f.roles.add(cmd)
	f.steady.add(cmd)
}

func (f *drillRun) check() error {
	if f.need > 0 && f.failFast {
		return bad("--need and --fail-fast: one lets runs fail, and the other ends at the first")
	}
	if err := f.steady.read(); err != nil {
		return err
	}
	for _, text := range f.bounds {
		t, err := runner.ParseThreshold(text)
		if err != nil {
			return bad("--threshold %q: %v", text, err)
		}
		f.checks = append(f.checks, t)
	}
	return cmp.Or(inRange("--jobs", f.jobs, 1, 16, ""), inRange("--repeat", f.repeat, 1, 1000, ""), inRange("--need", f.need, 0, f.repeat, " (--repeat)"))
}

// places makes sure, before a lab is started for it, that what comes of it can be
// written.
func (f *drillRun) places() error {
	for _, name := range f.reports {
		info, missing := os.Stat(name)
		if missing == nil && info.Mode().Type() == os.ModeNamedPipe {
			continue // its reader would take this for the end
		}
		file, err := openOutput(name, os.O_CREATE, 0o644)
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
func (f *drillRun) runDrills(ctx context.Context, name string) error {
	drills, err := chosen(ctx, name)
	if err != nil {
		return err
	}
	asked, refused := assignRoles(f.programs, drills)
	switch {
	case len(asked) == 0 && len(refused) == 1:
		return bad("%s cannot be asked of this program: %s", refused[0][0], refused[0][1])
	case len(asked) == 0 && !f.dryRun:
		return bad("none of the drills can be asked of this program: --dry-run says why")
	}
	if err := measured(f.checks, asked); err != nil {
		return err
	}
	if f.dryRun {
		return writePlan(f.e.out, asked, refused)
	}
	if err := cmp.Or(couldNotRun(f.programs.There()), f.places()); err != nil {
		return err
	}
	all, reports := runner.Suite{Title: name}, []string(nil)
	if len(drills) > 1 { // one report of all, at the end
		reports, f.reports = f.reports, nil
	} else if _, err := builtins.File(name); err != nil {
		f.file = name
	}
	results, err := openResults(f.results)
	if err != nil {
		return err
	}
	defer results.close()
	code, err := f.runEach(ctx, asked, results, &all)
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		fmt.Fprintf(f.e.out, "%d of %d drills cannot be asked of this program: --dry-run says why\n", len(refused), len(drills))
	}
	return f.e.drillsOver(ctx, all, reports, f.output, code, nil)
}

// drillsOver writes what came of drills, those of several in a last line, and ends the command by that, or
// by what failed before.
func (e *env) drillsOver(ctx context.Context, all runner.Suite, reports []string, output string, code int, failed error) error {
	err := errors.Join(failed, writeReports(ctx, reports, all), e.forGitHub(output, all))
	if len(all.Reports)+len(all.NotRun) > 1 {
		err = errors.Join(err, all.Text(e.out))
	}
	switch {
	case err != nil:
		return err
	case code == exitBad && ctx.Err() != nil:
		return ctx.Err() // as every other interruption
	case code != 0:
		return exitCode(code)
	}
	return nil
}

// slot is a drill that is played beside others: what it prints, and what came of it.
type slot struct {
	out  bytes.Buffer
	of   []runner.Report
	code int
	err  error
	done chan struct{}
	left bool // it was not begun
}

// runEach runs the drills, so many at a time, and prints what came of them one after another, in their
// order.
func (f *drillRun) runEach(ctx context.Context, asked []roles.Assignment, results *resultsFile, all *runner.Suite) (code int, err error) {
	var slots []*slot
	for range asked {
		slots = append(slots, &slot{done: make(chan struct{})})
	}
	var failed atomic.Bool // so that no other is begun
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range asked {
			next <- i
		}
	}()
	for range f.jobs {
		go func() {
			for i := range next {
				one := slots[i]
				if one.left = ctx.Err() != nil || failed.Load(); !one.left {
					g, e := *f, *f.e
					g.e, g.collect = &e, func(r runner.Report) { one.of = append(one.of, r) }
					if f.jobs > 1 || f.output == "github" {
						e.out = &one.out
					}
					one.code, one.err = g.runDrill(ctx, asked[i], results)
					if one.err != nil || f.failFast && one.code != 0 {
						failed.Store(true)
					}
				}
				close(one.done)
			}
		}()
	}
	told := false
	for i, one := range slots {
		<-one.done
		if e := f.print(one); e != nil {
			err = errors.Join(err, e)
		}
		err = errors.Join(err, one.err)
		all.Reports = append(all.Reports, one.of...)
		code = worseCode(code, one.code)
		if !one.left {
			continue
		}
		all.NotRun = append(all.NotRun, asked[i].Name)
		switch {
		case told || err != nil:
		case ctx.Err() != nil:
			if code = worseCode(code, exitBad); code != exitBad { // which says it
				fmt.Fprintf(f.e.err, "interrupted: %s and what comes after it were not run\n", asked[i].Name)
			}
		default:
			fmt.Fprintf(f.e.out, "%s and what comes after it were not run (--fail-fast)\n", asked[i].Name)
		}
		told = true
	}
	return code, err
}

// print prints what a drill printed. GitHub shows of several the first line alone, until it is opened.
func (f *drillRun) print(one *slot) error {
	if f.output != "github" || len(one.of) == 0 {
		_, err := f.e.out.Write(one.out.Bytes())
		return err
	}
	_, err := fmt.Fprintf(f.e.out, "::group::%s: %s\n%s::endgroup::\n", one.of[0].Drill.Name, one.of[0].Verdict(), one.out.Bytes())
	return err
}

// stepSummary names the file whose Markdown GitHub shows on the page of a run.
const stepSummary = "GITHUB_STEP_SUMMARY"

// forGitHub writes what GitHub shows of the drills, if that was asked for.
func (e *env) forGitHub(output string, all runner.Suite) error {
	if output != "github" {
		return nil
	}
	err := all.Annotations(e.out)
	name := os.Getenv(stepSummary)
	if err != nil || name == "" {
		return err
	}
	file, err := openOutput(name, os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return fmt.Errorf("writing the summary (%s): %w", stepSummary, err)
	}
	return errors.Join(all.Summary(file), file.Close())
}

// writeReports writes the reports of a drill, or of several.
func writeReports(ctx context.Context, names []string, of interface {
	JSON(io.Writer) error
	JUnit(io.Writer) error
}) (err error) {
	for _, name := range names {
		write := of.JSON
		if filepath.Ext(name) == ".xml" {
			write = of.JUnit
		}
		err = errors.Join(err, writeFile(ctx, name, write))
	}
	return err
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
	if f.repeat > 1 || len(f.checks) > 0 || len(had) > 0 {
		r.Repeats = r.Together(runner.Repeats{Asked: f.repeat, Held: had[drill.Held], Violated: had[drill.Violated], Need: f.need}, f.checks, figures)
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
	live, err := room.open(ctx, f.e, lab, func(string) {})
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
