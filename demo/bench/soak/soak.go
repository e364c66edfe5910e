// Package soak lets many healthy contenders compete on a cluster of its own for some
// minutes and holds what the model says of them against what they did.
//
// The contenders are goroutines with sessions of their own and mixed recipes. Every way
// in which one gives up a lock is written down before it is done (see ledger), and so is
// every answer to a keepalive, so that each cause that the model infers and each warning
// it gives can be judged. Nobody is ill here: an error is always false, and a warning is
// true only where the ledger says so.
//
// The status of the command is 1 if there was an error or a warning that was not true, 2
// if it could not run to its end.
package soak

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"sync"
	"time"

	"github.com/prometheus/procfs"

	"locktop/demo/cluster"
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
// healthy if there was an error or a warning that was not true; an error says that it
// could not run to its end.
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
	if len(sum.False) == 0 && !sum.Complete {
		return false, fmt.Errorf("it did not run to its end with %d leader changes", moves)
	}
	return len(sum.False) == 0, nil
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
	return run(ctx, o, cluster, say)
}

// run lets the contenders compete and watches them.
func run(ctx context.Context, o options, cluster *cluster.Cluster, say *log.Logger) (*summary, error) {
	length := time.Duration(o.minutes * float64(time.Minute))
	lg := newLedger()
	clients, err := dialAll(ctx, cluster.MemberEndpoints(), o.clients, lg)
	if err != nil {
		return nil, err
	}
	obs, err := newObserver(ctx, cluster.MemberEndpoints(), lg, say)
	if err != nil {
		closeAll(clients)
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	late := time.Now().Add(length)
	var contending, watching sync.WaitGroup
	watching.Go(func() { obs.run(ctx) })
	moved := 0
	watching.Go(func() { moved = moveLeaders(ctx, cluster, length, say) })
	start, err1 := rss()
	for i := range o.contenders {
		c := newContender(i, clients[i%len(clients)], lg, o)
		contending.Go(func() { c.run(ctx) })
	}
	began := time.Now()
	watching.Wait() // what is judged ends here; the rest is cleaning up
	ended := time.Now()
	end, err2 := rss()
	obs.close()
	// Some waits of the recipes know no context: the end of their client ends them.
	closeAll(clients)
	contending.Wait()
	sum := obs.sum()
	sum.RSSStart, sum.RSSEnd, sum.Moves = start, end, moved
	sum.Complete = !ended.Before(late) && sum.Moves == moves
	sum.Contenders, sum.Seconds = o.contenders, ended.Sub(began).Seconds()
	return sum, errors.Join(err1, err2)
}

// rss is the memory of this process in MiB.
func rss() (int, error) {
	p, err := procfs.Self()
	if err != nil {
		return 0, err
	}
	stat, err := p.Stat()
	return stat.ResidentMemory() >> 20, err
}
