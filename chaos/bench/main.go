// Command bench measures what the proxy costs: the same work on the same etcd, by a
// direct connection, through the proxy of package chaos with no fault in force, and
// through toxiproxy with no toxics.
//
//	go run . -seconds 5 -rounds 5
//
// The member and the proxies run in processes of their own, the clients in this one.
// Every round takes all arms one after the other, each round beginning with another
// arm, so that what else the machine does falls on all of them alike. What is
// printed are medians over the rounds. Ratios are of the rates of one and the same
// round, and then the median of those.
//
// Everything is on 127.0.0.1. All ends with the command, however it ends.
//
// It is a module of its own because nobody who uses locktop needs toxiproxy.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are the flags of the command.
type options struct {
	seconds float64 // of work per arm and round
	rounds  int
	clients int      // of the crowd
	arms    []string // in the order of the table
	loads   []string
	profile string // file for a CPU profile of the proxy, "" for none
}

func main() {
	if role := os.Getenv(roleEnv); role != "" {
		if err := serve(role); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", role, err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		stop()
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// command is the whole command besides its exit code.
func command(ctx context.Context, args []string, out, progress io.Writer) error {
	o, err := parse(args, progress)
	if err != nil {
		return err
	}
	results, err := run(ctx, o, progress)
	if err != nil {
		return err
	}
	_, err = io.WriteString(out, machine(o)+results.table(o))
	return err
}

// parse reads the flags.
func parse(args []string, usage io.Writer) (options, error) {
	var o options
	var arms, loads string
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(usage)
	f.Float64Var(&o.seconds, "seconds", 5, "of work per arm and round")
	f.IntVar(&o.rounds, "rounds", 5, "how often every arm is measured")
	f.IntVar(&o.clients, "clients", 64, "clients of the load "+crowd)
	f.StringVar(&arms, "arms", strings.Join(allArms, ","), "what to compare; the first is what the others are compared with")
	f.StringVar(&loads, "loads", strings.Join(allLoads, ","), "what to measure")
	f.StringVar(&o.profile, "cpuprofile", "", "`file` for a CPU profile of the process of the arm "+locktopArm)
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.arms, o.loads = strings.Split(arms, ","), strings.Split(loads, ",")
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("%q: there are no arguments, only flags", f.Args())
	case o.seconds < 0.1 || o.rounds < 1 || o.clients < 1:
		return o, errors.New("want at least 0.1 seconds, 1 round and 1 client")
	}
	return o, errors.Join(known("arm", o.arms, allArms), known("load", o.loads, allLoads))
}

// known says which of the names is not one of all.
func known(what string, names, all []string) error {
	for _, n := range names {
		if !slices.Contains(all, n) {
			return fmt.Errorf("there is no %s %q: take of %s", what, n, strings.Join(all, ", "))
		}
	}
	return nil
}

// run starts the processes, measures every arm in every round, and ends them.
func run(ctx context.Context, o options, progress io.Writer) (results, error) {
	member, err := start(ctx, memberRole, "", "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = member.end() }() // what it did is measured by now
	at := map[string]string{directArm: member.address}
	for _, arm := range o.arms {
		if arm == directArm {
			continue
		}
		p, err := start(ctx, arm, member.address, o.profile)
		if err != nil {
			return nil, err
		}
		defer func() { _ = p.end() }()
		at[arm] = p.address
	}
	r := results{}
	slice := time.Duration(o.seconds * float64(time.Second) / float64(len(o.loads)))
	for round := range o.rounds {
		_, _ = fmt.Fprintf(progress, "round %d of %d\n", round+1, o.rounds)
		for i := range o.arms {
			arm := o.arms[(i+round)%len(o.arms)]
			for _, load := range o.loads {
				m, err := measure(ctx, at[arm], load, o.clients, slice)
				if err != nil {
					return nil, fmt.Errorf("measure %s on %s: %w", load, arm, err)
				}
				r[cell{arm, load}] = append(r[cell{arm, load}], m)
			}
		}
	}
	return r, nil
}
