// Command bench measures how fast locktop is and what it costs the cluster, against
// etcdctl, lipgloss/table, the embedded members and itself, in one run.
//
//	go run ./demo/bench                      every row, five rounds: more than an hour
//	go run ./demo/bench -row ls,paint        some of them
//	go run ./demo/bench -quick               small sizes and one round, to try it
//	go run ./demo/bench -curves              how costs grow from 1,000 to 1,000,000 claims
//
// What is compared runs one after the other within a round, each round beginning with
// the other side, so that whatever else the machine does falls on both. What is
// printed are medians over the rounds; a ratio is of one round, and then the median of
// those. The aims are numbers to look at: nothing fails because of them.
//
// Servers, proxies, loads and what is measured are processes of their own, so memory
// and time are the system's figures of exactly that process. Everything is on
// 127.0.0.1 and in one temporary directory, and all ends with the command.
//
// Where to begin: rows.go lists the rows, row.go says what a row is, process.go what
// its processes are, screen_linux.go how a console is looked at from outside.
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
	rounds  int
	quick   bool
	rows    string
	json    string        // file for JSON lines, "" for none
	seconds time.Duration // of load per arm and round
	flood   time.Duration // of events
	idle    time.Duration
	limit   time.Duration // of a row
	curves  string        // file of the picture, "" for the table instead
}

func main() {
	if role := os.Getenv(roleEnv); role != "" {
		if err := serve(role); err != nil {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", role, err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	err := command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		stop()
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parse reads the flags and picks the rows.
func parse(args []string, usage io.Writer) (options, []row, error) {
	var o options
	var curves bool
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(usage)
	f.IntVar(&o.rounds, "rounds", 5, "how often everything is measured")
	f.BoolVar(&o.quick, "quick", false, "one round with small sizes: to try it, the figures say nothing")
	f.StringVar(&o.rows, "row", "", "only these rows, with commas between: "+strings.Join(rowNames(), ","))
	f.StringVar(&o.json, "json", "", "append every measurement to this `file`, an object a line")
	f.DurationVar(&o.seconds, "load", 5*time.Second, "how long lock operations are measured, per arm and round")
	f.DurationVar(&o.flood, "flood", time.Minute, "how long events flow, per round")
	f.DurationVar(&o.idle, "idle", 10*time.Minute, "how long an idle console is looked at, in all")
	f.DurationVar(&o.limit, "limit", 45*time.Minute, "the longest time for a row")
	f.BoolVar(&curves, "curves", false, "draw the growth curves into "+curvesFile+" instead of measuring the rows")
	if err := f.Parse(args); err != nil {
		return o, nil, err
	}
	if o.quick {
		o.rounds, o.seconds, o.flood, o.idle = 1, 500*time.Millisecond, 3*time.Second, 5*time.Second
	}
	if curves {
		o.curves = curvesFile
	}
	switch {
	case f.NArg() > 0:
		return o, nil, fmt.Errorf("%q: there are no arguments, only flags", f.Args())
	case o.rounds < 1 || o.rounds > 100:
		return o, nil, fmt.Errorf("-rounds %d: want 1 to 100", o.rounds)
	case o.seconds < 100*time.Millisecond || o.flood < time.Second || o.idle < 5*time.Second || o.limit <= 0:
		return o, nil, errors.New("want at least -load 100ms, -flood 1s, -idle 5s and a -limit above 0")
	}
	rows, err := pickRows(o.rows)
	return o, rows, err
}

// pickRows returns the named rows in the order of the table, all for "".
func pickRows(names string) ([]row, error) {
	if names == "" {
		return allRows(), nil
	}
	wanted := strings.Split(names, ",")
	for _, n := range wanted {
		if !slices.Contains(rowNames(), n) {
			return nil, fmt.Errorf("-row: there is no %q, take of %s", n, strings.Join(rowNames(), ", "))
		}
	}
	return slices.DeleteFunc(allRows(), func(r row) bool { return !slices.Contains(wanted, r.name) }), nil
}

func rowNames() []string {
	var names []string
	for _, r := range allRows() {
		names = append(names, r.name)
	}
	return names
}

// command is the whole command besides its exit code.
func command(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	o, rows, err := parse(args, progress)
	if err != nil {
		return err
	}
	e, err := newEnv(ctx, o, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	if o.curves != "" {
		return curves(ctx, e, out)
	}
	return measureAll(ctx, e, rows, out)
}

// measureAll measures the rows and prints each as soon as it is there. A row that
// fails says so in its place, and the others go on.
func measureAll(ctx context.Context, e *env, rows []row, out io.Writer) error {
	if _, err := io.WriteString(out, e.about+tableHead); err != nil {
		return err
	}
	var failed []error
	for _, r := range rows {
		samples, err := r.measure(ctx, e)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", r.name, err))
		}
		results := r.results(samples)
		if _, err := io.WriteString(out, r.table(results, err)); err != nil {
			return err
		}
		if err := e.keep(r, results, err); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}
