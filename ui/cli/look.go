package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/model/text"

	"locktop/ui/cli/session"
	"locktop/ui/draw"
	"locktop/ui/report"
	"locktop/watcher"
	"locktop/watcher/pace"
)

// viewer looks at the locks of the cluster, or of a recording.
type viewer struct {
	access
	wrap func(model.Source) model.Source // changes what a look is told, as masking does
	// inStep: what is told has the times that the machine's clock shows, also once it was set.
	inStep bool
	// witness, if not nil, sees the state after every batch.
	witness func(*store.Store)
	// namesMasked: no name may be told that is not masked.
	namesMasked bool
}

// outFlags are the flags of commands that look, print and end.
type outFlags struct {
	output     string
	leases     string
	leaseLists bool
	watch      time.Duration // how long to observe before the answer; 0: one look
	past       pastFlags
	moment     bool                   // it tells of a moment, and of no period
	sessions   func(*locks.Lock) bool // of whose leases it is listed what else hangs on them; nil: none
}

func (o *outFlags) add(cmd *cobra.Command, leases string) {
	addOutput(cmd, &o.output, report.Formats, formatWords())
	o.leases = leases
	addWord(cmd.Flags(), &o.leases, "leases", "", "--leases", []string{"heads", "all", "none"}, "read the leases of these claims: heads, all or none")
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
	o.moment = true
	if _, err := o.past.isUsed(cmd, "for", "lease-lists"); err != nil {
		return err
	}
	return checkFor(o.watch)
}

func lsCmd(e *env) *cobra.Command {
	var out outFlags
	var watch bool
	cmd := &cobra.Command{
		Use:   "ls",
		Short: "print the locks, one line each",
		Long: "ls prints the locks. A question mark behind a recipe means that the recipe is a guess, mostly from\n" +
			"a name alone. In JSON, recipe_confidence says how sure it is and recipe_evidence why.\n" +
			"recipe_observed is true where locktop knows the recipe because it saw the keys change; one look at\n" +
			"the same keys tells less.\n" +
			"For a Lease of Kubernetes, kubernetes has what the Lease says: holder, duration, acquired,\n" +
			"renewed, transitions, strategy and preferred_holder. Its skew is how many seconds locktop saw the\n" +
			"last put after the time that the holder's clock gave it. kubernetes is null for an encrypted\n" +
			"Lease and for every other lock.\n" + beyondPrefix,
		Example: "  locktop ls /jobs/\n  locktop ls /jobs/ --watch\n  locktop ls -o json | jq '.locks[].holders[].key'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := out.check(cmd); err != nil {
				return err
			}
			if !watch {
				_, err := printLocks(cmd.Context(), e, out)
				return err
			}
			if out.past.file != "" {
				return bad("--watch has no meaning for a recording: \"locktop events --recording %s\" prints what happened", out.past.file)
			}
			if !slices.Contains([]string{"table", "wide"}, out.output) {
				return bad("--watch prints locks and then events: want -o table or wide (\"locktop events -o %s\" prints events alone)", out.output)
			}
			return watchLocks(cmd.Context(), e, out)
		},
	}
	out.add(cmd, "heads")
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "then print what happens, as \"locktop events\" does, until it is ended, or for as long as --for says")
	addPlaces(cmd)
	return cmd
}

// printLocks prints the locks, and returns what it looked at.
func printLocks(ctx context.Context, e *env, out outFlags) (*observation, error) {
	at, err := e.lookAround(ctx, &out)
	if err != nil {
		return nil, err
	}
	s, locks := at.State, at.locks()
	at.tellBare(e.err, out.output)
	err = report.Locks(e.out, s.View, locks, out.observation(at), out.output)
	at.tellSkipped(e.err)
	return at, errors.Join(err, notSeen(at.Name, at.not.keys()))
}

// watchLocks prints the locks, and then what happens. Events begin at the revision of
// the oldest list, so that nothing between the two is missed.
func watchLocks(ctx context.Context, e *env, out outFlags) error {
	look := out
	look.watch = 0
	at, err := printLocks(ctx, e, look)
	if err != nil {
		return err
	}
	fmt.Fprintln(e.out)
	o := watcher.Options{Prefixes: e.flags.prefixes}
	for _, w := range at.State.Coverage().Watches() {
		if w.Rev > 0 && (o.Since == 0 || w.Rev < o.Since) {
			o.Since = w.Rev
		}
	}
	return followEvents(ctx, e, out, o)
}

func describeCmd(e *env) *cobra.Command {
	var out outFlags
	cmd := &cobra.Command{
		Use:   "describe LOCK",
		Short: "print one lock: its queue, its leases, what is wrong and what to do",
		Long: "describe prints one lock. Its name is given as it is, or as locktop prints it, where \\xff, \\n and \\u202e\n" +
			"stand for what a terminal would not show, and \\\\ for a backslash. The name of a lock may be empty.",
		Example: "  locktop describe /jobs/billing\n  locktop describe ''",
		Args:    exactlyOne("a lock name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.check(cmd); err != nil {
				return err
			}
			return describeLock(cmd.Context(), e, args[0], out)
		},
	}
	out.add(cmd, "all")
	return cmd
}

