package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"locktop/model"
	"locktop/model/store"
	"locktop/watcher"
)

// dial connects a client.
func dial(ctx context.Context, endpoints ...string) (*clientv3.Client, error) {
	return dialWith(ctx, nil, endpoints)
}

// dialWith connects one whose connections are made so.
func dialWith(ctx context.Context, opts []grpc.DialOption, endpoints []string) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop(), Context: ctx, DialTimeout: patience, DialOptions: opts})
}

// A flood is of claims that join queues and leave them: half of the events are puts, half
// deletes, some of each in a revision, as if many contenders did it at once.
const (
	floodPuts   = 10 // in a revision, and as many deletes
	floodLeases = 8000
	floodWaits  = floodLeases / 2 // claims at any time
)

// flooded is what a flood comes on.
var flooded = dataset{Locks: 500, Claims: 1}

// flood writes so many events a second for the time of the flag, calls written with how many
// events there were and when each revision was answered, and takes its claims away again. A
// value is when it was sent.
func (e *env) flood(ctx context.Context, endpoint string, rate float64, written func(events int, marks []mark) error) (err error) {
	c, err := dial(ctx, endpoint)
	if err != nil {
		return err
	}
	defer c.Close()
	leases := make([]clientv3.LeaseID, floodLeases)
	defer func() {
		err = errors.Join(err, each(ctx, floodLeases, 64, func(ctx context.Context, i int) error {
			_, err := c.Revoke(ctx, leases[i])
			return err
		}))
	}()
	if err := each(ctx, floodLeases, 64, func(ctx context.Context, i int) error {
		r, err := c.Grant(ctx, leaseTTL)
		if err == nil {
			leases[i] = r.ID
		}
		return err
	}); err != nil {
		return fmt.Errorf("grant a lease: %w", err)
	}
	var mu sync.Mutex
	var marks []mark
	write := func(ctx context.Context, k int) error {
		var ops []clientv3.Op
		for i := k * floodPuts; i < (k+1)*floodPuts; i++ {
			key := func(i int) string { return claimKey(i%flooded.Locks, int64(leases[i%floodLeases])) }
			ops = append(ops, clientv3.OpPut(key(i), strconv.FormatInt(time.Now().UnixNano(), 10), clientv3.WithLease(leases[i%floodLeases])))
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
		return err
	}
	began := time.Now()
	err = each(ctx, int(rate*e.o.flood.Seconds())/(2*floodPuts), 64, func(ctx context.Context, k int) error {
		due := began.Add(time.Duration(float64(k*2*floodPuts) / rate * float64(time.Second)))
		if !pause(ctx, time.Until(due)) {
			return ctx.Err()
		}
		return write(ctx, k+floodWaits/floodPuts)
	})
	if err != nil {
		return err
	}
	slices.SortFunc(marks, func(a, b mark) int { return int(a.rev - b.rev) })
	return written(2*floodPuts*len(marks), marks)
}

// floodModel is the way of the console without a screen: watcher, then model. It counts what
// does not come, and what comes in the wrong order.
func (e *env) floodModel(ctx context.Context, endpoint string, rate float64, got values) error {
	c, err := dial(ctx, endpoint)
	if err != nil {
		return err
	}
	defer c.Close()
	source := watcher.New(c, watcher.Options{Prefixes: []string{prefix}})
	defer source.Close()
	var came atomic.Int64
	state, broken, last := store.New(), 0, int64(0)
	follow := func(ctx context.Context, until func() bool) error {
		for !until() {
			b, err := source.Next(ctx, state.Want(nil))
			if ctx.Err() != nil {
				return nil
			}
			if err != nil {
				return err
			}
			state.Apply(b)
			for _, e := range b.Events {
				switch e := e.(type) {
				case model.Lost:
					broken++
				case model.Committed:
					if e.Rev <= last {
						broken++
					}
					last = e.Rev
					came.Add(int64(len(e.Changes)))
				}
			}
		}
		return nil
	}
	if err := follow(ctx, func() bool { return state.Coverage().Loaded() }); err != nil {
		return err
	}
	life, enough := context.WithCancel(ctx)
	defer enough()
	ended := make(chan error, 1)
	go func() { ended <- follow(life, func() bool { return false }) }()
	return e.flood(ctx, endpoint, rate, func(events int, _ []mark) error {
		got["lost"] = missing(ctx, &came, floodWaits+events)
		enough()
		err := <-ended
		got["out of order, or watch lost"] = float64(broken)
		return err
	})
}

// missing is how many events did not come, after some patience.
func missing(ctx context.Context, came *atomic.Int64, want int) float64 {
	ctx, cancel := context.WithTimeout(ctx, settle)
	defer cancel()
	for came.Load() < int64(want) && pause(ctx, 20*time.Millisecond) {
	}
	return float64(int64(want) - came.Load())
}

// rateOf is how many events a second there were.
func rateOf(events int, marks []mark) float64 {
	return float64(events) / marks[len(marks)-1].at.Sub(marks[0].at).Seconds()
}

// watching is an etcdctl that watches: what it prints of locks, and how late.
type watching struct {
	cmd    *exec.Cmd
	events atomic.Int64
	done   chan struct{} // closed when it has ended
	lags   []time.Duration
}

// watch starts etcdctl and returns when it watches: it shows a key of no lock.
func (e *env) watch(ctx context.Context, c *clientv3.Client) (*watching, error) {
	w := &watching{cmd: e.command(ctx, e.etcdctl, "--endpoints", c.Endpoints()[0], "watch", "--prefix", prefix), done: make(chan struct{})}
	out, err := w.cmd.StdoutPipe()
	if err == nil {
		err = w.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	const hello = prefix + "hello"
	began := make(chan struct{})
	go func() {
		defer close(w.done)
		greeted := sync.OnceFunc(func() { close(began) })
		for in := bufio.NewScanner(out); in.Scan(); { // three lines: what happened, the key and the value
			in.Scan()
			lock := in.Text() != hello
			in.Scan()
			greeted()
			if !lock {
				continue
			}
			w.events.Add(1)
			if sent, err := strconv.ParseInt(in.Text(), 10, 64); err == nil {
				w.lags = append(w.lags, time.Since(time.Unix(0, sent)))
			}
		}
	}()
	for {
		if _, err := c.Put(ctx, hello, ""); err != nil {
			return nil, errors.Join(err, w.close())
		}
		select {
		case <-began:
			return w, nil
		case <-w.done:
			return nil, errors.Join(errors.New("etcdctl ended"), w.close())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// close ends etcdctl, which knows no other end than a signal.
func (w *watching) close() error {
	err := w.cmd.Process.Kill()
	<-w.done
	_ = w.cmd.Wait() // it says that it was killed
	return err
}

// handOver lets the holder of one lock after another let go and queue again, at a steady
// rate, until ctx ends.
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

// crowdOrder says how many clients lock and unlock, each a lock of its own.
type crowdOrder struct {
	Clients int
	Seconds float64
}

// crowd has a process take locks, and returns how many a second: directly, or as the command of "locktop proxy", which
// tells its endpoints in the environment.
func (e *env) crowd(ctx context.Context, endpoint string, proxied bool, o crowdOrder) (rate float64, err error) {
	exe, err := os.Executable()
	if err != nil {
		return 0, err
	}
	order, err := json.Marshal(o)
	if err != nil {
		return 0, err
	}
	line := []string{exe}
	if proxied {
		line = []string{e.locktop, "proxy", "--endpoints", endpoint, "--", exe}
	}
	cmd := e.command(ctx, line...)
	cmd.Env = append(cmd.Env, roleEnv+"="+crowd, orderEnv+"="+string(order), "ETCDCTL_ENDPOINTS="+endpoint)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w: %s", strings.Join(line, " "), err, &said)
	}
	return rate, json.Unmarshal(out, &rate)
}

// playCrowd takes locks, and prints how many a second.
func playCrowd(ctx context.Context, order []byte) error {
	var o crowdOrder
	if err := json.Unmarshal(order, &o); err != nil {
		return err
	}
	var mutexes []*concurrency.Mutex
	for i := range o.Clients {
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
	long := time.Duration(o.Seconds * float64(time.Second))
	start := time.Now().Add(long / 5) // what is before warms up
	err := each(ctx, o.Clients, o.Clients, func(ctx context.Context, i int) error {
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
	return json.NewEncoder(os.Stdout).Encode(float64(taken.Load()) / long.Seconds())
}
