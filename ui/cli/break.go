package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos"
	"locktop/chaos/gate"
	"locktop/model"
	"locktop/model/findings"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/status"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui/cli/session"
	"locktop/ui/report"
	"locktop/watcher"
	"locktop/watcher/pace"
)

// breakRun is the command break.
type breakRun struct {
	e                  *env
	armed, yes, dryRun bool
	claim              string
}

func breakCmd(e *env) *cobra.Command {
	f := breakRun{e: e}
	cmd := &cobra.Command{
		Use:   "break LOCK",
		Short: "revoke the holder's lease, or delete one claim; shows what goes and asks first",
		Long: "break shows what would go, asks for the lock's name, checks again, acts, and prints what it saw.\n" +
			"Revoking the lease ends the holder's whole session with every key of it. --claim KEY deletes that\n" +
			"one key instead, and only if its create revision, lease and value are still as shown. The key's\n" +
			"owner is not told. --claim is required where no key is known to hold (keys side by side, or a\n" +
			"foreign key first), where it is a guess that they are a lock at all (--recipe says that they are),\n" +
			"and where several claims hold together. If anything else would go than was shown, break does\n" +
			"nothing and exits with 2. In every case the old holder may go on believing that it holds. break\n" +
			"writes each action to an audit log first, and its result: done, not-done, or unknown where no answer\n" +
			"came. After an unknown result break watches whether the claim goes, and exits with 2 if it does not\n" +
			"see that.",
		Example: "  locktop break /jobs/billing --dry-run\n  locktop break /jobs/billing --armed",
		Args:    lockArg,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := e.wantArmed(f.armed || f.dryRun, cmd, ", or --dry-run to see what it would do"); err != nil {
				return err
			}
			return f.breakLock(cmd.Context(), e.meantBy(args[0]))
		},
	}
	cmd.Flags().BoolVar(&f.armed, "armed", false, "allow writing to the cluster")
	cmd.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false, "say what would be done, and do nothing")
	cmd.Flags().StringVar(&f.claim, "claim", "", "delete this key instead of revoking the holder's lease")
	return cmd
}

// breakLock plans, shows, asks, does, and watches what comes of it.
func (r *breakRun) breakLock(ctx context.Context, names []string) error {
	at, err := r.e.listSecond(ctx, r.e.lockPrefixes(names...), isNamed(names), &outFlags{leases: "heads"})
	if err != nil {
		return err
	}
	w, err := r.e.watch(ctx, watcher.Options{Prefixes: at.places})
	if err != nil {
		return err
	}
	defer w.close()
	w.OneCluster = true
	s := w.State
	if err := r.e.list(ctx, w, false, s.Coverage().Loaded); err != nil {
		return err
	}
	target, err := r.target(ctx, w.Session, names, at.bare)
	if err != nil {
		return err
	}
	gate, closeGate, err := r.gate(ctx, w.client)
	if err != nil {
		return err
	}
	defer closeGate()
	plan, err := r.plan(ctx, gate, target)
	if err != nil {
		return err
	}
	plan.DryRun = r.dryRun
	if words := text.English(status.Outruns(s.Claim(plan.Action.Key), plan)); words != "" {
		return bad("not done: %s: it was written while it was read, so try again", words)
	}
	if err := r.showPlan(s, plan, at.skipped); err != nil {
		return err
	}
	if !plan.Refused.IsZero() {
		return bad("not done: %s", text.English(plan.Refused))
	}
	if r.dryRun {
		return nil
	}
	if !r.yes {
		role := roleOf(s, plan.Action)
		if err := r.askFor(plan.Action.Lock); err != nil {
			return err
		}
		if err := r.stillWaits(ctx, plan.Action, role); err != nil {
			return err
		}
	}
	return r.breakAndWatch(ctx, w.Session, gate, plan)
}