// describeLock prints one lock.
func describeLock(ctx context.Context, e *env, arg string, out outFlags) error {
	names := e.meantBy(arg)
	name := names[0]
	at, err := e.listSecond(ctx, e.lockPrefixes(names...), isNamed(names), &out)
	if err != nil {
		return err
	}
	s := at.State
	l, err := lockNamed(s, names)
	if err != nil {
		return err
	}
	if l == nil {
		near := cmp.Or(ownedBy(s, names), didYouMean(name, lockNames(s.Locks())))
		if near == "" && out.past.file == "" {
			near = e.nearLocks(ctx, name)
		}
		return errors.Join(noLock(at.Session, name, at.bare, near), notSeen(at.Name, at.not.keys()))
	}
	err = report.OneLock(e.out, s.View, l, out.observation(at), out.output)
	return errors.Join(err, notSeen(at.Name, at.not.keys()))
}

// ownedBy names the lock, or the group, that has a key of one of these names.
func ownedBy(s *store.Store, names []string) string {
	for _, l := range s.Locks() {
		for c := range l.Claims {
			if slices.Contains(names, c.KV.Key) {
				return fmt.Sprintf("; it is a key of %q", l.Name)
			}
		}
	}
	return ""
}

// lockPrefixes are what has to be watched to know a lock: what the flags say, else
// its own keys alone.
func (cfg *config) lockPrefixes(names ...string) []string {
	if ns := cfg.flags.namespace; len(cfg.flags.prefixes) > 0 && (ns == "" || !slices.Equal(cfg.flags.prefixes, []string{ns})) {
		return cfg.flags.prefixes
	}
	prefixes := slices.Clone(names)
	for i, name := range prefixes {
		prefixes[i] = cmp.Or(name, "/") // below which the claims of a lock without a name are
	}
	return prefixes
}

// meantBy are the names that an argument may mean, as etcd has them.
func (cfg *config) meantBy(arg string) (names []string) {
	for _, name := range spellings(arg) {
		names = append(names, cfg.inNamespace(name))
	}
	return names
}

// noLock says that a lock is not there; near is what may have been meant, from [didYouMean].
func noLock(on *session.Session, name string, bare []report.Bare, near string) error {
	keys, _ := on.State.Counts()
	places := strings.Join(quoted(watchedPrefixes(on.State)), ", ")
	switch {
	case len(bare) == 1:
		return bad("there is no lock %q at %s: %s (\"locktop ls\" lists the locks)%s", name, on.Name, bare[0].Words(), near)
	case keys == 0:
		return bad("there is no lock %q at %s: no key under %s (\"locktop ls\" lists the locks)%s", name, on.Name, places, near)
	}
	return bad("there is no lock %q at %s: %s under %s, none of them a claim of it (\"locktop ls\" lists the locks)%s", name, on.Name, model.CountOf(keys, "key"), places, near)
}

// oneLook says whether a cluster is looked at once, and not over time.
func (o outFlags) oneLook() bool { return o.watch == 0 && o.past.file == "" }

func (o outFlags) observation(at *observation) report.Observation {
	s, prefixes := at.State, at.places
	if o.past.file != "" {
		prefixes = watchedPrefixes(s)
	}
	return report.Observation{At: s.Now(), For: o.watch, OneLook: o.oneLook(), Prefixes: prefixList(prefixes), Asked: at.isAsked, Denied: o.unreadLeases(s),
		Blind: at.not.blind, Skipped: at.skipped, Unread: at.not.unread, Bare: at.bare, Expected: at.expected}
}

// tellSkipped says what belongs to the locks and was not looked at.
func (o *observation) tellSkipped(w io.Writer) {
	for _, what := range o.skipped {
		fmt.Fprintf(w, "not looked at: %s\n", model.Printable(what))
	}
}

