package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/ui/report"
	"locktop/watcher"
)

// outFlags are the flags of commands that print and end.
type outFlags struct {
	output string
	leases string
}

func (o *outFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVarP(&o.output, "output", "o", "table", "table or json")
	cmd.Flags().StringVar(&o.leases, "leases", "heads", "for which claims a lease reading is bought: heads, all or none")
}

func (o *outFlags) check() error {
	switch {
	case o.output != "table" && o.output != "json":
		return bad("-o %q: want table or json", o.output)
	case o.leases != "heads" && o.leases != "all" && o.leases != "none":
		return bad("--leases %q: want heads, all or none", o.leases)
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
	out.add(cmd)
	return cmd
}

// list prints the locks of one look.
func (e *env) list(ctx context.Context, out outFlags) error {
	s, err := e.oneLook(ctx, e.flags.prefixes, out.leases)
	if err != nil {
		return err
	}
	if out.output == "json" {
		return report.JSON(e.out, s, s.Locks(), report.Observation{At: s.Now(), Prefixes: prefixList(e.flags.prefixes)})
	}
	if len(s.Locks()) == 0 {
		keys, _ := s.Counts()
		fmt.Fprintf(e.err, "no lock under %s (%d keys there)\n", strings.Join(prefixList(e.flags.prefixes), ", "), keys)
	}
	return report.Table(e.out, s, s.Locks(), s.Now())
}

func (e *env) describeCmd() *cobra.Command {
	var out outFlags
	cmd := &cobra.Command{
		Use:     "describe LOCK",
		Short:   "print one lock: its queue, its leases, who waits for whom",
		Example: "  locktop describe /jobs/billing",
		Args:    lockArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := out.check(); err != nil {
				return err
			}
			return e.describe(cmd.Context(), args[0], out)
		},
	}
	out.add(cmd)
	cmd.Flags().Lookup("leases").DefValue = "all"
	out.leases = "all"
	return cmd
}

// describe prints one lock. Only the keys below its name are looked at.
func (e *env) describe(ctx context.Context, name string, out outFlags) error {
	prefixes := []string{name + "/"}
	s, err := e.oneLook(ctx, prefixes, out.leases)
	if err != nil {
		return err
	}
	l := s.Lock(name)
	if l == nil {
		keys, _ := s.Counts()
		return bad("there is no lock %q at %s: %d keys under %q, none of them a claim (\"locktop ls\" lists the locks)",
			name, strings.Join(e.flags.endpoints, ", "), keys, prefixes[0])
	}
	if out.output == "json" {
		return report.JSON(e.out, s, []*model.Lock{l}, report.Observation{At: s.Now(), Prefixes: prefixes})
	}
	return report.Describe(e.out, s, l, s.Now())
}

// oneLook lists the prefixes once and reads the leases that are asked for.
func (e *env) oneLook(ctx context.Context, prefixes []string, leases string) (*model.State, error) {
	client, err := e.connect(ctx)
	if err != nil {
		return nil, err
	}
	defer client.Close()
	w := watcher.New(client, watcher.Options{Prefixes: prefixes, OneLook: true})
	defer w.Close()
	s := model.NewState()
	if err := e.pullUntil(ctx, w, s, nil, func() bool { return s.Loaded() && !s.Cluster().At.IsZero() }); err != nil {
		return nil, err
	}
	ids := wanted(s, leases)
	tried := func(id model.LeaseID) bool {
		l := s.Lease(id)
		return l == nil || l.HasRead || l.Unread != ""
	}
	next := 0
	return s, e.pullUntil(ctx, w, s, ids, func() bool {
		for next < len(ids) && tried(ids[next]) {
			next++
		}
		return next == len(ids)
	})
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

// pullUntil applies batches until done says so. It gives up when nothing comes
// for the command timeout, or when a prefix cannot be listed.
func (e *env) pullUntil(ctx context.Context, src model.Source, s *model.State, want []model.LeaseID, done func() bool) error {
	for !done() {
		quiet, cancel := context.WithTimeout(ctx, e.flags.commandTimeout)
		b, err := src.Next(quiet, model.Want{Leases: want})
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