// plan reads what would go, for as long as an answer is waited for.
func (r *breakRun) plan(ctx context.Context, g *gate.Gate, target model.Action) (model.Plan, error) {
	limited, cancel := context.WithTimeout(ctx, r.e.flags.commandTimeout)
	defer cancel()
	plan, err := g.Plan(limited, target)
	switch {
	case err != nil && limited.Err() != nil && ctx.Err() == nil:
		return plan, bad("nothing was done: %s did not say within %s what would go (--command-timeout)", strings.Join(r.e.flags.endpoints, ", "), r.e.flags.commandTimeout)
	case err != nil:
		return plan, fmt.Errorf("reading what would go: %w", err)
	}
	return plan, nil
}

// target finds the claim that is meant.
func (r *breakRun) target(ctx context.Context, on *session.Session, names []string, bare []report.Bare) (model.Action, error) {
	s := on.State
	l, err := lockNamed(s, names)
	if err != nil {
		return model.Action{}, err
	}
	if l == nil || l.Head() == nil {
		return model.Action{}, noLock(on, names[0], bare, r.e.nearLocks(ctx, names[0]))
	}
	name := l.Name
	if r.claim != "" {
		c, err := claimNamed(s, l, r.e.meantBy(r.claim))
		if err != nil {
			return model.Action{}, err
		}
		return model.Action{Kind: model.DeleteClaim, Lock: name, Key: c.Key, CreateRev: c.CreateRev, Lease: c.KV.Lease}, nil
	}
	c, why := status.ToBreak(l)
	if !why.IsZero() {
		return model.Action{}, bad("not done: %s; --claim KEY deletes the key that you name", text.English(why))
	}
	if c.KV.Lease == 0 {
		return model.Action{}, bad("%q has no lease to revoke: delete it with --claim %q", c.Key, c.Key)
	}
	return model.Action{Kind: model.RevokeLease, Lock: name, Key: c.Key, CreateRev: c.CreateRev, Lease: c.KV.Lease}, nil
}

// claimNamed returns the key of one of these names in the queue of a lock.
func claimNamed(s *store.Store, l *locks.Lock, keys []string) (found *locks.Claim, err error) {
	for _, key := range keys {
		c := s.Claim(key)
		switch {
		case c == nil || l.Place(c) < 0:
		case found != nil:
			return nil, bad("%q may be the key that is printed as %s, or the one printed as %s", keys[0], model.Printable(found.Key), model.Printable(key))
		default:
			found = c
		}
	}
	if found == nil {
		return nil, bad("%q is not a key in the queue of %q (\"locktop describe\" lists them)", keys[0], l.Name)
	}
	return found, nil
}

// gate makes the gate of break. A dry run only plans: it writes nothing, so it needs no
// place for an audit log, and its gate opens no connection to write.
func (r *breakRun) gate(ctx context.Context, reader *clientv3.Client) (*gate.Gate, func(), error) {
	if r.dryRun {
		g := gate.New(gate.Options{Reader: reader, Armed: true, Cluster: r.e.clusterOf(ctx, reader), AuditLog: io.Discard,
			Dial: func(context.Context) (*clientv3.Client, error) { return nil, errors.New("a dry run writes nothing") }})
		return g, func() { g.Close() }, nil
	}
	g, auditLog, closeGate, err := r.e.openGate(ctx, reader, nil)
	if err == nil {
		fmt.Fprintf(r.e.err, "audit log: %s\n", auditLog)
	}
	return g, closeGate, err
}

// openGate makes the gate to a cluster that is not ours, armed, with
// its audit log. The writer's connection is opened by the first write.
func (a *access) openGate(ctx context.Context, reader *clientv3.Client, report func(model.Event)) (g *gate.Gate, auditLogPath string, closeAll func(), err error) {
	auditLog, path, err := openAuditLog()
	if err != nil {
		return nil, "", nil, err
	}
	g = gate.New(gate.Options{Reader: reader, Now: pace.Now, Armed: true, Cluster: a.clusterOf(ctx, reader), AuditLog: auditLog, User: userName(), Report: report,
		Endpoint: strings.Join(a.flags.endpoints, ","),
		Dial: func(ctx context.Context) (*clientv3.Client, error) {
			return a.dial(ctx, chaos.Writing())
		}})
	return g, path, func() { g.Close(); auditLog.Close() }, nil
}

