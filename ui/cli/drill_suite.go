package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"locktop/chaos/drill"
	"locktop/chaos/drill/roles"
	"locktop/chaos/drill/runner"
	"locktop/demo/drills"
	"locktop/model"
)

// suiteFlags are the flags of drill run that a run of a suite may have.
var suiteFlags = []string{"as", "belief", "belief-file", "lock", "ttl", "starts-within", "stops-within", "turns", "single-key", "guards", "steady", "recovers", "repeat", "need", "threshold", "seed"}

// suiteMax bounds the runs of a suite.
const suiteMax = 200

// suiteRun is a run of a suite, ready to be started.
type suiteRun struct {
	drill roles.Assignment
	run   drillRun
}

func drillSuiteCmd(e *env) *cobra.Command {
	var reports []string
	var timeline, dryRun bool
	var output string
	cmd := &cobra.Command{
		Use:   "suite FILE",
		Short: "run the drills that a file names, each with its own flags: one report, and the worst exit code",
		Long: "A suite says what a service must survive, in a file beside its code:\n\n" +
			"    title: what the report service must survive\n" +
			"    runs:\n" +
			"      - {drill: holder-crash, repeat: 3}\n" +
			"      - drill: keepalives-held\n" +
			"        as: ./worker {lock}\n" +
			"        lock: /app/report\n" +
			"        belief: 'stdout:/got the lock/=holding,/released|lost/=idle'   # or stderr:\n" +
			"        steady: 'exec:./no-job-twice.sh'\n\n" +
			"A run may have these flags of \"drill run\": " + strings.Join(suiteFlags, ", ") + ". All runs\n" +
			"are checked before the first one starts. The exit code is the worst of all runs, as for\n" +
			"\"drill run all\"; if a run was left out, it is never 0. A JSON report is {schema, suite, verdict,\n" +
			"not_run, drills}; drills has an object for each run, as \"drill run --report\" writes it.",
		Example: "  locktop drill suite survive.yaml --report survive.xml",
		Args:    oneArg("the file of a suite"),
		RunE: func(cmd *cobra.Command, args []string) error {
			title, runs, err := readSuite(cmd.Context(), args[0])
			if err != nil {
				return couldNotRun(err)
			}
			if dryRun {
				for _, r := range runs {
					fmt.Fprintf(e.out, "%s: %s\n", r.drill.Name, model.CountOf(r.run.repeat, "run"))
				}
				return nil
			}
			out := drillRun{reports: reports}
			if err := out.places(); err != nil {
				return err
			}
			return couldNotRun(runSuite(cmd.Context(), e, title, runs, reports, output, timeline))
		},
	}
	addDrillOutput(cmd, &output)
	fl := cmd.Flags()
	fl.StringArrayVar(&reports, "report", nil, "write one report of all: JSON, or JUnit where the name ends in .xml; may be repeated")
	fl.BoolVar(&timeline, "timeline", false, "print what happened when")
	fl.BoolVar(&dryRun, "dry-run", false, "say what would be run, and do nothing")
	return cmd
}

// readSuite reads a suite and all that its runs need.
func readSuite(ctx context.Context, name string) (title string, runs []suiteRun, err error) {
	data, err := readInput(ctx, name, fileMax)
	if err != nil {
		return "", nil, fmt.Errorf("reading the suite: %w", err)
	}
	var doc struct {
		Title string                 `yaml:"title"`
		Runs  []map[string]yaml.Node `yaml:"runs"`
	}
	dec := yaml.NewDecoder(strings.NewReader(string(data)))
	dec.KnownFields(true)
	switch err := dec.Decode(&doc); {
	case errors.Is(err, io.EOF):
		return "", nil, bad("%s is empty: want title and runs", name)
	case err != nil:
		return "", nil, bad("%s: %v", name, err)
	}
	if line := drill.SecondDocument(data); line > 0 {
		return "", nil, bad("%s:%d: a second document begins here, and would be skipped: a file has one suite", name, line)
	}
	if len(doc.Runs) == 0 || len(doc.Runs) > suiteMax {
		return "", nil, bad("%s has %s: want 1 to %d, each like {drill: holder-crash}", name, model.CountOf(len(doc.Runs), "run"), suiteMax)
	}
	var errs []error
	for i, row := range doc.Runs {
		r, err := readSuiteRun(ctx, row)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: run %d: %w", name, i+1, err))
		}
		runs = append(runs, r)
	}
	if len(errs) > 0 {
		return "", nil, badInput{errors.Join(errs...)}
	}
	return doc.Title, runs, nil
}

