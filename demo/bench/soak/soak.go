// Package soak lets many contenders compete on a cluster of its own for some minutes and
// holds what the model says of them against what they did.
//
// The contenders are goroutines with sessions of their own and mixed recipes: those that
// the keys tell, one that only its behaviour does, readers, and registrations that are no
// locks. Every way in which one gives up a lock is written down before it is done (see
// ledger), and so is every answer to a keepalive, so that each cause that the model infers
// and each warning it gives can be judged. What happens besides: clients are killed with
// all their sessions, the leader moves, and the processors are taken away. Nobody hangs or
// writes where he should not: an error is always false, and a warning is true only where
// the ledger says so.
//
// Those who watch are processes of their own: one sees all, one is stopped at times
// (SIGSTOP), one has prefixes that overlap, that leave half of it out, and that are not there.
//
// The status of the command is 1 if there was an error or a warning that was not true, or
// more than 1 % of the causes above a hint were wrong; 2 if it could not run to its end.
package soak

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/procfs"

	"locktop/demo/bench/load"
	"locktop/demo/cluster"
	"locktop/model/journal"
)

// options is what the flags say.
type options struct {
	minutes    float64
	contenders int
	clients    int
	seed       uint64
	holdMax    time.Duration
}

// moves is how often the cluster gets another leader.
const moves = 3

// Command is the command line of the soak. Its last line is a summary in JSON. It is not
// healthy if what was said was not true; an error says that it could not run to its end.
func Command(ctx context.Context, args []string, out, usage io.Writer) (healthy bool, err error) {
	o, err := parse(args, usage)
	if err != nil {
		return false, err
	}
	sum, err := soak(ctx, o, log.New(out, "", 0))
	if err != nil {
		return false, err
	}
	if err := json.NewEncoder(out).Encode(sum); err != nil {
		return false, err
	}
	if sum.healthy() && !sum.Complete {
		return false, errors.New("it did not run to its end, or not all that was to happen did")
	}
	return sum.healthy(), nil
}

// summary is the last line.
type summary struct {
	Complete   bool    `json:"complete"` // it took its time, and all that was to happen did
	Contenders int     `json:"contenders"`
	Seconds    float64 `json:"seconds"`
	Acquired   int     `json:"acquired"`
	Sessions   int     `json:"sessions_lost"`
	happened
	Observers []seen   `json:"observers"`
	Failures  []string `json:"failures"` // of the contenders' requests
}

// kept bounds the lists of the summary that can grow.
const kept = 20

// healthy says whether all that was said was true.
func (s *summary) healthy() bool {
	return !slices.ContainsFunc(s.Observers, func(o seen) bool { return !o.healthy() })
}

// parse reads the flags and rejects those that cannot work.
func parse(args []string, usage io.Writer) (o options, err error) {
	f := flag.NewFlagSet("bench soak", flag.ContinueOnError)
	f.SetOutput(usage)
	f.Float64Var(&o.minutes, "minutes", 10, "how long it takes")
	f.IntVar(&o.contenders, "contenders", 200, "how many contenders compete")
	f.IntVar(&o.clients, "clients", 10, "how many clients they share")
	f.Uint64Var(&o.seed, "seed", 1, "seed of what the contenders do")
	f.DurationVar(&o.holdMax, "hold", 30*time.Second, "the longest time that one holds")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	switch {
	case f.NArg() > 0:
		return o, fmt.Errorf("%q: the soak has no arguments, only flags", f.Args())
	case o.minutes <= 0 || o.minutes > 24*60:
		return o, fmt.Errorf("-minutes %v: want more than 0, and a day at most", o.minutes)
	case o.contenders < 1 || o.contenders > 2000:
		return o, fmt.Errorf("-contenders %d: want 1 to 2000", o.contenders)
	case o.clients < 1 || o.clients > 100:
		return o, fmt.Errorf("-clients %d: want 1 to 100", o.clients)
	case o.holdMax < holdMin:
		return o, fmt.Errorf("-hold %v: want at least %v", o.holdMax, holdMin)
	}
	return o, nil
}

