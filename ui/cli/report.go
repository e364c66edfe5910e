package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/model/store"
	"locktop/ui/cli/session"
	"locktop/ui/report/ticket"
	"locktop/watcher/recording"
)

// reportRun is the command report.
type reportRun struct {
	e *env
	outFlags
	lock   string
	values bool
	names  bool

	actionFiles []string
	bundleFile  string
	as          string // what its recording is called where the page is read, "" as it is here
}

// actionsHelp says what --actions is.
const actionsHelp = "take what was done by hand from these audit logs, not from your own"

func reportCmd(e *env) *cobra.Command {
	f := reportRun{e: e, outFlags: outFlags{leases: "heads", watch: 30 * time.Second}}
	cmd := &cobra.Command{
		Use:   "report",
		Short: "print one page about what happened, for people who were not there",
		Long: "report observes the locks for a while, or reads a recording, and prints one page: what is wrong and\n" +
			"what to do, the locks across time, who waits for whom, every change of a holder, every action and\n" +
			"who did it, and the commands that show it again. The page of -o html needs no network and runs no\n" +
			"script. For a drill or a lesson the page has the steps, each expectation with what was seen, and\n" +
			"what the clients believed beside what etcd said; in JSON these are drill, beliefs and overlaps.\n" +
			"perfetto is the trace format of ui.perfetto.dev, with a track for each lock. report masks the values\n" +
			"of keys: an owner that only a value names has a number instead. What was broken by hand, and by whom,\n" +
			"comes from the recording and from your audit log (\"locktop config\" says where that is);\n" +
			"--actions names those of others instead.\n" +
			"--bundle packs a part of a recording, its page and a film of it into one ZIP file for a colleague:\n" +
			"only the locks to which something happened, or those of --lock and --prefix. \"locktop replay\" and\n" +
			"--recording take that file as it is.",
		Example: "  locktop report --prefix /jobs/ --for 5m > incident.html\n" +
			"  locktop report --recording incident.rec --lock /jobs/billing -o md\n" +
			"  locktop report --recording incident.rec --bundle incident.zip --mask-names",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := f.past.isUsed(cmd, "for")
			if err = cmp.Or(err, checkFor(f.watch)); err != nil {
				return err
			}
			if f.bundleFile != "" {
				if err := needless(cmd, "a bundle has its own formats", "output"); err != nil {
					return err
				}
			}
			return f.run(cmd.Context())
		},
	}
	addOutput(cmd, &f.output, ticket.Formats, "html, md, json or perfetto")
	cmd.Flags().DurationVar(&f.watch, "for", f.watch, "observe that long")
	cmd.Flags().StringVar(&f.lock, "lock", "", "report on this lock alone")
	f.past.add(cmd)
	cmd.Flags().StringSliceVar(&f.actionFiles, "actions", nil, actionsHelp)
	cmd.Flags().StringVar(&f.bundleFile, "bundle", "", "pack the page, the recording cut to the locks concerned and a film of it into this ZIP file")
	cmd.Flags().BoolVar(&f.values, "values", false, "show the values of keys as they are")
	cmd.Flags().BoolVar(&f.names, "mask-names", false, "mask the names of locks, keys, clients and members, too")
	return cmd
}

// run prints a page.
func (rr *reportRun) run(ctx context.Context) error {
	if rr.names && rr.values {
		return bad("--values and --mask-names contradict each other: leave one out")
	}
	if rr.bundleFile != "" {
		return rr.bundle(ctx)
	}
	mask := &recording.Mask{Values: !rr.values, Names: rr.names}
	rr.e.wrap = func(src model.Source) model.Source {
		return session.Map(src, func(e model.Event) []model.Event { return []model.Event{mask.Event(e)} })
	}
	return rr.print(ctx, mask, rr.actionFiles)
}

