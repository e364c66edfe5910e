package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"locktop/chaos/drill"
	"locktop/chaos/drill/roles"
	"locktop/chaos/drill/runner"
	"locktop/demo"
	builtins "locktop/demo/drills"
)

// drillRun is the command drill run.
type drillRun struct {
	e          *env
	output     string // "github", or "" for text alone
	file       string // of the drill, "" for one that is built in
	jobs       int    // drills that are played at a time
	repeat     int
	seed       uint64
	reports    []string
	results    string
	pictures   string
	dryRun     bool
	timeline   bool
	failFast   bool
	need       int      // how many runs have to hold; 0: all
	bounds     []string // --threshold
	thresholds []runner.Threshold
	roles      roleFlags
	steady     steadyFlags
	storm      stormFlags
	programs   *roles.Options // nil: none
	armed      bool
	foreign    *demo.Options       // a cluster that is not ours, nil for a lab of its own
	collect    func(runner.Report) // is given what came of it, for a report of several drills; nil: nobody wants it
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

// add adds the flags to a command.
func (dr *drillRun) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.IntVar(&dr.repeat, "repeat", 1, "how often")
	fl.Uint64Var(&dr.seed, "seed", 0, "repeat the random choices of this seed (default: the drill's, one more for each run)")
	fl.StringArrayVar(&dr.reports, "report", nil, "write a report: JSON, or JUnit where the name ends in .xml; may be repeated")
	fl.StringVar(&dr.results, "results", "", "append each run to this file, and skip those that are in it")
	fl.StringVar(&dr.pictures, "pictures", "", "folder for pictures of the histories that were checked (HTML)")
	fl.BoolVar(&dr.dryRun, "dry-run", false, "say what would be done, and do nothing")
	fl.BoolVar(&dr.timeline, "timeline", false, "print what happened when")
	fl.BoolVar(&dr.armed, "armed", false, "with --endpoints: allow your programs to compete there, and faults of theirs")
	fl.IntVar(&dr.need, "need", 0, "how many of the runs of --repeat have to hold (default: all)")
	fl.StringArrayVar(&dr.bounds, "threshold", nil, "what the runs have to measure together, like 'handover p95 < 6s', or max; may be repeated")
	fl.BoolVar(&dr.failFast, "fail-fast", false, "end after the first run that is not held")
	dr.roles.add(cmd)
	dr.steady.add(cmd)
}

func (dr *drillRun) check() error {
	if dr.need > 0 && dr.failFast {
		return bad("--need and --fail-fast: one lets runs fail, and the other ends at the first")
	}
	if err := dr.steady.read(); err != nil {
		return err
	}
	for _, text := range dr.bounds {
		t, err := runner.ParseThreshold(text)
		if err != nil {
			return bad("--threshold %q: %v", text, err)
		}
		dr.thresholds = append(dr.thresholds, t)
	}
	return cmp.Or(inRange("--jobs", dr.jobs, 1, 16, ""), inRange("--repeat", dr.repeat, 1, 1000, ""), inRange("--need", dr.need, 0, dr.repeat, " (--repeat)"))
}

// places makes sure, before a lab is started for it, that what comes of it can be
// written.
func (dr *drillRun) places() error {
	for _, name := range dr.reports {
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
	if dr.pictures == "" {
		return nil
	}
	if err := os.MkdirAll(dr.pictures, 0o755); err != nil {
		return bad("making the folder for pictures: %v", err)
	}
	return nil
}

// runDrills runs one drill or all of them, as often as asked.
func (dr *drillRun) runDrills(ctx context.Context, name string) error {
	drills, err := chosen(ctx, name)
	if err != nil {
		return err
	}
	asked, refused := assignRoles(dr.programs, drills)
	switch {
	case len(asked) == 0 && len(refused) == 1:
		return bad("%s cannot be asked of this program: %s", refused[0][0], refused[0][1])
	case len(asked) == 0 && !dr.dryRun:
		return bad("none of the drills can be asked of this program: --dry-run says why")
	}
	if err := measured(dr.thresholds, asked); err != nil {
		return err
	}
	if dr.dryRun {
		return writePlan(dr.e.out, asked, refused)
	}
	if err := cmp.Or(couldNotRun(dr.programs.There()), dr.places()); err != nil {
		return err
	}
	all, reports := runner.Suite{Title: name}, []string(nil)
	if len(drills) > 1 { // one report of all, at the end
		reports, dr.reports = dr.reports, nil
	} else if _, err := builtins.File(name); err != nil {
		dr.file = name
	}
	results, err := openResults(dr.results)
	if err != nil {
		return err
	}
	defer results.close()
	code, err := dr.runEach(ctx, asked, results, &all)
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		fmt.Fprintf(dr.e.out, "%d of %d drills cannot be asked of this program: --dry-run says why\n", len(refused), len(drills))
	}
	return dr.e.drillsOver(ctx, all, reports, dr.output, code, nil)
}

// chosen are the drills that a name means.
func chosen(ctx context.Context, name string) ([]*drill.Drill, error) {
	if name == everyDrill {
		return builtins.All()
	}
	d, err := loadDrill(ctx, name)
	return []*drill.Drill{d}, err
}
