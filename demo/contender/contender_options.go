package contender

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// MaxContenders is how many contenders may live in a lab at the same time, and how many
// workers may share the process of one.
const MaxContenders = 64

// Options says what a contender does.
type Options struct {
	// Name is what it calls itself, in its lines, as the value of an election and as
	// the owner of a single key.
	Name string
	// Locks are the names of what it takes, one after another with one session, and
	// lets go in reverse order. None has a slash at its end.
	Locks []string
	// Recipe is one of Recipes.
	Recipe string
	// Endpoints are etcd's addresses, host:port or URLs.
	Endpoints []string
	// Client says how to connect: user, TLS, timeouts. A zero field has a
	// contender's own default; endpoints, context and logger are always its own. Args
	// never has a secret of it.
	Client clientv3.Config
	// TTL is what it asks for its session, in seconds, at least 1. With NoLease,
	// which RecipeLockRPC and RecipeElectionRPC allow, it asks for no lease, and the
	// server makes one of 60 s which nobody renews.
	TTL     int
	NoLease bool
	// Hold and Think are how long it keeps the lock and how long it does without:
	// means, which vary by a third (Hold) and by 60% (Think). With Full the hold is
	// anything from 0 to twice Hold.
	Hold, Think time.Duration
	Full        bool
	// QuickStart is for how long after its start a hold lasts only a quarter: who looks on sees at
	// once how the lock moves on. 0: never.
	QuickStart time.Duration
	// Between is how long it works with one lock before it asks for the next.
	Between time.Duration
	// Rounds is after how many turns it ends; 0: it does not.
	Rounds int
	// Manual: it does what the lines of EndWith say, one of ManualWords each, and
	// nothing by itself.
	Manual bool
	// Workers compete with one session, a Mutex for each, as NAME.1, NAME.2, ...; 0
	// and 1: no such.
	Workers int
	// IgnoreDone: it works on when its session says that the lease is gone, as if it
	// had not heard of it.
	IgnoreDone bool
	// Owner is what it writes where a recipe writes who owns the key, or who leads; empty:
	// its name.
	Owner string
	// Resource is the address (host:port) of a resource ([locktop/demo/resource]) that it reads before its
	// work and writes after it; empty: none.
	Resource string
	// Seed makes the variations repeat.
	Seed uint64
	// EndWith, if set, is read to its end, at which the contender ends too: standard
	// input, where that is a pipe which a parent holds open.
	EndWith io.Reader
}

// Check rejects options that cannot work, and says what would.
func (o Options) Check() error {
	if o.Name == "" {
		return errors.New("contend: no name")
	}
	if len(o.Locks) == 0 {
		return errors.New("contend: no lock")
	}
	for i, lock := range o.Locks {
		if lock == "" || strings.HasSuffix(lock, "/") {
			return fmt.Errorf("contend: %q is not the name of a lock: want one that does not end with /", lock)
		}
		if slices.Contains(o.Locks[:i], lock) {
			return fmt.Errorf("contend: the lock %s is named twice", lock)
		}
	}
	if err := o.check(); err != nil {
		return fmt.Errorf("contend for %s: %w", strings.Join(o.Locks, ", "), err)
	}
	return nil
}

// check is Check for all but the names.
func (o Options) check() error {
	for _, x := range []struct {
		name string
		d    time.Duration
	}{{"hold", o.Hold}, {"think", o.Think}, {"between", o.Between}} {
		if x.d < 0 {
			return fmt.Errorf("%s %v: want 0 or more", x.name, x.d)
		}
	}
	switch {
	case !slices.Contains(Recipes, o.Recipe):
		return fmt.Errorf("recipe %q: want %s, or one of %s", o.Recipe, strings.Join(words(play.byName), " or "),
			strings.Join(words(func(p play) bool { return !p.byName() }), ", "))
	case len(o.Endpoints) == 0:
		return errors.New("no endpoints")
	case o.TTL < 1:
		return fmt.Errorf("a TTL of %d s: want 1 or more", o.TTL)
	case o.NoLease && !playOf(o.Recipe).served:
		return fmt.Errorf("recipe %s cannot do without a lease: only %s can", o.Recipe,
			strings.Join(words(func(p play) bool { return p.served }), " and "))
	case o.Rounds < 0:
		return fmt.Errorf("%d rounds: want 0, which is without end, or more", o.Rounds)
	case o.Workers < 0 || o.Workers > MaxContenders:
		return fmt.Errorf("%d workers: want 0 to %d", o.Workers, MaxContenders)
	case o.Workers > 1 && o.Recipe != RecipeMutex:
		return fmt.Errorf("%d workers with one session: recipe %s cannot, only %s can", o.Workers, o.Recipe, RecipeMutex)
	case o.Workers > 1 && o.Manual:
		return errors.New("workers cannot be told what to do: want either them or a manual contender")
	case o.Manual && o.EndWith == nil:
		return errors.New("a manual contender has nowhere to read its commands from")
	}
	return nil
}

// EndWithStdinFlag is the flag by which the lab tells the contenders that it starts
// to end with their standard input.
const EndWithStdinFlag = "end-with-stdin"

// JitterFull is the value of the flag jitter that stands for Options.Full,
// JitterSome that for its absence.
const (
	JitterFull = "full"
	JitterSome = "some"
)

// Args are the options as flags and one argument for each lock: what the lab appends
// to Options.Self. For EndWith the flag [EndWithStdinFlag] stands. Client is left out:
// everybody on the machine can read a command line.
func (o Options) Args() []string {
	args := []string{
		"--name=" + o.Name,
		"--recipe=" + o.Recipe,
		"--endpoints=" + strings.Join(o.Endpoints, ","),
		"--ttl=" + strconv.Itoa(o.TTL),
		"--hold=" + o.Hold.String(),
		"--think=" + o.Think.String(),
		"--seed=" + strconv.FormatUint(o.Seed, 10),
	}
	for _, opt := range []struct {
		on  bool
		arg string
	}{
		{o.NoLease, "--no-lease"},
		{o.Full, "--jitter=" + JitterFull},
		{o.QuickStart != 0, "--quick-start=" + o.QuickStart.String()},
		{o.Between != 0, "--between=" + o.Between.String()},
		{o.Rounds != 0, "--rounds=" + strconv.Itoa(o.Rounds)},
		{o.Manual, "--manual"},
		{o.Workers != 0, "--workers=" + strconv.Itoa(o.Workers)},
		{o.IgnoreDone, "--ignore-done"},
		{o.Owner != "", "--owner=" + o.Owner},
		{o.Resource != "", "--resource=" + o.Resource},
		{o.EndWith != nil, "--" + EndWithStdinFlag},
	} {
		if opt.on {
			args = append(args, opt.arg)
		}
	}
	return append(append(args, "--"), o.Locks...)
}
