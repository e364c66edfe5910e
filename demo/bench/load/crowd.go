package load

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// What a crowd does.
const (
	Locking   = "lock"      // lock and unlock a concurrency.Mutex
	Putting   = "put"       // put a value of some bytes
	KeepAlive = "keepalive" // LeaseKeepAliveOnce, a stream of one renewal
)

// CrowdOrder says what clients are to do at an endpoint.
type CrowdOrder struct {
	Endpoint string
	Work     string
	Clients  int     // each with a connection and a session of its own
	Locks    int     // that they share
	Rate     float64 // of all of them together, a second; 0: as fast as they can
	Seconds  float64
}

// CrowdResult is what came of it: a lock is timed until it is had, and from when it
// was due, so that a stall is in the figures of all that it kept waiting.
type CrowdResult struct {
	Rate, P50, P99 float64 // per second, milliseconds
}

// RunCrowd has a process of its own do what is ordered.
func RunCrowd(ctx context.Context, dir string, o CrowdOrder) (r CrowdResult, err error) {
	c, err := Start(ctx, dir, Crowd, o, 2*Patience)
	if err != nil {
		return r, err
	}
	return r, errors.Join(c.Next(Patience+2*time.Duration(o.Seconds*float64(time.Second)), &r), c.End())
}

// worker does the work of a client once; what it returns, if anything, gives back
// what was taken, and is not timed.
type worker func(context.Context) (after func(context.Context) error, err error)

// serveCrowd says what it measured when it is done.
func serveCrowd(ctx context.Context, o CrowdOrder) error {
	crowd := make([]worker, o.Clients)
	for i := range crowd {
		c, err := Dial(ctx, o.Endpoint)
		if err != nil {
			return err
		}
		defer c.Close()
		s, err := concurrency.NewSession(c, concurrency.WithTTL(60))
		if err != nil {
			return fmt.Errorf("open a session: %w", err)
		}
		crowd[i] = newWorker(c, s, o.Work, i%o.Locks)
	}
	if err := Say("ready"); err != nil {
		return err
	}
	long := time.Duration(o.Seconds * float64(time.Second))
	if _, _, err := together(ctx, crowd, o.Rate, long/5); err != nil { // to warm up
		return err
	}
	took, elapsed, err := together(ctx, crowd, o.Rate, long)
	if err != nil {
		return err
	}
	return Say(CrowdResult{Rate: float64(len(took)) / elapsed.Seconds(), P50: Quantile(took, 0.5), P99: Quantile(took, 0.99)})
}

// newWorker makes the worker of a client.
func newWorker(c *clientv3.Client, s *concurrency.Session, work string, lock int) worker {
	switch work {
	case Putting:
		return func(ctx context.Context) (func(context.Context) error, error) {
			_, err := c.Put(ctx, "/load/put", "a value of some bytes")
			return nil, err
		}
	case KeepAlive:
		return func(ctx context.Context) (func(context.Context) error, error) {
			_, err := c.KeepAliveOnce(ctx, s.Lease())
			return nil, err
		}
	}
	m := concurrency.NewMutex(s, fmt.Sprintf("/load/lock-%03d", lock))
	return func(ctx context.Context) (func(context.Context) error, error) { return m.Unlock, m.Lock(ctx) }
}

// together lets all work for that long, and returns how long each piece of work took.
func together(ctx context.Context, crowd []worker, rate float64, long time.Duration) ([]time.Duration, time.Duration, error) {
	var mu sync.Mutex
	var took []time.Duration
	began := time.Now()
	err := each(len(crowd), len(crowd), func(i int) error {
		mine, err := crowd[i].repeat(ctx, pace(rate, i, len(crowd)), began, long)
		mu.Lock()
		defer mu.Unlock()
		took = append(took, mine...)
		return err
	})
	return took, time.Since(began), err
}

// pace returns when worker i of n is to begin its k-th piece of work, after the
// beginning: nil for at once.
func pace(rate float64, i, n int) func(k int) time.Duration {
	if rate == 0 {
		return nil
	}
	return func(k int) time.Duration { return time.Duration(float64(k*n+i) / rate * float64(time.Second)) }
}

// repeat works until the time is over.
func (w worker) repeat(ctx context.Context, due func(int) time.Duration, began time.Time, long time.Duration) (took []time.Duration, err error) {
	for k := 0; time.Since(began) < long; k++ {
		from := time.Now()
		if due != nil {
			if due(k) >= long {
				return took, nil
			}
			from = began.Add(due(k))
			if !Pause(ctx, time.Until(from)) {
				return took, ctx.Err()
			}
		}
		after, err := w(ctx)
		if err != nil {
			return took, err
		}
		took = append(took, time.Since(from))
		if after != nil {
			if err := after(ctx); err != nil {
				return took, err
			}
		}
	}
	return took, nil
}
