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
}

func (o *outFlags) add(cmd *cobra.Command, leases string) {
	cmd.Flags().StringVarP(&o.output, "output", "o", "table", formatWords())
	cmd.Flags().StringVar(&o.leases, "leases", leases, "for which claims a lease reading is bought: heads, all or none")
	cmd.Flags().DurationVar(&o.watch, "for", 0, "observe that long before the answer: some findings need time (default: one look)")
}

func (o *outFlags) check() error {
	if err := checkFormat(o.output); err != nil {
		return err
	}
	switch {
	case o.leases != "heads" && o.leases != "all" && o.leases != "none":
		return bad("--leases %q: want heads, all or none", o.leases)
	case o.watch < 0 || o.watch > 24*time.Hour:
		return bad("--for %s: want 0 to 24h", o.watch)
	}
	return nil
}

func (e *env) lsCmd() *cobra.Command {
	var out outFlags
	cmd := &cobra.Command{
		Use:     "ls",
		Short:   "print the locks, one line each",
		Example: "  locktop ls --prefix /jobs/\n  locktop ls -o json | jq '.locks[].holders[].key'",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := out.check(); err != nil {
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
	s, blind, err := e.look(ctx, e.flags.prefixes, out)
	if err != nil {
		return err
	}
	if len(s.Locks()) == 0 && !strings.HasPrefix(out.output, "json") {
		keys, _ := s.Counts()
		fmt.Fprintf(e.err, "no lock under %s (%d keys there)\n", strings.Join(quoted(e.flags.prefixes), ", "), keys)
	}
	err = report.Locks(e.out, s, s.Locks(), out.observation(s, e.flags.prefixes, blind), out.output)
	return errors.Join(err, e.notSeen(keysOf(blind)))
}

func (e *env) describeCmd() *cobra.Command {
	var out outFlags
	cmd := &cobra.Command{
		Use:     "describe LOCK",
		Short:   "print one lock: its queue, its leases, what is wrong and what to do",
		Example: "  locktop describe /jobs/billing",
		Args:    lockArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.check(); err != nil {
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
	s, blind, err := e.look(ctx, prefixes, out)
	if err != nil {
		return err
	}
	l := s.Lock(name)
	if l == nil {
		return errors.Join(e.noLock(s, name, prefixes), e.notSeen(keysOf(blind)))
	}
	err = report.OneLock(e.out, s, l, out.observation(s, prefixes, blind), out.output)
	return errors.Join(err, e.notSeen(keysOf(blind)))
}

// lockPrefixes are what has to be watched to know a lock: what the flags say, else
// its own keys alone.
func (e *env) lockPrefixes(name string) []string {
	if ns := e.flags.namespace; len(e.flags.prefixes) > 0 && (ns == "" || !slices.Equal(e.flags.prefixes, []string{ns})) {
		return e.flags.prefixes
	}
	return []string{name}
}

func (e *env) noLock(s *model.State, name string, prefixes []string) error {
	keys, _ := s.Counts()
	return bad("there is no lock %q at %s: %d keys under %s, none of them a claim of it (\"locktop ls\" lists the locks)",
		name, strings.Join(e.flags.endpoints, ", "), keys, strings.Join(quoted(prefixes), ", "))
}

func (o outFlags) observation(s *model.State, prefixes []string, blind []model.Unseen) report.Observation {
	return report.Observation{At: s.Now(), For: o.watch, Prefixes: prefixList(prefixes), Denied: o.unreadLeases(s), Blind: blind}
}

// unreadLeases lists the readings that were refused, a few of them by name.
func (o outFlags) unreadLeases(s *model.State) []string {
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
	o.Budget = e.flags.leaseBudget
	w := watcher.New(client, o)
	s := session.New(w, e.pins...)
	s.Name = strings.Join(e.flags.endpoints, ", ")
	return &watched{s, client, func() {
		w.Close()
		client.Close()
	}}, nil
}

// list waits until the keys are listed, and what else is to be known.
func (e *env) list(ctx context.Context, w *watched, until func() bool) error {
	return w.Pull(ctx, session.Pull{Until: until, Patience: e.flags.commandTimeout, Listing: true,
		Want: func() model.Want { return model.Want{} }})
}

// look lists the prefixes, reads the leases that are asked for, and observes for
// as long as the flags say. It says what of that could not be seen, too.
func (e *env) look(ctx context.Context, prefixes []string, out outFlags) (*model.State, []model.Unseen, error) {
	listed := lateGC()
	w, err := e.watch(ctx, watcher.Options{Prefixes: prefixes, OneLook: out.watch == 0, LeaseLists: out.leaseLists})
	if err != nil {
		return nil, nil, err
	}
	defer w.close()
	w.OneCluster = true
	s := w.State
	if err := e.list(ctx, w, func() bool { return s.Loaded() && !s.Cluster().At.IsZero() }); err != nil {
		return nil, nil, err
	}
	if out.watch > 0 {
		go listed()
		blind, err := e.observe(ctx, w.Session, out)
		return s, blind, err
	}
	asked := wanted(s, out.leases)
	if len(asked) > 0 {
		go listed() // else there is only what is printed
	}
	left := slices.Clone(asked)
	err = w.Pull(ctx, session.Pull{Patience: e.flags.commandTimeout, Listing: true,
		// One that was asked for is not asked for again, or the last never have a turn.
		Until: func() bool { left = untried(s, left); return len(left) == 0 },
		Want:  func() model.Want { return model.Want{Leases: left} }})
	return s, s.Unseen(time.Time{}, asked), err
}

// untried takes those out of a list whose reading was tried, or that are gone.
func untried(s *model.State, ids []model.LeaseID) []model.LeaseID {
	return slices.DeleteFunc(ids, func(id model.LeaseID) bool {
		l := s.Lease(id)
		return l == nil || l.HasRead || l.Unread != ""
	})
}

// observe takes in what happens for as long as the flags say, and then makes sure that
// all of it was seen: a cluster that is frozen says nothing, and so does one on which
// nothing happens.
func (e *env) observe(ctx context.Context, on *session.Session, out outFlags) ([]model.Unseen, error) {
	if err := on.Pull(ctx, session.Pull{For: out.watch}); err != nil {
		return nil, err
	}
	s, end := on.State, time.Now()
	s.Apply(model.Batch{Events: []model.Event{model.Tick{At: end}}})
	asked := wanted(s, out.leases)
	left := slices.Clone(asked)
	err := on.Pull(ctx, session.Pull{For: e.flags.commandTimeout, Confirm: true, Until: func() bool {
		left = untried(s, left)
		return s.SeenUpTo(end) && (len(left) == 0 || s.Lost())
	}})
	s.Apply(model.Batch{Events: []model.Event{model.Tick{At: time.Now()}}})
	if out.leases != "none" {
		for _, l := range s.UnreadLeases() { // of waiters, too
			asked = append(asked, l.ID)
		}
	}
	return s.Unseen(end, asked), err
}

// notSeen is the error of an answer that lacks something of what was asked for, nil if
// it lacks nothing.
func (e *env) notSeen(blind []model.Unseen) error {
	if len(blind) == 0 {
		return nil
	}
	lines := []string{"not all could be seen at " + strings.Join(e.flags.endpoints, ", ")}
	for _, u := range blind {
		what := "the lists of leases"
		switch u.What {
		case model.UnseenKeys:
			what = quoted([]string{u.Prefix})[0]
			if u.Prefix != "" {
				what = "the keys under " + what
			}
		case model.UnseenLeases:
			what = fmt.Sprintf("the readings of %d leases", u.Leases)
			if u.Leases == 1 {
				what = "the reading of 1 lease"
			}
		}
		lines = append(lines, fmt.Sprintf("  %s, for %s: %s", what, model.Duration(u.For, false), u.Reason))
	}
	return bad("%s", strings.Join(lines, "\n"))
}

// keysOf are the prefixes that could not be seen. A list of locks says by itself of which
// leases nothing was read.
func keysOf(blind []model.Unseen) []model.Unseen {
	return slices.DeleteFunc(slices.Clone(blind), func(u model.Unseen) bool { return u.What != model.UnseenKeys })
}

// wanted returns the leases for which a reading is bought.
func wanted(s *model.State, leases string) []model.LeaseID {
	var ids []model.LeaseID
	seen := map[model.LeaseID]bool{0: true}
	add := func(c *model.Claim) {
		if c != nil && !seen[c.KV.Lease] {
			seen[c.KV.Lease] = true
			ids = append(ids, c.KV.Lease)
		}
	}
	for _, l := range s.Locks() {
		switch leases {
		case "heads":
			add(l.Head())
		case "all":
			for c := range l.Claims {
				add(c)
			}
		}
	}
	return ids
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