// readSuiteRun reads one run: its drill, and its flags as drill run has them.
func readSuiteRun(ctx context.Context, row map[string]yaml.Node) (r suiteRun, err error) {
	var name string
	var args []string
	for _, key := range slices.Sorted(maps.Keys(row)) {
		value := row[key]
		values := []*yaml.Node{&value}
		if value.Kind == yaml.SequenceNode {
			values = value.Content
		}
		for _, v := range values {
			switch {
			case v.Kind != yaml.ScalarNode:
				return r, fmt.Errorf("line %d: %s wants a value, or a list of values", value.Line, key)
			case key == "drill":
				name = v.Value
			case !slices.Contains(suiteFlags, key):
				return r, fmt.Errorf("line %d: there is no %q: want drill, %s", value.Line, key, strings.Join(suiteFlags, ", "))
			default:
				args = append(args, "--"+key+"="+v.Value)
			}
		}
	}
	switch name {
	case "":
		return r, errors.New("it names no drill: add drill: NAME, or a file")
	case everyDrill:
		return r, fmt.Errorf("a suite names its drills one by one, and %s does not name one", name)
	}
	cmd := &cobra.Command{Use: "run"}
	r.run.jobs = 1
	r.run.add(cmd)
	if err := cmd.ParseFlags(args); err != nil {
		return r, err
	}
	if err := r.run.check(); err != nil {
		return r, err
	}
	if r.run.programs, err = r.run.roles.options(ctx, cmd); err != nil {
		return r, err
	}
	d, err := loadDrill(ctx, name)
	if err != nil {
		return r, err
	}
	asked, refused := assignRoles(r.run.programs, []*drill.Drill{d})
	if len(refused) > 0 {
		return r, fmt.Errorf("%s cannot be asked of this program: %s", refused[0][0], refused[0][1])
	}
	r.drill = asked[0]
	if _, err := drills.File(name); err != nil {
		r.run.file = name
	}
	return r, cmp.Or(measured(r.run.thresholds, asked), r.run.programs.There())
}

// runSuite runs all, and writes the report of what was run and what was not.
func runSuite(ctx context.Context, e *env, title string, runs []suiteRun, reports []string, output string, timeline bool) error {
	all := runner.Suite{Title: title}
	code := 0
	var failed error
	for i, r := range runs {
		if ctx.Err() != nil || failed != nil {
			all.NotRun = append(all.NotRun, r.drill.Name)
			code = worseCode(code, exitBad)
			continue
		}
		r.run.e, r.run.timeline = e, timeline
		r.run.collect = func(one runner.Report) { all.Reports = append(all.Reports, one) }
		fmt.Fprintf(e.err, "run %d of %d: %s\n", i+1, len(runs), r.drill.Name)
		before := len(all.Reports)
		c, err := r.run.runDrill(ctx, r.drill, &resultsFile{})
		if code, failed = worseCode(code, c), err; len(all.Reports) == before {
			all.NotRun = append(all.NotRun, r.drill.Name)
			code = worseCode(code, exitBad)
			continue
		}
		if len(all.Reports[before].Rounds) < r.run.repeat {
			code = worseCode(code, exitBad)
		}
		fmt.Fprintln(e.out)
	}
	return e.drillsOver(ctx, all, reports, output, code, failed)
}
