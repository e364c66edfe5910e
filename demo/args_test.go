package demo

import (
	"flag"
	"fmt"
	"io"
	"strings"
)

// parseContenderArgs reads what [ContenderOptions.Args] wrote. If the flag for it is
// there, EndWith is stdin.
func parseContenderArgs(args []string, stdin io.Reader) (ContenderOptions, error) {
	var o ContenderOptions
	fs := flag.NewFlagSet("contender", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.Name, "name", "", "")
	fs.StringVar(&o.Recipe, "recipe", RecipeMutex, "")
	endpoints := fs.String("endpoints", "", "")
	fs.IntVar(&o.TTL, "ttl", 5, "")
	fs.DurationVar(&o.Hold, "hold", defaultHold, "")
	fs.DurationVar(&o.Think, "think", defaultThink, "")
	fs.Uint64Var(&o.Seed, "seed", 1, "")
	withStdin := fs.Bool(EndWithStdinFlag, false, "")
	if err := fs.Parse(args); err != nil {
		return o, fmt.Errorf("read the contender's arguments: %w", err)
	}
	if fs.NArg() != 1 {
		return o, fmt.Errorf("read the contender's arguments: %d locks: want one", fs.NArg())
	}
	o.Lock = fs.Arg(0)
	if *endpoints != "" {
		o.Endpoints = strings.Split(*endpoints, ",")
	}
	if *withStdin {
		o.EndWith = stdin
	}
	return o, nil
}
