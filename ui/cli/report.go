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
func (f *reportRun) run(ctx context.Context) error {
	if f.names && f.values {
		return bad("--values and --mask-names contradict each other: leave one out")
	}
	if f.bundleFile != "" {
		return f.bundle(ctx)
	}
	mask := &recording.Mask{Values: !f.values, Names: f.names}
	f.e.wrap = func(src model.Source) model.Source {
		return session.Map(src, func(e model.Event) []model.Event { return []model.Event{mask.Event(e)} })
	}
	return f.print(ctx, mask, f.actionFiles)
}

// print prints a page of what is looked at, with what stands in the audit logs, nil for
// your own.
func (f *reportRun) print(ctx context.Context, mask *recording.Mask, actionFiles []string) error {
	prefixes := f.e.flags.prefixes
	names := f.e.meantBy(f.lock)
	if f.lock != "" && f.past.file == "" {
		f.lock = names[0]
		prefixes = f.e.lockPrefixes(names...)
	}
	if err := recording.PathsWhole(prefixes); f.names && f.past.file == "" && err != nil {
		return bad("--mask-names: %v", err)
	}
	f.e.namesMasked = f.names
	log, acts := &ticket.Log{}, &handActs{}
	var err error
	if f.past.file != "" {
		if acts, err = readActs(f.e.err, actionFiles, mask.Event); err != nil {
			return err
		}
	}
	f.e.witness = func(s *store.Store) {
		acts.take(s)
		log.Take(s.View)
	}
	at, err := f.e.lookJust(ctx, prefixes, &f.outFlags)
	if err != nil {
		return couldNotRun(err)
	}
	if f.lock != "" && !f.names {
		l, err := lockNamed(at.State, names)
		if err != nil {
			return err
		}
		if l != nil {
			f.lock = l.Name
		}
	}
	if f.past.file == "" { // what was done meanwhile is there now
		if acts, err = readActs(f.e.err, actionFiles, mask.Event); err != nil {
			return err
		}
	}
	acts.finish(at.State)
	log.Take(at.State.View)
	o := ticket.Options{Source: at.Name, Observation: f.observation(at), Lock: f.lock, Values: f.values, Names: !f.names, Again: f.nextCommands(), See: f.showMoment, Log: log}
	o.From = o.At.Add(-f.watch)
	if f.names {
		o.Source, o.Again, o.See = "names masked", nil, nil
		o.Lock = mask.Path(f.lock)
	}
	if f.as != "" { // its names are those that stand in it
		o.Source, o.Again, o.See = f.as, f.nextCommands(), f.showMoment
	}
	err = ticket.New(at.State.View, o).Write(f.e.out, f.output)
	return errors.Join(err, notSeen(at.Name, at.not.keys()))
}

// showMoment are the commands that show a moment, and what was so of a lock then.
func (f *reportRun) showMoment(at time.Time, lock string) []string {
	if f.past.file == "" {
		return nil // nobody can look at it again
	}
	when := " --at " + model.ShellQuote(at.Add(time.Second-1).Truncate(time.Second).Format(time.DateTime)) // a moment later: it is so then
	file := model.ShellQuote(cmp.Or(f.as, f.past.file))
	lines := []string{"locktop replay " + file + when}
	if lock != "" {
		lines = append(lines, "locktop describe "+model.ShellQuote(lock)+" --recording "+file+when)
	}
	return lines
}

// nextCommands are the commands that show the same.
func (f *reportRun) nextCommands() []string {
	if f.past.file != "" {
		file := model.ShellQuote(cmp.Or(f.as, f.past.file))
		at := ""
		if f.past.at != "" {
			at = " --at " + model.ShellQuote(f.past.at)
		}
		lines := []string{"locktop replay " + file, "locktop doctor --recording " + file + at, "locktop events --recording " + file + at + " -o wide"}
		if f.lock != "" {
			lines = append(lines, "locktop describe "+model.ShellQuote(f.lock)+" --recording "+file+at)
		}
		return lines
	}
	where := " --endpoints " + model.ShellQuote(strings.Join(f.e.flags.endpoints, ","))
	for _, p := range f.e.flags.prefixes {
		where += " --prefix " + model.ShellQuote(p)
	}
	lines := []string{"locktop" + where, fmt.Sprintf("locktop doctor%s --for %s", where, f.watch)}
	if f.lock != "" {
		lines = append(lines, "locktop describe "+model.ShellQuote(f.lock)+where)
	}
	return lines
}
