package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// loadOrder says how locks are to be taken and given back.
type loadOrder struct {
	Endpoint string
	Clients  int     // each with a connection and a session of its own
	Locks    int     // that they share
	Rate     float64 // of lock and unlock a second, all together; 0: as fast as they can
	Seconds  float64
}

// loadResult is what came of it: a lock is timed from when it was due, so that a
// stall is in the figures of all that it kept waiting.
type loadResult struct {
	Rate, P50, P99 float64 // per second, milliseconds
}

// load takes locks from a process of its own.
func (e *env) load(ctx context.Context, o loadOrder) (loadResult, error) {
	var r loadResult
	c, err := e.start(ctx, loadRole, o, 2*patience+2*time.Duration(o.Seconds*float64(time.Second)))
	if err != nil {
		return r, err
	}
	err = json.Unmarshal([]byte(c.address), &r)
	return r, errors.Join(err, c.end())
}

// serveLoad says what it measured when it is done.
func serveLoad(arg []byte, ended <-chan struct{}) error {
	var o loadOrder
	if err := json.Unmarshal(arg, &o); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-ended
		cancel()
	}()
	crowd := make([]*concurrency.Mutex, o.Clients)
	for i := range crowd {
		c, err := dial(ctx, o.Endpoint)
		if err != nil {
			return err
		}
		defer c.Close()
		if crowd[i], err = contender(c, i%o.Locks); err != nil {
			return err
		}
	}
	long := time.Duration(o.Seconds * float64(time.Second))
	if _, _, err := together(ctx, crowd, o.Rate, long/5); err != nil { // to warm up
		return err
	}
	took, elapsed, err := together(ctx, crowd, o.Rate, long)
	if err != nil {
		return err
	}
	return say(loadResult{Rate: float64(len(took)) / elapsed.Seconds(), P50: ms(quantile(took, 0.5)), P99: ms(quantile(took, 0.99))})
}

func contender(c *clientv3.Client, lock int) (*concurrency.Mutex, error) {
	s, err := concurrency.NewSession(c, concurrency.WithTTL(60))
	if err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	return concurrency.NewMutex(s, fmt.Sprintf("/load/lock-%03d", lock)), nil
}

// together lets all contend for that long, and returns how long each lock took.
func together(ctx context.Context, crowd []*concurrency.Mutex, rate float64, long time.Duration) ([]time.Duration, time.Duration, error) {
	var mu sync.Mutex
	var took []time.Duration
	began := time.Now()
	err := each(len(crowd), len(crowd), func(i int) error {
		mine, err := contend(ctx, crowd[i], pace(rate, i, len(crowd)), began, long)
		mu.Lock()
		defer mu.Unlock()
		took = append(took, mine...)
		return err
	})
	return took, time.Since(began), err
}

// pace returns when contender i of n is to take its k-th lock, after the beginning:
// nil for at once.
func pace(rate float64, i, n int) func(k int) time.Duration {
	if rate == 0 {
		return nil
	}
	return func(k int) time.Duration { return time.Duration(float64(k*n+i) / rate * float64(time.Second)) }
}

// contend locks and unlocks until the time is over.
func contend(ctx context.Context, m *concurrency.Mutex, due func(int) time.Duration, began time.Time, long time.Duration) (took []time.Duration, err error) {
	for k := 0; time.Since(began) < long; k++ {
		from := time.Now()
		if due != nil {
			if due(k) >= long {
				return took, nil
			}
			from = began.Add(due(k))
			if !pause(ctx, time.Until(from)) {
				return took, ctx.Err()
			}
		}
		if err := m.Lock(ctx); err != nil {
			return took, err
		}
		took = append(took, time.Since(from))
		if err := m.Unlock(ctx); err != nil {
			return took, err
		}
	}
	return took, nil
}

// pause waits, and says whether ctx still lives.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
