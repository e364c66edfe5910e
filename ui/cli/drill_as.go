package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos/drill"
	"locktop/chaos/drill/roles"
	"locktop/demo"
	"locktop/model"
	"locktop/model/recipe"
)

// roleFlags are the flags of drill run that put programs into the roles of a drill.
type roleFlags struct {
	as        []string
	beliefs   []string
	files     []string
	lock      string
	ttl       time.Duration
	starts    time.Duration
	stops     time.Duration
	turns     bool
	singleKey bool
	guards    []string
}

// roleOnly are those that mean nothing without --as.
var roleOnly = []string{"belief", "belief-file", "lock", "ttl", "starts-within", "stops-within", "turns", "single-key", "guards"}

func (f *roleFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.as, "as", nil, "a program of your own in a role of the drill, ROLE=COMMAND, or COMMAND for all that are left; may be repeated")
	fl.StringVar(&f.lock, "lock", "", "lock that your programs compete for, {lock} in their commands (default: that of the drill)")
	fl.StringArrayVar(&f.beliefs, "belief", nil, "what their output says, [ROLE=]stdout:/REGEX/=holding,/REGEX/=idle, or waiting or lost, or stderr: in the place of stdout:; or an address to ask, [ROLE=]http://127.0.0.1:PORT/PATH, or a file that they write, [ROLE=]file:PATH, and answer: in the place of stdout:; may be repeated")
	fl.StringArrayVar(&f.files, "belief-file", nil, "the same from a file, a line [ROLE=]stdout:/REGEX/=STATE each, or stderr:; may be repeated")
	fl.DurationVar(&f.ttl, "ttl", 5*time.Second, "TTL of their leases, {ttl} in their commands")
	fl.DurationVar(&f.starts, "starts-within", 10*time.Second, "time that they have to come up and to ask for the lock")
	fl.DurationVar(&f.stops, "stops-within", 2*time.Second, "time that they have to stop after they lost their lock")
	fl.BoolVar(&f.turns, "turns", false, "your programs release the lock by themselves and come back")
	fl.BoolVar(&f.singleKey, "single-key", false, "the lock of your programs is one key, and waiters leave no key (etcd3 of npm, python-etcd3)")
	fl.StringArrayVar(&f.guards, "guards", nil, "what their lock protects in etcd, a prefix of keys: a write there after a program said that it stopped is a violation; may be repeated")
}

// options reads the flags. It is nil where no program is named.
func (f *roleFlags) options(ctx context.Context, cmd *cobra.Command) (*roles.Options, error) {
	if len(f.as) == 0 {
		return nil, needless(cmd, "it is for programs of your own (--as)", roleOnly...)
	}
	o := &roles.Options{Lock: f.lock, TTL: f.ttl, Turns: f.turns, SingleKey: f.singleKey, Guards: f.guards, StartsWithin: f.starts, StopsWithin: f.stops}
	switch {
	case f.ttl < time.Second || f.ttl%time.Second != 0:
		return nil, bad("--ttl %s: etcd counts whole seconds, like 5s", f.ttl)
	case f.starts <= 0:
		return nil, bad("--starts-within %s: want more than 0", f.starts)
	case f.stops <= 0:
		return nil, bad("--stops-within %s: want more than 0", f.stops)
	case cmd.Flags().Changed("lock") && (f.lock == "" || strings.HasSuffix(f.lock, "/")):
		return nil, bad("--lock %q: want a name that does not end with /", f.lock)
	}
	for i, prefix := range f.guards {
		switch {
		case prefix == "":
			return nil, bad("--guards: want a prefix of keys, like /app/data/")
		case slices.Contains(f.guards[:i], prefix):
			return nil, bad("--guards %q is given twice", prefix)
		}
	}
	seen := map[string]bool{}
	for _, text := range f.as {
		r, err := roles.ParseRole(text)
		if err == nil && seen[r.Name] {
			err = errors.New("the role has a command already")
		}
		if err != nil {
			return nil, bad("--as %q: %v", text, err)
		}
		seen[r.Name] = true
		o.Roles = append(o.Roles, r)
	}
	for _, text := range f.beliefs {
		r, err := roles.ParseRules(text)
		if err != nil {
			return nil, bad("--belief: %v", err)
		}
		o.Rules = append(o.Rules, r)
	}
	for _, name := range f.files {
		data, err := readInput(ctx, name, fileMax)
		if err != nil {
			return nil, bad("--belief-file: %w", err)
		}
		all, err := roles.ParseRulesFile(data)
		if err != nil {
			return nil, bad("--belief-file %s: %v", name, err)
		}
		o.Rules = append(o.Rules, all...)
	}
	if err := roles.Agree(o.Rules); err != nil {
		return nil, bad("--belief: %v", err)
	}
	for _, r := range o.Rules {
		if r.Role != "" && !seen[r.Role] && !seen[""] {
			return nil, bad("--belief of %s: no program is in that role (--as)", r.Role)
		}
	}
	return o, nil
}