// soak runs it all and leaves nothing behind.
func soak(ctx context.Context, o options, say *log.Logger) (*summary, error) {
	dir, err := os.MkdirTemp("", "locktop-soak-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	defer os.RemoveAll(dir)
	cluster, err := cluster.Start(ctx, cluster.Options{Members: 3, Dir: dir, Progress: func(s string) { say.Print(s) }})
	if err != nil {
		return nil, err
	}
	defer cluster.Close()
	return run(ctx, o, dir, cluster, say)
}

// observers are who watches: one that sees all, one that is stopped at times, and one whose
// prefixes overlap, leave out half of the locks, and name one that is not there.
var observers = []seen{
	{Observer: "all"},
	{Observer: "stopped"},
	{Observer: "some", Prefixes: []string{"/soak/", "/soak/mutex/", "/soak/mutex/m1", "/services/soak/worker/", "/not/there/"}},
}

// stopped is the place of the one that is stopped.
const stopped = 1

// run lets the contenders compete and watches them.
func run(ctx context.Context, o options, dir string, cluster *cluster.Cluster, say *log.Logger) (_ *summary, err error) {
	length := time.Duration(o.minutes * float64(time.Minute))
	settle := min(settleMost, length/4)
	lg := newLedger()
	var all []*process
	defer func() { killAll(all) }()
	for range o.clients {
		p, err := newProcess(ctx, cluster.MemberEndpoints(), lg)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	var listeners []*listener
	for _, s := range observers {
		c, err := load.Start(ctx, dir, Observer, order{cluster.MemberEndpoints(), s.Prefixes}, load.Patience)
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, c.End()) }()
		s.Causes, s.Verdicts, s.Findings = map[journal.Cause]int{}, map[ending]map[verdict]int{}, map[string]map[string]int{}
		listeners = append(listeners, &listener{child: c, ledger: lg, say: say, settle: settle, out: s})
	}
	t := &trouble{dir: dir, cluster: cluster, all: all, sleeper: listeners[stopped].child, length: length,
		rng: rand.New(rand.NewPCG(o.seed, 1)), say: say}
	competing, enough := context.WithCancel(ctx)
	defer enough()
	var contending, watching, judging sync.WaitGroup
	for i := range o.contenders {
		c := newContender(i, all[i%len(all)], lg, o)
		contending.Go(func() { c.run(competing) })
	}
	began := time.Now()
	watched, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	errs := make([]error, len(listeners))
	for i, l := range listeners {
		watching.Go(func() { errs[i] = l.listen() })
		judging.Go(func() { l.judges(competing) })
	}
	t.run(watched)
	<-watched.Done()
	complete := ctx.Err() == nil
	for _, l := range listeners {
		l.child.Finish()
	}
	watching.Wait()
	ended := time.Now()
	load.Pause(ctx, settle) // the contenders learn what became of what was said last
	enough()
	judging.Wait()
	killAll(all) // some waits of the recipes know no context: the end of their client ends them
	contending.Wait()
	sum := &summary{Contenders: o.contenders, Seconds: ended.Sub(began).Seconds(), happened: t.happened,
		Acquired: lg.acquired, Sessions: lg.lost, Failures: lg.failures}
	for _, l := range listeners {
		l.judge(time.Now())
		sum.Observers = append(sum.Observers, l.out)
	}
	plan := planned(length)
	plan.Killed = t.Killed
	sum.Complete = complete && t.happened == plan
	return sum, errors.Join(errs...)
}

// settleMost is how long what was said waits for its verdict at most.
const settleMost = 20 * time.Second

// rss is the memory of this process in MiB.
func rss() (int, error) {
	p, err := procfs.Self()
	if err != nil {
		return 0, err
	}
	stat, err := p.Stat()
	return stat.ResidentMemory() >> 20, err
}
