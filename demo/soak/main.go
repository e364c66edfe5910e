package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"locktop/demo"
)

// options is what the flags say.
type options struct {
	minutes    float64
	contenders int
	clients    int
	seed       uint64
	holdMax    time.Duration
}

func main() {
	var o options
	flag.Float64Var(&o.minutes, "minutes", 10, "how long it takes")
	flag.IntVar(&o.contenders, "contenders", 200, "how many contenders compete")
	flag.IntVar(&o.clients, "clients", 10, "how many clients they share")
	flag.Uint64Var(&o.seed, "seed", 1, "seed of what the contenders do")
	flag.DurationVar(&o.holdMax, "hold", 30*time.Second, "the longest time that one holds")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP,
		syscall.SIGPIPE) // the last, so that a reader who goes leaves no files behind
	sum, err := soak(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	line, err := json.Marshal(sum)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	fmt.Println(string(line))
	switch {
	case len(sum.False) > 0:
		os.Exit(1)
	case !sum.Judged || !sum.Complete:
		os.Exit(2)
	}
}

// check rejects options that cannot work.
func (o options) check() error {
	switch {
	case o.minutes <= 0 || o.minutes > 24*60:
		return fmt.Errorf("-minutes %v: want more than 0, and a day at most", o.minutes)
	case o.contenders < 1 || o.contenders > 2000:
		return fmt.Errorf("-contenders %d: want 1 to 2000", o.contenders)
	case o.clients < 1 || o.clients > 100:
		return fmt.Errorf("-clients %d: want 1 to 100", o.clients)
	case o.holdMax < holdMin:
		return fmt.Errorf("-hold %v: want at least %v", o.holdMax, holdMin)
	}
	return nil
}

// soak runs it all and leaves nothing behind.
func soak(ctx context.Context, o options) (*summary, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "locktop-soak-")
	if err != nil {
		return nil, fmt.Errorf("make a directory: %w", err)
	}
	defer os.RemoveAll(dir)
	cluster, err := demo.StartCluster(ctx, demo.ClusterOptions{Members: 3, Dir: dir,
		Progress: func(s string) { fmt.Println(s) }})
	if err != nil {
		return nil, err
	}
	defer cluster.Close()
	return run(ctx, o, cluster.MemberEndpoints())
}

// run lets the contenders compete and watches them.
func run(ctx context.Context, o options, endpoints []string) (*summary, error) {
	length := time.Duration(o.minutes * float64(time.Minute))
	lg := newLedger()
	clients, err := dialAll(endpoints, o.clients, lg)
	if err != nil {
		return nil, err
	}
	obs, err := newObserver(endpoints, lg)
	if err != nil {
		closeAll(clients)
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	late := time.Now().Add(length)
	var contending, watching sync.WaitGroup
	watching.Go(func() { obs.run(ctx) })
	watching.Go(func() { moveLeaders(ctx, endpoints, lg, length, moves) })
	sum := &summary{RSSStart: rss()}
	for i := range o.contenders {
		c := newContender(i, clients[i%len(clients)], lg, o)
		contending.Go(func() { c.run(ctx) })
	}
	began := time.Now()
	watching.Wait() // what is judged ends here; the rest is cleaning up
	ended := time.Now()
	sum.RSSEnd = rss()
	obs.close()
	// Some waits of the recipes know no context: the end of their client ends them.
	closeAll(clients)
	contending.Wait()
	obs.sum(sum)
	sum.Complete = !ended.Before(late) && sum.Moves == moves
	sum.Contenders, sum.Seconds = o.contenders, ended.Sub(began).Seconds()
	return sum, nil
}
