package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
)

// dial connects a client.
func dial(ctx context.Context, endpoints ...string) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop(), Context: ctx, DialTimeout: patience})
}

// A flood is of claims that join queues and leave them: half of the events are puts, half
// deletes, some of each in a revision, as if many contenders did it at once.
const (
	floodPuts   = 10 // in a revision, and as many deletes
	floodLeases = 8000
	floodWaits  = floodLeases / 2 // claims at any time
	floodFor    = 30 * time.Second
)

// flooded is what a flood comes on.
var flooded = dataset{Locks: 500, Claims: 1}

// flood writes so many events a second for a while, and returns when each revision of 2*floodPuts
// events was answered. The server is not used again.
func (e *env) flood(ctx context.Context, endpoint string, rate float64) (marks []mark, err error) {
	c, err := dial(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	e.server.data = spent
	leases := make([]clientv3.LeaseID, floodLeases)
	if err := each(ctx, floodLeases, 64, func(ctx context.Context, i int) error {
		r, err := c.Grant(ctx, leaseTTL)
		if err == nil {
			leases[i] = r.ID
		}
		return err
	}); err != nil {
		return nil, fmt.Errorf("grant a lease: %w", err)
	}
	var mu sync.Mutex
	write := func(ctx context.Context, k int) error {
		var ops []clientv3.Op
		for i := k * floodPuts; i < (k+1)*floodPuts; i++ {
			key := func(i int) string { return claimKey(i%flooded.Locks, int64(leases[i%floodLeases])) }
			ops = append(ops, clientv3.OpPut(key(i), "", clientv3.WithLease(leases[i%floodLeases])))
			if i >= floodWaits {
				ops = append(ops, clientv3.OpDelete(key(i-floodWaits)))
			}
		}
		r, err := c.Txn(ctx).Then(ops...).Commit()
		if err == nil && k >= floodWaits/floodPuts {
			mu.Lock()
			marks = append(marks, mark{r.Header.Revision, time.Now()})
			mu.Unlock()
		}
		return err
	}
	if err := each(ctx, floodWaits/floodPuts, 8, write); err != nil {
		return nil, err
	}
	began := time.Now()
	err = each(ctx, int(rate*e.o.long(floodFor).Seconds())/(2*floodPuts), 64, func(ctx context.Context, k int) error {
		due := began.Add(time.Duration(float64(k*2*floodPuts) / rate * float64(time.Second)))
		if !pause(ctx, time.Until(due)) {
			return ctx.Err()
		}
		return write(ctx, k+floodWaits/floodPuts)
	})
	slices.SortFunc(marks, func(a, b mark) int { return int(a.rev - b.rev) })
	return marks, err
}

// handOver lets the holder of one lock after another let go and queue again, at a steady rate, until ctx ends.
func handOver(ctx context.Context, endpoint string, d dataset, rate float64) error {
	c, err := dial(context.WithoutCancel(ctx), endpoint)
	if err != nil {
		return err
	}
	defer c.Close()
	began := time.Now()
	for n := 0; pause(ctx, time.Until(began.Add(time.Duration(float64(n)/rate*float64(time.Second))))); n++ {
		lock := n % d.Locks
		lease := d.lease(lock, n/d.Locks%d.Claims)
		key := claimKey(lock, lease)
		if _, err := c.Delete(c.Ctx(), key); err != nil {
			return err
		}
		if _, err := c.Put(c.Ctx(), key, "", clientv3.WithLease(clientv3.LeaseID(lease))); err != nil {
			return err
		}
	}
	return nil
}

// crowd has a process take locks, and returns how many a second: directly, or as the command of "locktop proxy", which
// tells its endpoints in the environment.
func (e *env) crowd(ctx context.Context, endpoint string, proxied bool, clients int, long time.Duration) (rate float64, err error) {
	exe, err := os.Executable()
	if err != nil {
		return 0, err
	}
	line := []string{exe}
	if proxied {
		line = []string{e.locktop, "proxy", "--endpoints", endpoint, "--", exe}
	}
	cmd := e.command(ctx, line...)
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d %d", crowdEnv, clients, long), "ETCDCTL_ENDPOINTS="+endpoint)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", strings.Join(line, " "), err, &said)
	}
	_, err = fmt.Sscan(string(out), &rate)
	return rate, err
}

// playCrowd takes locks, and prints how many a second.
func playCrowd(ctx context.Context, order string) error {
	var clients int
	var long time.Duration
	if _, err := fmt.Sscan(order, &clients, (*int64)(&long)); err != nil {
		return err
	}
	var mutexes []*concurrency.Mutex
	for i := range clients {
		c, err := dial(ctx, strings.Split(os.Getenv("ETCDCTL_ENDPOINTS"), ",")...)
		if err != nil {
			return err
		}
		defer c.Close()
		s, err := concurrency.NewSession(c, concurrency.WithTTL(60))
		if err != nil {
			return fmt.Errorf("open a session: %w", err)
		}
		mutexes = append(mutexes, concurrency.NewMutex(s, fmt.Sprintf("/load/lock-%03d", i)))
	}
	var taken atomic.Int64
	start := time.Now().Add(long / 5) // what is before warms up
	err := each(ctx, clients, clients, func(ctx context.Context, i int) error {
		for time.Since(start) < long {
			if err := mutexes[i].Lock(ctx); err != nil {
				return err
			}
			if time.Now().After(start) {
				taken.Add(1)
			}
			if err := mutexes[i].Unlock(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	_, err = fmt.Println(float64(taken.Load()) / long.Seconds())
	return err
}