// unreadLeases lists the readings that were refused, a few of them by name.
func (o outFlags) unreadLeases(s *store.Store) []string {
	if o.leases == "none" && o.watch == 0 {
		return nil // none was asked for
	}
	var denied []string
	for _, l := range s.UnreadLeases() {
		if len(denied) < 20 {
			denied = append(denied, "lease "+l.ID.String()+": "+text.English(l.Unread))
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
func (v *viewer) watch(ctx context.Context, o watcher.Options) (*watched, error) {
	client, err := v.connect(ctx)
	if err != nil {
		return nil, err
	}
	o.Budget, o.Timing.Call = v.flags.leaseBudget, v.flags.commandTimeout
	o.Timing.Answer = v.flags.commandTimeout / 3 // one member that is silent is no reason to wait for all in vain
	w := watcher.New(client, o)
	var src model.Source = w
	if !v.inStep {
		src = session.Tap(src, tellSet(v.err, pace.Process.Set))
	}
	if v.wrap != nil {
		src = v.wrap(src)
	}
	s := v.session(src)
	s.Name = strings.Join(v.flags.endpoints, ", ")
	return &watched{s, client, func() {
		w.Close()
		client.Close()
	}}, nil
}

func (v *viewer) session(src model.Source) *session.Session {
	s := session.New(src, v.pins...)
	if v.witness != nil {
		s.OnBatch = func(model.Batch) error {
			v.witness(s.State)
			return nil
		}
	}
	return s
}

// tellSet says it once when the machine's clock was set, which the times that are told do not follow.
func tellSet(to io.Writer, sets func() time.Duration) func(model.Batch, error) {
	was := sets()
	return func(model.Batch, error) {
		if set := sets(); set != was {
			fmt.Fprintln(to, text.English(draw.ClockWasSet(set-was)))
			was = set
		}
	}
}

// list waits until the keys are listed, and what else is to be known. Denied: of several
// prefixes some may be refused.
func (v *viewer) list(ctx context.Context, w *watched, denied bool, until func() bool) error {
	return w.Pull(ctx, session.Pull{Until: until, Patience: v.flags.commandTimeout, Progress: w.State.Coverage().Listed,
		Listing: true, Denied: denied, Want: func() model.Want { return model.Want{} }})
}

// look lists the prefixes, reads the leases that are asked for, and observes for
// as long as the flags say, or looks back at a recording. It says what of that could not be seen, too.
// A look during which locktop did not run is none: what was listed before is not so any more.
func (v *viewer) look(ctx context.Context, prefixes []string, out *outFlags) (on *session.Session, not unseen, err error) {
	if out.past.file != "" {
		return v.lookBack(ctx, out)
	}
	for range looksMax {
		on, not, err = v.lookOnce(ctx, prefixes, out)
		if err != nil || out.watch > 0 || !on.State.Coverage().CatchingUp() {
			return on, not, err
		}
	}
	return nil, not, bad("locktop was stopped, or had no processor, each of the %d times that it looked", looksMax)
}

// looksMax is how often a look is tried that was slept through.
const looksMax = 3

func (v *viewer) lookOnce(ctx context.Context, prefixes []string, out *outFlags) (on *session.Session, not unseen, err error) {
	w, err := v.watch(ctx, watcher.Options{Prefixes: prefixes, OneLook: out.watch == 0, LeaseLists: out.leaseLists})
	if err != nil {
		return nil, not, err
	}
	defer w.close()
	w.OneCluster = true
	s := w.State
	if err := v.list(ctx, w, true, func() bool { return s.Coverage().LoadedButDenied() && !s.Cluster().At.IsZero() }); err != nil {
		return nil, not, err
	}
	if out.watch > 0 {
		not, err = v.observe(ctx, w.Session, *out)
		return w.Session, not, err
	}
	asked := wanted(s, out.leases)
	if out.sessions != nil { // first, so that one request tells of a lease both
		for _, id := range sessionsOf(s, out.sessions, func(string, ...any) {}) {
			s.NeedKeys(id)
		}
	}
	left := slices.Clone(asked)
	err = w.Pull(ctx, session.Pull{Patience: v.flags.commandTimeout, Listing: true, Denied: true,
		Progress: func() int64 { return int64(len(asked) - len(left)) },
		// One that was asked for is not asked for again, or the last never have a turn.
		Until: func() bool { left = untried(s, left); return len(left) == 0 },
		Want:  func() model.Want { return model.Want{Leases: left, Keys: s.KeysNeeded()} }})
	if err == nil && out.leases != "none" {
		err = v.listNeeded(ctx, w, s)
	}
	return w.Session, unseen{blind: s.CoverageGaps(time.Time{}, asked)}, err
}

// listNeeded has etcd list what hangs on the leases of which a finding has to say it.
func (v *viewer) listNeeded(ctx context.Context, w *watched, s *store.Store) error {
	all := len(unlisted(s))
	return w.Pull(ctx, session.Pull{Patience: v.flags.commandTimeout, Listing: true, Denied: true,
		Progress: func() int64 { return int64(all - len(unlisted(s))) },
		Until:    func() bool { return len(unlisted(s)) == 0 },
		Want:     func() model.Want { left := unlisted(s); return model.Want{Leases: left, Keys: left} }})
}

// unlisted are the leases of which it is to be said what hangs on them, but for those that
// could not be read.
func unlisted(s *store.Store) []model.LeaseID {
	return slices.DeleteFunc(slices.Clone(s.KeysNeeded()), func(id model.LeaseID) bool { return !s.Lease(id).Unread.IsZero() })
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
		names = append(names, model.KeysUnder(p))
	}
	return names
}
