package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/fold"
	"locktop/ui/cli/session"
	"locktop/ui/report"
	"locktop/watcher"
)

// outFlags are the flags of commands that look, print and end.
type outFlags struct {
	output     string
	leases     string
	leaseLists bool
	watch      time.Duration // how long to observe before the answer; 0: one look
	past       pastFlags
	sessions   bool // whether what else hangs on the leases is listed
}

func (o *outFlags) add(cmd *cobra.Command, leases string) {
	addOutput(cmd, &o.output, report.Formats, formatWords())
	o.leases = leases
	addWord(cmd.Flags(), &o.leases, "leases", "", "--leases", []string{"heads", "all", "none"}, "for which claims a lease reading is bought: heads, all or none")
	cmd.Flags().DurationVar(&o.watch, "for", o.watch, o.forWords())
	o.past.add(cmd)
}

// forWords say what --for is for: some commands need a time to look at, others take one look.
func (o *outFlags) forWords() string {
	if o.watch > 0 {
		return "observe that long"
	}
	return "observe that long before the answer: some findings need time (default: one look)"
}

// check refuses what cannot be asked together.
func (o *outFlags) check(cmd *cobra.Command) error {
	if _, err := o.past.asked(cmd, "for", "lease-lists"); err != nil {
		return err
	}
	return checkFor(o.watch)
}

func (e *env) lsCmd() *cobra.Command {
	var out outFlags
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "print the locks, one line each",
		Long: "ls prints the locks. A question mark behind a recipe says that it is a guess, by a name alone as\n" +
			"a rule. In JSON, recipe_confidence says how sure it is, recipe_evidence why, and recipe_observed\n" +
			"whether what was seen of the keys raised it: one look at the same keys says less then.",
		Example: "  locktop ls --prefix /jobs/\n  locktop ls -o json | jq '.locks[].holders[].key'",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := out.check(cmd); err != nil {
				return err
			}
			return e.ls(cmd.Context(), out)
		},
	}
	out.add(cmd, "heads")
	return cmd
}

// ls prints the locks.
func (e *env) ls(ctx context.Context, out outFlags) error {
	on, not, err := e.look(ctx, e.flags.prefixes, &out)
	if err != nil {
		return err
	}
	s := on.State
	if len(s.Locks()) == 0 && !strings.HasPrefix(out.output, "json") {
		keys, _ := s.Counts()
		fmt.Fprintf(e.err, "no lock under %s (%d keys there)\n", strings.Join(quoted(watchedPrefixes(s)), ", "), keys)
	}
	err = report.Locks(e.out, s, s.Locks(), out.observation(s, e.flags.prefixes, not), out.output)
	return errors.Join(err, notSeen(on.Name, not.keys()))
}

func (e *env) describeCmd() *cobra.Command {
	var out outFlags
	cmd := &cobra.Command{
		Use:     "describe LOCK",
		Short:   "print one lock: its queue, its leases, what is wrong and what to do",
		Example: "  locktop describe /jobs/billing",
		Args:    lockArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.check(cmd); err != nil {
				return err
			}
			return e.describe(cmd.Context(), e.inNamespace(args[0]), out)
		},
	}
	out.add(cmd, "all")
	return cmd
}

// describe prints one lock.
func (e *env) describe(ctx context.Context, name string, out outFlags) error {
	prefixes := e.lockPrefixes(name)
	on, not, seen, skipped, err := e.lookBeside(ctx, prefixes, &out)
	if err != nil {
		return err
	}
	s := on.State
	l := s.Lock(name)
	if l == nil {
		return errors.Join(noLock(on, name), notSeen(on.Name, not.keys()))
	}
	obs := out.observation(s, seen, not)
	obs.Skipped = skipped
	err = report.OneLock(e.out, s, l, obs, out.output)
	return errors.Join(err, notSeen(on.Name, not.keys()))
}

// lockPrefixes are what has to be watched to know a lock: what the flags say, else
// its own keys alone.
func (e *env) lockPrefixes(name string) []string {
	if ns := e.flags.namespace; len(e.flags.prefixes) > 0 && (ns == "" || !slices.Equal(e.flags.prefixes, []string{ns})) {
		return e.flags.prefixes
	}
	return []string{name}
}

func noLock(on *session.Session, name string) error {
	keys, _ := on.State.Counts()
	return bad("there is no lock %q at %s: %d keys under %s, none of them a claim of it (\"locktop ls\" lists the locks)",
		name, on.Name, keys, strings.Join(quoted(watchedPrefixes(on.State)), ", "))
}

func (o outFlags) observation(s *fold.State, prefixes []string, not unseen) report.Observation {
	if o.past.file != "" {
		prefixes = watchedPrefixes(s)
	}
	return report.Observation{At: s.Now(), For: o.watch, Prefixes: prefixList(prefixes), Denied: o.unreadLeases(s), Blind: not.blind, Unread: not.unread}
}

// unreadLeases lists the readings that were refused, a few of them by name.
func (o outFlags) unreadLeases(s *fold.State) []string {
	if o.leases == "none" && o.watch == 0 {
		return nil // none was asked for
	}
	var denied []string
	for _, l := range s.UnreadLeases() {
		if len(denied) < 20 {
			denied = append(denied, "lease "+l.ID.String()+": "+l.Unread)
		}
	}
	return denied
}