// clusterOf returns the id of the cluster that the first endpoint to answer belongs to, 0
// if none says.
func (a *access) clusterOf(ctx context.Context, c *clientv3.Client) uint64 {
	for _, ep := range a.flags.endpoints {
		limited, cancel := context.WithTimeout(ctx, a.flags.dialTimeout)
		r, err := c.Status(limited, ep)
		cancel()
		if err == nil {
			return r.Header.GetClusterId()
		}
	}
	return 0
}

// openAuditLog opens the audit log for appending: actions.jsonl in
// $XDG_STATE_HOME/locktop, or ~/.local/state/locktop.
func openAuditLog() (*os.File, string, error) {
	path, _, err := auditLogFile()
	if err != nil {
		return nil, "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, "", fmt.Errorf("making the folder of the audit log: %w", err)
	}
	f, err := openOutput(path, os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, "", fmt.Errorf("opening the audit log: %w", err)
	}
	return f, path, nil
}

// auditLogFile is where the audit log is, and what says so.
func auditLogFile() (file, origin string, err error) {
	file, err = inState("actions.jsonl")
	return file, saidBy("XDG_STATE_HOME"), err
}

// showPlan prints what would go, who is next, and the line that does the same.
func (r *breakRun) showPlan(s *store.Store, p model.Plan, skipped []string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, at %s\n", text.English(p.Action.Message()), strings.Join(r.e.flags.endpoints, ", "))
	if l, c := s.Lock(p.Action.Lock), s.Claim(p.Action.Key); l != nil && c != nil {
		if f := findings.BeforeBreak(s, l, c); f != nil {
			fmt.Fprintf(&b, "  %s: %s [%s]\n", text.English(findings.Problem(f)), text.English(findings.CureWords(f)), f.Code)
		}
	}
	for _, kv := range p.Goes {
		fmt.Fprintf(&b, "  goes: %s", model.Printable(kv.Key))
		if c := s.Claim(kv.Key); c != nil && c.Lock() != nil {
			l := c.Lock()
			switch name := model.PrintableName(l.Name); status.Role(l, c) {
			case model.RoleHolds:
				fmt.Fprintf(&b, ", which holds %s; %s", name, nextWords(s, l, c, p.Action))
			case model.RoleMember:
				fmt.Fprintf(&b, ", which is listed in %s", name)
			default:
				fmt.Fprintf(&b, ", which waits in %s", name)
			}
		}
		if c := s.Claim(kv.Key); c == nil {
			b.WriteString(", which was not looked at")
		}
		b.WriteByte('\n')
	}
	for _, what := range skipped {
		fmt.Fprintf(&b, "  not looked at: %s\n", model.Printable(what))
	}
	if !p.Unknown.IsZero() {
		fmt.Fprintf(&b, "  what else goes is unknown: %s\n", text.English(p.Unknown))
	}
	if l, c := s.Lock(p.Action.Lock), s.Claim(p.Action.Key); l != nil && c != nil {
		if unsure := text.English(l.Unsure()); unsure != "" {
			fmt.Fprintf(&b, "  %s\n", unsure)
		}
		fmt.Fprintf(&b, "  %s\n", text.English(status.Role(l, c).Remains()))
	}
	fmt.Fprintf(&b, "  by hand: %s\n", p.Action.Etcdctl())
	if p.DryRun {
		b.WriteString("dry run: nothing was done\n")
	}
	_, err := io.WriteString(r.e.out, b.String())
	return err
}

// nextWords say who has the lock when a key that holds it goes.
func nextWords(s *store.Store, l *locks.Lock, c *locks.Claim, act model.Action) string {
	lease := act.Lease
	if act.Kind != model.RevokeLease {
		lease = 0
	}
	switch n, next := status.Without(l, c, lease); {
	case n == 1:
		return "1 more holds it"
	case n > 1:
		return fmt.Sprintf("%d more hold it", n)
	case next != nil && !l.IsClaim(next):
		return "then " + model.Printable(next.Key) + " blocks it, which is not a claim of it"
	case next != nil:
		return "next is " + s.Who(next.Ref())
	}
	return "nobody waits"
}