// assignRoles puts the programs into the drills; without any, the drills stay as they are. Those
// that cannot be asked of them have a line in refused.
func assignRoles(o *roles.Options, drills []*drill.Drill) (all []roles.Assignment, refused [][2]string) {
	for _, d := range drills {
		c, err := roles.Assignment{Drill: d}, error(nil)
		if o != nil {
			c, err = o.Assign(d)
		}
		if err != nil {
			refused = append(refused, [2]string{d.Name, err.Error()})
			continue
		}
		all = append(all, c)
	}
	return all, refused
}

// writePlan says what a run of the drills would do, and why the others cannot be asked.
func writePlan(w io.Writer, asked []roles.Assignment, refused [][2]string) error {
	var lines []string
	for _, d := range asked {
		lines = append(lines, drill.Plan(d.Drill)...)
		for _, line := range d.NotAsked {
			lines = append(lines, "not asked of a program: "+line)
		}
	}
	for _, r := range refused {
		lines = append(lines, r[0]+": cannot be asked of this program: "+r[1])
	}
	if len(refused) > 0 {
		lines = append(lines, fmt.Sprintf("%d of %d can be asked", len(asked), len(asked)+len(refused)))
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(w, model.PrintableIfNeeded(line)); err != nil {
			return err
		}
	}
	return nil
}

// singleKeys pins the locks of one key that programs compete for: such a key may have any name.
func singleKeys(d *drill.Drill) (pins []model.Pin) {
	for _, c := range d.Lab.Contenders {
		if c.Program != nil && c.Recipe == recipe.ByPin.Name {
			pins = append(pins, model.Pin{Prefix: c.Locks[0], Exact: true, Recipe: recipe.ByPin})
		}
	}
	return pins
}

// foreignLab makes ready for a cluster that is not ours, where endpoints are named.
func (dr *drillRun) foreignLab(cmd *cobra.Command) error {
	if !cmd.Flags().Changed("endpoints") {
		return needless(cmd, "it is for --endpoints", append([]string{"armed"}, toNamed...)...)
	}
	if dr.programs == nil {
		return bad("--endpoints is for programs of your own (--as): contenders of the lab compete on a lab of its own")
	}
	dr.programs.Endpoints = len(dr.e.flags.endpoints)
	if dr.dryRun {
		return nil
	}
	if err := dr.e.wantArmed(dr.armed, cmd, ""); err != nil {
		return err
	}
	if err := dr.e.reach(cmd.Context()); err != nil {
		return err
	}
	secure, err := dr.e.flags.tls.config(dr.e.flags.endpoints)
	if err != nil {
		return err
	}
	dr.programs.Endpoints = len(dr.e.flags.endpoints)
	dr.foreign = &demo.Options{Endpoints: dr.e.flags.endpoints, TLS: secure}
	return nil
}

// unused refuses a lock that has keys already: programs are only made to compete for one that
// nobody else uses.
func (dr *drillRun) unused(ctx context.Context, d *drill.Drill) error {
	c, err := dr.e.connect(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, dr.e.flags.commandTimeout)
	defer cancel()
	for _, lock := range d.Lab.Locks() {
		r, err := c.Get(ctx, lock, clientv3.WithPrefix(), clientv3.WithCountOnly())
		if err != nil {
			return badInput{fmt.Errorf("looking whether %s is unused: %s", model.Printable(lock), lastWord(err))}
		}
		if r.Count > 0 {
			return bad("%d keys of %s begin with %s: --lock names a lock that nobody uses", r.Count, dr.e.where(), model.Printable(lock))
		}
	}
	return nil
}
