// Command bench measures what users of locktop notice: how fast it is, and what it takes. Peers
// are etcdctl and a direct connection. It is a module of its own because nobody who uses
// locktop needs its peers. It needs Linux, which says what a process takes.
//
//	go -C demo/bench run .                    every row, three rounds: about half an hour
//	go -C demo/bench run . -rounds 1 ls page  some rows, once
//	go -C demo/bench run . -quick             small sizes and one round: a trial, its figures say nothing
//
// The two sides of a row take turns, and each round begins with the other one. A figure is the
// median of the rounds, a ratio that of their ratios. A missed promise fails nothing, a row
// without figures does.
//
// Everything is on 127.0.0.1 and in one temporary directory, and ends with the command.
//
// Where to begin: rows.go has the rows, soak.go the last of them; load.go is what runs beside
// them, server.go the member with its locks, screen.go a console looked at from outside.
// Package pictures takes the pictures of the documents.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

// options are the flags of the command.
type options struct {
	args   string // as they were given
	rounds int
	quick  bool
	soak   time.Duration
	names  []string
}

// size is how many there are of something: fewer for a trial.
func (o options) size(full, quick int) int {
	if o.quick {
		return quick
	}
	return full
}

// long is how long something is measured: a trial is over soon.
func (o options) long(full time.Duration) time.Duration {
	if o.quick {
		return min(full/10, 3*time.Second)
	}
	return full
}

func main() {
	signal.Ignore(syscall.SIGPIPE) // a write says so, too, and the soak cuts connections
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	var err error
	if order := os.Getenv(crowdEnv); order != "" {
		err = playCrowd(ctx, order)
	} else {
		err = command(ctx, os.Args[1:], os.Stdout, os.Stderr)
	}
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parse reads the flags and the names of rows, in any order.
func parse(args []string, usage io.Writer) (o options, err error) {
	o.args = strings.Join(args, " ")
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(usage)
	f.Usage = func() {
		fmt.Fprintf(usage, "bench [flags] [ROW …]\nThe rows: %s\n", strings.Join(rowNames(), ", "))
		f.PrintDefaults()
	}
	f.IntVar(&o.rounds, "rounds", 3, "how often everything is measured")
	f.BoolVar(&o.quick, "quick", false, "one round with small sizes: a trial, its figures say nothing")
	f.DurationVar(&o.soak, "soak", 10*time.Minute, "how long the soak takes")
	for err := f.Parse(args); f.NArg() > 0 || err != nil; err = f.Parse(f.Args()[1:]) {
		if err != nil {
			return o, err
		}
		if !slices.Contains(rowNames(), f.Arg(0)) {
			return o, fmt.Errorf("there is no row %q: take of %s", f.Arg(0), strings.Join(rowNames(), ", "))
		}
		o.names = append(o.names, f.Arg(0))
	}
	if o.quick {
		o.rounds, o.soak = 1, 12*time.Second
	}
	if o.rounds < 1 || o.rounds > 100 || o.soak < time.Second {
		return o, errors.New("want -rounds of 1 to 100, and -soak of 1s or more")
	}
	return o, nil
}

// command measures the rows and prints each as soon as it is there. A row that fails says
// so in its place, and the others go on.
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
	fmt.Fprintf(out, "`go -C demo/bench run . %s`, %s: %s\n\n%s", o.args, time.Now().UTC().Format("2006-01-02 15:04 MST"), e.about, tableHead)
	var failed []error
	for _, r := range allRows(o) {
		if len(o.names) > 0 && !slices.Contains(o.names, r.name) {
			continue
		}
		samples, err := r.measure(ctx, e)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", r.name, err))
		}
		if _, err := io.WriteString(out, r.table(samples, err)); err != nil {
			return err
		}
	}
	return errors.Join(failed...)
}

// row is what is measured, against what, and what was promised.
type row struct {
	name, what, against string
	figures             []figure
	data                dataset // that the sides need, on a server that runs alone
	once                bool    // a long row has one round
	ours, theirs        side    // a row without another side has no theirs
}

// side measures one side of a row once, with the endpoint of the data.
type side func(ctx context.Context, e *env, endpoint string) (values, error)

// values are what was measured, by the name of the figure.
type values map[string]float64

// figure is a value of a row, and what it is promised to be.
type figure struct {
	name, unit string
	kind       kind
	bound      float64
}