// print prints a page of what is looked at, with what stands in the audit logs, nil for
// your own.
func (rr *reportRun) print(ctx context.Context, mask *recording.Mask, actionFiles []string) error {
	prefixes := rr.e.flags.prefixes
	names := rr.e.meantBy(rr.lock)
	if rr.lock != "" && rr.past.file == "" {
		rr.lock = names[0]
		prefixes = rr.e.lockPrefixes(names...)
	}
	if err := recording.PathsWhole(prefixes); rr.names && rr.past.file == "" && err != nil {
		return bad("--mask-names: %v", err)
	}
	rr.e.namesMasked = rr.names
	log, acts := &ticket.Log{}, &handActs{}
	var err error
	if rr.past.file != "" {
		if acts, err = readActs(rr.e.err, actionFiles, mask.Event); err != nil {
			return err
		}
	}
	rr.e.witness = func(s *store.Store) {
		acts.take(s)
		log.Take(s.View)
	}
	at, err := rr.e.lookJust(ctx, prefixes, &rr.outFlags)
	if err != nil {
		return couldNotRun(err)
	}
	if rr.lock != "" && !rr.names {
		l, err := lockNamed(at.State, names)
		if err != nil {
			return err
		}
		if l != nil {
			rr.lock = l.Name
		}
	}
	if rr.past.file == "" { // what was done meanwhile is there now
		if acts, err = readActs(rr.e.err, actionFiles, mask.Event); err != nil {
			return err
		}
	}
	acts.finish(at.State)
	log.Take(at.State.View)
	o := ticket.Options{Source: at.Name, Observation: rr.observation(at), Lock: rr.lock, Values: rr.values, Names: !rr.names, Again: rr.nextCommands(), See: rr.showMoment, Log: log}
	o.From = o.At.Add(-rr.watch)
	if rr.names {
		o.Source, o.Again, o.See = "names masked", nil, nil
		o.Lock = mask.Path(rr.lock)
	}
	if rr.as != "" { // its names are those that stand in it
		o.Source, o.Again, o.See = rr.as, rr.nextCommands(), rr.showMoment
	}
	err = ticket.New(at.State.View, o).Write(rr.e.out, rr.output)
	return errors.Join(err, notSeen(at.Name, at.not.keys()))
}

// showMoment are the commands that show a moment, and what was so of a lock then.
func (rr *reportRun) showMoment(at time.Time, lock string) []string {
	if rr.past.file == "" {
		return nil // nobody can look at it again
	}
	when := " --at " + model.ShellQuote(at.Add(time.Second-1).Truncate(time.Second).Format(time.DateTime)) // a moment later: it is so then
	file := model.ShellQuote(cmp.Or(rr.as, rr.past.file))
	lines := []string{"locktop replay " + file + when}
	if lock != "" {
		lines = append(lines, "locktop describe "+model.ShellQuote(lock)+" --recording "+file+when)
	}
	return lines
}

// nextCommands are the commands that show the same.
func (rr *reportRun) nextCommands() []string {
	if rr.past.file != "" {
		file := model.ShellQuote(cmp.Or(rr.as, rr.past.file))
		at := ""
		if rr.past.at != "" {
			at = " --at " + model.ShellQuote(rr.past.at)
		}
		lines := []string{"locktop replay " + file, "locktop doctor --recording " + file + at, "locktop events --recording " + file + at + " -o wide"}
		if rr.lock != "" {
			lines = append(lines, "locktop describe "+model.ShellQuote(rr.lock)+" --recording "+file+at)
		}
		return lines
	}
	where := " --endpoints " + model.ShellQuote(strings.Join(rr.e.flags.endpoints, ","))
	for _, p := range rr.e.flags.prefixes {
		where += " --prefix " + model.ShellQuote(p)
	}
	lines := []string{"locktop" + where, fmt.Sprintf("locktop doctor%s --for %s", where, rr.watch)}
	if rr.lock != "" {
		lines = append(lines, "locktop describe "+model.ShellQuote(rr.lock)+where)
	}
	return lines
}
