package demo

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"locktop/demo/contender"
)

// parseContenderArgs reads what [contender.Options.Args] wrote. If the flag for it is
// there, EndWith is stdin.
func parseContenderArgs(args []string, stdin io.Reader) (contender.Options, error) {
	var o contender.Options
	fs := flag.NewFlagSet("contender", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.Name, "name", "", "")
	fs.StringVar(&o.Recipe, "recipe", contender.RecipeMutex, "")
	endpoints := fs.String("endpoints", "", "")
	fs.IntVar(&o.TTL, "ttl", 5, "")
	fs.DurationVar(&o.Hold, "hold", defaultHold, "")
	fs.DurationVar(&o.Think, "think", defaultThink, "")
	fs.DurationVar(&o.QuickStart, "quick-start", 0, "")
	fs.DurationVar(&o.Between, "between", 0, "")
	fs.Uint64Var(&o.Seed, "seed", 1, "")
	fs.BoolVar(&o.NoLease, "no-lease", false, "")
	jitter := fs.String("jitter", contender.JitterSome, "")
	fs.IntVar(&o.Rounds, "rounds", 0, "")
	fs.IntVar(&o.Workers, "workers", 0, "")
	fs.BoolVar(&o.Manual, "manual", false, "")
	fs.BoolVar(&o.IgnoreDone, "ignore-done", false, "")
	fs.StringVar(&o.Owner, "owner", "", "")
	fs.StringVar(&o.Resource, "resource", "", "")
	withStdin := fs.Bool(contender.EndWithStdinFlag, false, "")
	if err := fs.Parse(args); err != nil {
		return o, fmt.Errorf("read the contender's arguments: %w", err)
	}
	if fs.NArg() == 0 {
		return o, errors.New("read the contender's arguments: no lock")
	}
	o.Locks, o.Full = fs.Args(), *jitter == contender.JitterFull
	if *endpoints != "" {
		o.Endpoints = strings.Split(*endpoints, ",")
	}
	if *withStdin || o.Manual {
		o.EndWith = stdin
	}
	return o, nil
}