// watched is a session on the cluster of the flags.
type watched struct {
	*session.Session
	client *clientv3.Client
	close  func()
}

// watch connects to the cluster of the flags and watches it, within the budget of readings.
// The caller closes what it returns.
func (e *env) watch(ctx context.Context, o watcher.Options) (*watched, error) {
	client, err := e.connect(ctx)
	if err != nil {
		return nil, err
	}
	o.Budget, o.Timing.Call = e.flags.leaseBudget, e.flags.commandTimeout
	o.Timing.Answer = e.flags.commandTimeout / 3 // one member that is silent is no reason to wait for all in vain
	w := watcher.New(client, o)
	var src model.Source = w
	if e.wrap != nil {
		src = e.wrap(src)
	}
	s := session.New(src, e.pins...)
	s.Name = strings.Join(e.flags.endpoints, ", ")
	return &watched{s, client, func() {
		w.Close()
		client.Close()
	}}, nil
}

// list waits until the keys are listed, and what else is to be known. Denied: of several
// prefixes some may be refused.
func (e *env) list(ctx context.Context, w *watched, denied bool, until func() bool) error {
	return w.Pull(ctx, session.Pull{Until: until, Patience: e.flags.commandTimeout, Progress: w.State.Listed,
		Listing: true, Denied: denied, Want: func() model.Want { return model.Want{} }})
}

// look lists the prefixes, reads the leases that are asked for, and observes for
// as long as the flags say, or looks back at a recording. It says what of that could not be seen, too.
// A look during which locktop did not run is none: what was listed before is not so any more.
func (e *env) look(ctx context.Context, prefixes []string, out *outFlags) (on *session.Session, not unseen, err error) {
	if out.past.file != "" {
		return e.lookBack(ctx, out)
	}
	for range looksMax {
		on, not, err = e.lookOnce(ctx, prefixes, out)
		if err != nil || out.watch > 0 || !on.State.CatchingUp() {
			return on, not, err
		}
	}
	return nil, not, bad("locktop was stopped, or had no processor, each of the %d times that it looked", looksMax)
}

// looksMax is how often a look is tried that was slept through.
const looksMax = 3

func (e *env) lookOnce(ctx context.Context, prefixes []string, out *outFlags) (on *session.Session, not unseen, err error) {
	listed := lateGC()
	w, err := e.watch(ctx, watcher.Options{Prefixes: prefixes, OneLook: out.watch == 0, LeaseLists: out.leaseLists})
	if err != nil {
		return nil, not, err
	}
	defer w.close()
	w.OneCluster = true
	s := w.State
	if err := e.list(ctx, w, true, func() bool { return s.LoadedButDenied() && !s.Cluster().At.IsZero() }); err != nil {
		return nil, not, err
	}
	if out.watch > 0 {
		go listed()
		not, err = e.observe(ctx, w.Session, *out)
		return w.Session, not, err
	}
	asked := wanted(s, out.leases)
	if len(asked) > 0 {
		go listed() // else there is only what is printed
	}
	left := slices.Clone(asked)
	err = w.Pull(ctx, session.Pull{Patience: e.flags.commandTimeout, Listing: true, Denied: true,
		Progress: func() int64 { return int64(len(asked) - len(left)) },
		// One that was asked for is not asked for again, or the last never have a turn.
		Until: func() bool { left = untried(s, left); return len(left) == 0 },
		Want:  func() model.Want { return model.Want{Leases: left} }})
	if out.sessions {
		for _, id := range sessionsOf(s, func(string, ...any) {}) {
			s.NeedKeys(s.Lease(id))
		}
	}
	if err == nil && out.leases != "none" {
		err = e.listNeeded(ctx, w, s)
	}
	return w.Session, unseen{blind: s.Unseen(time.Time{}, asked)}, err
}

// listNeeded has etcd list what hangs on the leases of which a finding has to say it.
func (e *env) listNeeded(ctx context.Context, w *watched, s *fold.State) error {
	all := len(unlisted(s))
	return w.Pull(ctx, session.Pull{Patience: e.flags.commandTimeout, Listing: true, Denied: true,
		Progress: func() int64 { return int64(all - len(unlisted(s))) },
		Until:    func() bool { return len(unlisted(s)) == 0 },
		Want:     func() model.Want { left := unlisted(s); return model.Want{Leases: left, Keys: left} }})
}

// unlisted are the leases of which it is to be said what hangs on them, but for those that
// could not be read.
func unlisted(s *fold.State) []model.LeaseID {
	return slices.DeleteFunc(slices.Clone(s.KeysNeeded()), func(id model.LeaseID) bool { return s.Lease(id).Unread != "" })
}

func prefixList(prefixes []string) []string {
	if len(prefixes) == 0 {
		return []string{""}
	}
	return prefixes
}

// quoted names prefixes in a sentence.
func quoted(prefixes []string) []string {
	var names []string
	for _, p := range prefixList(prefixes) {
		names = append(names, session.Keys(p))
	}
	return names
}