// kind says what a promise compares.
type kind int

const (
	shown  kind = iota // nothing is promised
	atMost             // ours is at most bound times theirs
	keeps              // ours is at least bound times theirs
	below              // ours is at most bound
)

// promise is it as the table says it.
func (f figure) promise() string {
	switch f.kind {
	case atMost:
		return fmt.Sprintf("≤ %g×", f.bound)
	case keeps:
		return fmt.Sprintf("≥ %g×", f.bound)
	case below:
		return fmt.Sprintf("≤ %g %s", f.bound, f.unit)
	}
	return "–"
}

// measure runs the rounds. In each the sides come one after the other, by turns; after an error the
// rounds before it count.
func (r row) measure(ctx context.Context, e *env) (samples [][2]values, err error) {
	rounds := e.o.rounds
	if r.once {
		rounds = 1
	}
	for round := range rounds {
		e.tell("%s: round %d of %d", r.name, round+1, rounds)
		var s [2]values
		endpoint := ""
		if r.data != (dataset{}) {
			if endpoint, err = e.holding(ctx, r.data); err != nil {
				return samples, err
			}
		}
		sides := [2]side{r.ours, r.theirs}
		for i := range sides {
			if i = (i + round) % 2; sides[i] == nil {
				continue
			}
			if s[i], err = sides[i](ctx, e, endpoint); err != nil {
				return samples, err
			}
		}
		samples = append(samples, s)
	}
	return samples, nil
}

const tableHead = "| row | figure | ours | theirs | ratio | rounds, least to most | promise | |\n|---|---|---:|---:|---:|---|---|---|\n"

// table is the row in Markdown: a line for each figure, and one if a round failed.
func (r row) table(samples [][2]values, failed error) string {
	var b strings.Builder
	name := fmt.Sprintf("**%s**: %s", r.name, r.what)
	if r.against != "" {
		name += " – against " + r.against
	}
	for _, f := range r.figures {
		if line := f.line(samples); line != "" {
			fmt.Fprintf(&b, "| %s | %s\n", name, line)
			name = ""
		}
	}
	if failed != nil {
		fmt.Fprintf(&b, "| %s | not measured: %s | | | | | | **missing** |\n", name, strings.NewReplacer("\n", " ", "|", "/").Replace(failed.Error()))
	}
	return b.String()
}

// line is a figure over all rounds, "" if none has it.
func (f figure) line(samples [][2]values) string {
	var ours, theirs, ratios []float64
	for _, s := range samples {
		v, ok := s[0][f.name]
		if !ok {
			continue
		}
		ours = append(ours, v)
		if peer, ok := s[1][f.name]; ok {
			theirs, ratios = append(theirs, peer), append(ratios, v/peer)
		}
	}
	if len(ours) == 0 {
		return ""
	}
	peer, ratio, spread, word := "", "", ours, ""
	if len(theirs) > 0 {
		peer = amount(median(theirs)) + " " + f.unit
	}
	if len(theirs) > 0 && f.kind != below {
		ratio, spread = amount(median(ratios))+"×", ratios
	}
	if f.kind != shown {
		word = map[bool]string{true: "met", false: "**missed**"}[f.met(median(ours), ratios)]
	}
	return fmt.Sprintf("%s | %s %s | %s | %s | %d: %s to %s | %s | %s |", f.name, amount(median(ours)), f.unit, peer, ratio,
		len(ours), amount(slices.Min(spread)), amount(slices.Max(spread)), f.promise(), word)
}

// met says whether the promise was kept; a peer that was not measured keeps none.
func (f figure) met(ours float64, ratios []float64) bool {
	switch {
	case f.kind == below:
		return ours <= f.bound
	case len(ratios) == 0:
		return false
	case f.kind == atMost:
		return median(ratios) <= f.bound
	}
	return median(ratios) >= f.bound
}

// amount is a figure with three digits that count.
func amount(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 0.1 || a == 0:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.4f", v)
}

// median leaves what it is given as it is.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

// quantile is the least of the times that this share of them does not exceed, in
// milliseconds, 0 if there are none.
func quantile(v []time.Duration, share float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return float64(v[max(int(math.Ceil(share*float64(len(v))))-1, 0)]) / float64(time.Millisecond)
}
