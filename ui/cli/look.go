package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktop/model"
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
			return e.list(cmd.Context(), out)
		},
	}
	out.add(cmd, "heads")
	return cmd
}

// list prints the locks.
func (e *env) list(ctx context.Context, out outFlags) error {
	s, err := e.look(ctx, e.flags.prefixes, out)
	if err != nil {
		return err
	}
	if len(s.Locks()) == 0 && !strings.HasPrefix(out.output, "json") {
		keys, _ := s.Counts()
		fmt.Fprintf(e.err, "no lock under %s (%d keys there)\n", strings.Join(quoted(e.flags.prefixes), ", "), keys)
	}
	return report.Locks(e.out, s, s.Locks(), out.observation(s, e.flags.prefixes), out.output)
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
	s, err := e.look(ctx, prefixes, out)
	if err != nil {
		return err
	}
	l := s.Lock(name)
	if l == nil {
		return e.noLock(s, name, prefixes)
	}
	return report.OneLock(e.out, s, l, out.observation(s, prefixes), out.output)
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

func (o outFlags) observation(s *model.State, prefixes []string) report.Observation {
	return report.Observation{At: s.Now(), For: o.watch, Prefixes: prefixList(prefixes), Denied: o.unreadLeases(s)}
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

// look lists the prefixes, reads the leases that are asked for, and observes for
// as long as the flags say.
func (e *env) look(ctx context.Context, prefixes []string, out outFlags) (*model.State, error) {
	client, err := e.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	listed := lateGC()
	w := watcher.New(client, watcher.Options{Prefixes: prefixes, OneLook: out.watch == 0, Budget: e.flags.leaseBudget,
		LeaseLists: out.leaseLists})
	defer w.Close()
	s := model.NewState(e.pins...)
	if err := e.pullUntil(ctx, w, s, new([]model.LeaseID), func() bool { return s.Loaded() && !s.Cluster().At.IsZero() }); err != nil {
		return nil, err
	}
	if out.watch > 0 {
		go listed()
		return s, e.observe(ctx, w, s, out.watch)
	}
	ids := wanted(s, out.leases)
	if len(ids) > 0 {
		go listed() // else there is only what is printed
	}
	return s, e.pullUntil(ctx, w, s, &ids, func() bool {
		// One that was asked for is not asked for again, or the last never have a turn.
		ids = slices.DeleteFunc(ids, func(id model.LeaseID) bool { return tried(s.Lease(id)) })
		return len(ids) == 0
	})
}

func tried(l *model.Lease) bool { return l == nil || l.HasRead || l.Unread != "" }

// observe applies what happens for that long.
func (e *env) observe(ctx context.Context, src model.Source, s *model.State, d time.Duration) error {
	limited, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for {
		b, err := src.Next(limited, s.Want())
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case limited.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("observing %s: %w", strings.Join(e.flags.endpoints, ", "), err)
		}
		s.Apply(b)
		if err := oneCluster(s); err != nil {
			return err
		}
	}
}

// oneCluster is an error if not all that was looked at is of one cluster.
func oneCluster(s *model.State) error {
	if other := s.OtherCluster(); other != "" {
		return bad("this was no look at one cluster: %s", strings.TrimSuffix(other, "; listing anew"))
	}
	return nil
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

// pullUntil applies batches until done says so, and asks for the leases that are
// wanted by then. It gives up when nothing comes for the command timeout, or when a
// prefix cannot be listed.
func (e *env) pullUntil(ctx context.Context, src model.Source, s *model.State, want *[]model.LeaseID, done func() bool) error {
	for !done() {
		quiet, cancel := context.WithTimeout(ctx, e.flags.commandTimeout)
		b, err := src.Next(quiet, model.Want{Leases: *want})
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, context.DeadlineExceeded):
			return bad("%s did not answer within %s (--command-timeout)", strings.Join(e.flags.endpoints, ", "), e.flags.commandTimeout)
		case err != nil:
			return fmt.Errorf("looking at %s: %w", strings.Join(e.flags.endpoints, ", "), err)
		}
		s.Apply(b)
		if err := oneCluster(s); err != nil {
			return err
		}
		for _, f := range s.Feeds() {
			if f.State == model.FeedLost {
				return bad("could not list %q: %s", f.Prefix, f.Detail)
			}
		}
	}
	return nil
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
		if p == "" {
			names = append(names, "all keys")
		} else {
			names = append(names, fmt.Sprintf("%q", p))
		}
	}
	return names
}
