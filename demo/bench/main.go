// Command bench measures how fast locktop is and what it costs the cluster, against
// etcdctl, lipgloss/table, toxiproxy, the embedded members, itself, and on demand an
// older locktop, in one run. It is a module of its own because nobody who uses locktop
// needs its peers, and it needs Linux, which says what a process takes.
//
//	go -C demo/bench run .                      every row, five rounds: more than half an hour
//	go -C demo/bench run . ls paint             some of them
//	go -C demo/bench run . -quick               small sizes and one round, to try it
//	go -C demo/bench run . -against DIR         the program against that of another checkout, or against a binary
//	go -C demo/bench run . curves               how costs grow from 1,000 to 1,000,000 claims
//	go -C demo/bench run . soak -minutes 10     contenders, kills and sleeps, and a verdict on all that locktop says
//
// What is compared runs one after the other within a round, each round beginning with
// the other side, so that whatever else the machine does falls on both. What is
// printed are medians over the rounds; a ratio is of one round, and then the median of
// those. The aims are numbers to look at: nothing fails because of them.
//
// Everything is on 127.0.0.1 and in one temporary directory, and all ends with the
// command.
//
// Where to begin: row.go says what a row is, rows_runs.go and rows_lasting.go what each
// measures (rows_start.go: the size and the start of the binary), screen.go how a console is looked at from outside, package load what runs
// beside it. Package soak is the soak.
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

	"locktop/demo/bench/load"
	"locktop/demo/bench/soak"
)

// options are the flags of the command.
type options struct {
	args    string // as they were given
	rounds  int
	quick   bool
	rows    []row
	curves  bool    // instead of the rows
	against string  // another checkout or binary, "" for none
	seconds float64 // of load per side and round
	flood   time.Duration
	idle    time.Duration
	serve   time.Duration
}

// curvesName is the argument that asks for the curves.
const curvesName = "curves"

func main() {
	if served, err := load.Serve(); served {
		exit(err, 1)
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP,
		syscall.SIGPIPE) // the last, so that a reader who goes leaves no files behind
	defer stop()
	if len(os.Args) > 1 && os.Args[1] == "soak" {
		healthy, err := soak.Command(ctx, os.Args[2:], os.Stdout, os.Stderr)
		exit(err, 2)
		if err == nil && !healthy {
			os.Exit(1)
		}
		return
	}
	exit(command(ctx, os.Args[1:], os.Stdout, os.Stderr), 1)
}

// exit ends the process if there is an error.
func exit(err error, code int) {
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(code)
	}
}

// parse reads the flags and the names of rows, in any order.
func parse(args []string, usage io.Writer) (options, error) {
	o := options{args: strings.Join(args, " ")}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(usage)
	f.Usage = func() {
		fmt.Fprintf(usage, "bench [flags] [ROW …], bench [flags] %s, bench soak [flags]\nThe rows: %s\n", curvesName, rowNames())
		f.PrintDefaults()
	}
	f.IntVar(&o.rounds, "rounds", 5, "how often everything is measured")
	f.BoolVar(&o.quick, "quick", false, "one round with small sizes: to try it, the figures say nothing")
	f.StringVar(&o.against, "against", "", "compare with the locktop of another `checkout or binary` instead, absolute or from this folder; of a binary, no benchmarks of packages")
	f.Float64Var(&o.seconds, "seconds", 5, "how long load is measured, per side and round")
	f.DurationVar(&o.flood, "flood", time.Minute, "how long events flow, per round")
	f.DurationVar(&o.idle, "idle", 10*time.Minute, "how long an idle console is looked at, in all")
	f.DurationVar(&o.serve, "serve", 30*time.Minute, "how long serve is looked at")
	var names []string
	for err := f.Parse(args); f.NArg() > 0 || err != nil; err = f.Parse(f.Args()[1:]) {
		if err != nil {
			return o, err
		}
		names = append(names, f.Arg(0))
	}
	if o.quick {
		o.rounds, o.seconds, o.flood, o.idle, o.serve = 1, 0.5, 3*time.Second, 5*time.Second, 6*time.Second
	}
	switch {
	case o.rounds < 1 || o.rounds > 100:
		return o, fmt.Errorf("-rounds %d: want 1 to 100", o.rounds)
	case o.serve < 5*time.Second || o.serve > 24*time.Hour:
		return o, fmt.Errorf("-serve %s: want 5s to 24h", o.serve)
	case o.seconds < 0.1 || o.flood < time.Second || o.idle < 5*time.Second:
		return o, errors.New("want at least -seconds 0.1, -flood 1s and -idle 5s")
	case slices.Equal(names, []string{curvesName}) && o.against == "":
		o.curves = true
		return o, nil
	}
	return o, o.pick(names)
}

// pick picks the named rows in the order of the table, or all that can be measured.
func (o *options) pick(names []string) error {
	wanted := map[string]bool{}
	for _, n := range names {
		wanted[n] = true
	}
	for _, r := range allRows(*o) {
		if o.against != "" {
			r = r.beside(o.against)
		}
		if r.ours != nil && (wanted[r.name] || len(names) == 0) {
			o.rows = append(o.rows, r)
			delete(wanted, r.name)
		}
	}
	for n := range wanted {
		return fmt.Errorf("there is no row %q, or none that -against can compare: take of %s", n, rowNames())
	}
	return nil
}

func rowNames() string {
	var names []string
	for _, r := range allRows(options{}) {
		names = append(names, r.name)
	}
	return strings.Join(names, ", ")
}

// command is the whole command besides its exit code and the soak.
func command(ctx context.Context, args []string, out, progress io.Writer) (err error) {
	o, err := parse(args, progress)
	if err != nil {
		return err
	}
	e, err := newEnv(ctx, o, progress)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	if o.curves {
		return curves(ctx, e, out)
	}
	return measureAll(ctx, e, out)
}

// measureAll measures the rows and prints each as soon as it is there. A row that
// fails says so in its place, and the others go on.
func measureAll(ctx context.Context, e *env, out io.Writer) error {
	if _, err := fmt.Fprintf(out, "One run of\n\n    go -C demo/bench run . %s\n\non %s. %s%s", e.o.args, time.Now().Format(time.DateOnly), e.about, tableHead); err != nil {
		return err
	}
	var failed []error
	for _, r := range e.o.rows {
		samples, err := r.measure(ctx, e)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		results := r.results(samples)
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", r.name, err))
		}
		if _, err := io.WriteString(out, r.table(results, err)); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}
