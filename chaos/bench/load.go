package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
)

// The loads. One client does one thing after the other; a crowd does so in
// parallel, each with a connection, a lease and a lock of its own.
const (
	put       = "put"
	keepAlive = "keepalive" // LeaseKeepAliveOnce, a stream of one renewal
	lock      = "lock"      // lock and unlock a concurrency.Mutex that is free
	crowd     = "crowd"     // the same by many
)

var allLoads = []string{put, keepAlive, lock, crowd}

// measurement is what one load did in one round.
type measurement struct {
	p50, p99 time.Duration
	rate     float64 // per second, all clients together
}

// measure has clients do the load at that endpoint for that long.
func measure(ctx context.Context, endpoint, load string, clients int, long time.Duration) (measurement, error) {
	if load != crowd {
		clients = 1
	}
	ops, done, err := workers(ctx, endpoint, load, clients)
	defer done()
	if err != nil {
		return measurement{}, err
	}
	if _, _, err := together(ctx, ops, long/10); err != nil { // to warm up
		return measurement{}, err
	}
	took, elapsed, err := together(ctx, ops, long)
	if err != nil {
		return measurement{}, err
	}
	slices.Sort(took)
	return measurement{p50: quantile(took, 0.50), p99: quantile(took, 0.99),
		rate: float64(len(took)) / elapsed.Seconds()}, nil
}

// op does the work of a load once.
type op func(context.Context) error

// workers connects clients. What it returns must be done, also after an error.
func workers(ctx context.Context, endpoint, load string, n int) (ops []op, done func(), err error) {
	var clients []*clientv3.Client
	done = func() {
		for _, c := range clients {
			_ = c.Close()
		}
	}
	for i := range n {
		c, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop(), Context: ctx})
		if err != nil {
			return nil, done, err
		}
		clients = append(clients, c)
		s, err := concurrency.NewSession(c, concurrency.WithTTL(60))
		if err != nil {
			return nil, done, fmt.Errorf("open a session: %w", err)
		}
		ops = append(ops, work(c, s, load, i))
	}
	return ops, done, nil
}

// work is what client i does for a load.
func work(c *clientv3.Client, s *concurrency.Session, load string, i int) op {
	switch load {
	case put:
		return func(ctx context.Context) error {
			_, err := c.Put(ctx, "/bench/put", "a value of some bytes")
			return err
		}
	case keepAlive:
		return func(ctx context.Context) error {
			_, err := c.KeepAliveOnce(ctx, s.Lease())
			return err
		}
	}
	m := concurrency.NewMutex(s, fmt.Sprintf("/bench/lock/%d", i))
	return func(ctx context.Context) error {
		if err := m.Lock(ctx); err != nil {
			return err
		}
		return m.Unlock(ctx)
	}
}

// together repeats all ops in parallel for that long and returns how long each time
// took, in no order, and how long all of it did.
func together(ctx context.Context, ops []op, long time.Duration) (took []time.Duration, elapsed time.Duration, err error) {
	var wg sync.WaitGroup
	times, errs := make([][]time.Duration, len(ops)), make([]error, len(ops))
	began := time.Now()
	for i, o := range ops {
		wg.Go(func() { times[i], errs[i] = repeat(ctx, o, began.Add(long)) })
	}
	wg.Wait()
	return slices.Concat(times...), time.Since(began), errors.Join(errs...)
}

// repeat does it at least once, and until then.
func repeat(ctx context.Context, o op, until time.Time) (took []time.Duration, err error) {
	for now := time.Now(); ; {
		if err := o(ctx); err != nil {
			return took, err
		}
		next := time.Now()
		took = append(took, next.Sub(now))
		if now = next; now.After(until) {
			return took, nil
		}
	}
}

// quantile returns the least of the sorted values that this share of them does not
// exceed.
func quantile(sorted []time.Duration, share float64) time.Duration {
	return sorted[max(int(math.Ceil(share*float64(len(sorted))))-1, 0)]
}