// askFor wants the lock's name typed. Without a terminal there is nobody to ask.
func (r *breakRun) askFor(name string) error {
	fmt.Fprintf(r.e.out, "type the lock's name to do it: ")
	line, err := bufio.NewReader(r.e.in).ReadString('\n')
	if err != nil && line == "" {
		return bad("not done: nobody typed the lock's name (--yes does it without)")
	}
	if !slices.Contains(spellings(strings.TrimRight(line, "\r\n")), name) {
		return bad("not done: that is not the lock's name")
	}
	return nil
}

// roleOf is what the claim of an action is in its lock, "" if it is gone.
func roleOf(s *store.Store, a model.Action) model.Role {
	l, c := s.Lock(a.Lock), s.Claim(a.Key)
	if l == nil || c == nil || c.Lock() != l {
		return ""
	}
	return status.Role(l, c)
}

// stillWaits is an error if a claim that waited when it was shown holds the lock by now:
// nobody agreed to take a lock from its holder. All else is checked where it is done. It
// lists anew: a watch of servers before 3.4.25 and 3.5.8 may lag behind what it says of
// itself (etcd-io/etcd#15220).
func (r *breakRun) stillWaits(ctx context.Context, a model.Action, was model.Role) error {
	if was != model.RoleWaits {
		return nil
	}
	w, err := r.e.watch(ctx, watcher.Options{Prefixes: r.e.lockPrefixes(a.Lock), OneLook: true})
	if err != nil {
		return err
	}
	defer w.close()
	if err := r.e.list(ctx, w, false, w.State.Coverage().Loaded); err != nil {
		return err
	}
	if roleOf(w.State, a) == model.RoleHolds {
		return bad("not done: %q holds the lock now, and it waited when it was shown; look again", a.Key)
	}
	return nil
}

// seenWithin is how long the effect of an action is waited for.
const seenWithin = 10 * time.Second

// breakAndWatch acts, and prints what the watch saw of it. Where no answer came, the watch alone
// tells whether the claim went; it does not tell who ended it.
func (r *breakRun) breakAndWatch(ctx context.Context, w *session.Session, gate *gate.Gate, p model.Plan) error {
	o := gate.Do(ctx, p)
	fmt.Fprintln(r.e.out, text.English(o.Message()))
	for _, kv := range o.Went {
		fmt.Fprintf(r.e.out, "  went: %s\n", model.Printable(kv.Key))
	}
	switch {
	case o.Changed != "":
		return bad("not what was shown: %s; nothing was done, so look again", o.Changed)
	case o.Result() == model.ResultNotDone:
		return fmt.Errorf("%s", o.Err)
	}
	known := "done, but"
	if o.Unknown {
		known = "no answer came, so whether it was done is not known, and"
	}
	s := w.State
	s.Apply(model.Batch{Events: []model.Event{model.Acted{At: o.At, Outcome: o}}})
	seen := func() bool {
		c := s.Claim(p.Action.Key)
		return s.Rev() >= o.Rev && (c == nil || c.CreateRev != p.Action.CreateRev)
	}
	if err := w.Pull(ctx, session.Pull{Until: seen, For: seenWithin}); err != nil {
		return bad("%s its effect was not seen: %w", known, err)
	}
	if !seen() {
		return bad("%s its effect was not seen within %s: \"locktop describe\" shows how the lock is now", known, seenWithin)
	}
	if o.Unknown {
		fmt.Fprintf(r.e.out, "no answer came, but the watch has seen that %s is gone\n", model.Printable(p.Action.Key))
	}
	for _, entry := range s.Journal() {
		if entry.Kind == journal.Handover || entry.Kind == journal.Left {
			yours := *entry
			yours.By = "" // it was you
			fmt.Fprintf(r.e.out, "seen: %s\n", yours.Sentence(s.Who))
		}
	}
	return nil
}
