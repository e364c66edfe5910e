package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktop/chaos/drill"
	"locktop/chaos/drill/roles"
	"locktop/chaos/drill/runner"
	"locktop/chaos/drill/storm"
	"locktop/model"
)

// stormName is the name that means a storm, a drill that is drawn.
const stormName = "storm"

// stormFlags are those of drill run that mean something for a storm alone.
type stormFlags struct {
	length, shrink time.Duration
	copies         int
	keep           string
}

var stormOnly = []string{"for", "copies", "keep", "shrink"}

func (f *stormFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.DurationVar(&f.length, "for", time.Minute, "of a storm: how long faults begin")
	fl.IntVar(&f.copies, "copies", 3, "of a storm: how many programs compete, 2 to 9")
	fl.StringVar(&f.keep, "keep", "", "of a storm: file for the shortest schedule that fails (default: storm-SEED.yaml, made only then)")
	fl.DurationVar(&f.shrink, "shrink", 3*time.Minute, "of a storm: how long shorter schedules are tried after one that failed; 0: not at all")
}

func (f *stormFlags) check() error {
	switch {
	case f.length < time.Second || f.length > time.Hour:
		return bad("--for %s: want 1s to 1h", f.length)
	case f.shrink < 0:
		return bad("--shrink %s: want 0 or more", f.shrink)
	}
	return inRange("--copies", f.copies, 2, 9, "")
}

// stormFaultsMax bounds the steps of a storm: a drill file has no more.
const stormFaultsMax = 300

// runStorms draws storms and runs them, one for each repeat, until one fails.
func (dr *drillRun) runStorms(ctx context.Context) error {
	if err := dr.storm.check(); err != nil {
		return err
	}
	code, all := 0, runner.Suite{Title: stormName}
	reports, runs := dr.reports, dr.repeat
	dr.reports, dr.repeat = nil, 1
	dr.collect = func(one runner.Report) { all.Reports = append(all.Reports, one) }
	if err := dr.places(); err != nil {
		return err
	}
	for run := range runs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		o := storm.Options{Seed: cmp.Or(dr.seed, 1) + uint64(run), For: dr.storm.length, Copies: dr.storm.copies, TTL: 5 * time.Second, Within: 2 * time.Second, Theirs: dr.foreign != nil}
		if dr.programs != nil {
			o.TTL, o.Turns = dr.programs.TTL, dr.programs.Turns
			o.Within = cmp.Or(dr.programs.StopsWithin, o.Within)
		}
		s := storm.Draw(o)
		if len(s.Faults) > stormFaultsMax {
			return bad("--for %s: %d faults are more than %d; run it several times (--repeat) with other seeds", o.For, len(s.Faults), stormFaultsMax)
		}
		asked, err := dr.stormDrill(s)
		if err != nil {
			return err
		}
		if dr.dryRun {
			if err := writePlan(dr.e.out, []roles.Assignment{asked}, nil); err != nil {
				return err
			}
			continue
		}
		if err := couldNotRun(dr.programs.There()); err != nil {
			return err
		}
		dr.seed = o.Seed
		c, err := dr.runDrill(ctx, asked, &resultsFile{})
		dr.seed -= uint64(run)
		if code = worseCode(code, c); err != nil {
			return err
		}
		if c == exitFailed {
			if err := dr.keepShortest(ctx, s, asked.Drill, all.Reports[len(all.Reports)-1].Rounds[0]); err != nil {
				return err
			}
			break
		}
		if dr.failFast && code != 0 {
			break
		}
	}
	if dr.dryRun {
		return nil
	}
	return dr.e.drillsOver(ctx, all, reports, dr.output, code, nil)
}

// stormDrill is a storm as a drill, with the programs in its roles.
func (dr *drillRun) stormDrill(s storm.Storm) (roles.Assignment, error) {
	d, err := drill.Parse(stormName, []byte(s.Text(fmt.Sprintf("A storm of %s, seed %d", model.CountOf(len(s.Faults), "fault"), s.Seed))))
	if err != nil {
		return roles.Assignment{}, err
	}
	asked, refused := assignRoles(dr.programs, []*drill.Drill{d})
	if len(refused) > 0 {
		return roles.Assignment{}, bad("%s cannot be asked of this program: %s", refused[0][0], refused[0][1])
	}
	return asked[0], nil
}

// keepShortest looks for the shortest schedule that fails as the run did, and writes it as a drill.
func (dr *drillRun) keepShortest(ctx context.Context, s storm.Storm, d *drill.Drill, failed runner.Run) error {
	broken := brokenOf(failed)
	end := time.Now().Add(dr.storm.shrink)
	tries, of := 0, len(s.Faults)
	s.Faults = s.Faults[:min(of, begunBy(d, failed))] // the end of a whole storm kills a holder, too
	best := s
	if dr.storm.shrink > 0 {
		fmt.Fprintf(dr.e.err, "looking for a shorter schedule that fails, for %s\n", dr.storm.shrink)
		brief := s
		brief.Brief = broken != "taken"
		best = storm.Shrink(brief, func(shorter storm.Storm) (bool, bool) {
			asked, err := dr.stormDrill(shorter)
			if err != nil || ctx.Err() != nil || time.Now().After(end) {
				return false, false
			}
			tries++
			fmt.Fprintf(dr.e.err, "trying %s\n", model.CountOf(len(shorter.Faults), "fault"))
			round, err := dr.playDrill(ctx, asked.Drill, shorter.Seed)
			same := err == nil && brokenOf(round) == broken && broken != ""
			if same {
				fmt.Fprintln(dr.e.err, "fails, too")
			}
			return same, ctx.Err() == nil && time.Now().Before(end)
		})
	}
	if len(best.Faults) == len(s.Faults) {
		best = s
	}
	name := cmp.Or(dr.storm.keep, fmt.Sprintf("storm-%d.yaml", s.Seed))
	title := fmt.Sprintf("Of a storm with seed %d: %s fails", s.Seed, broken)
	file, err := openOutput(name, os.O_CREATE|os.O_TRUNC, 0o644)
	if err == nil {
		_, err = io.WriteString(file, best.Text(title))
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		return bad("writing the schedule: %v", err)
	}
	fmt.Fprintf(dr.e.out, "the shortest schedule that failed in %s: %d of %d faults (%s), in %s; again: locktop drill run %[5]s, with the same flags\n",
		model.CountOf(tries+1, "run"), len(best.Faults), of, faultsOf(best), name)
	return nil
}

// faultsShown bounds the faults of a schedule that a line names.
const faultsShown = 5

// faultsOf names the faults of a storm, the last of them if there are many.
func faultsOf(s storm.Storm) string {
	var all []string
	for _, one := range s.Faults[max(0, len(s.Faults)-faultsShown):] {
		all = append(all, strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(one.Step, "fault: "), "{"), "}"))
	}
	if len(all) < len(s.Faults) {
		all = slices.Insert(all, 0, "…")
	}
	return strings.Join(all, "; ")
}

// brokenOf is the first expectation that a run violated, "" for none.
func brokenOf(r runner.Run) string {
	for _, e := range r.Results {
		if e.Verdict == drill.Violated {
			return e.Name
		}
	}
	return ""
}

// begunBy is how many faults of a storm were done, or tried, until its run ended.
func begunBy(d *drill.Drill, r runner.Run) (n int) {
	if len(r.Targets) == 0 {
		return 0
	}
	for _, s := range d.Steps[:r.Targets[len(r.Targets)-1].Step] {
		if s.Fault != nil {
			n++
		}
	}
	return n
}
