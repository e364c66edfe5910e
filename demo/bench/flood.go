package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// A flood is of claims that join queues and leave them: half of the events are puts,
// half deletes, some of each in a revision, as if many contenders did it at once.
const (
	floodWriters  = 8
	floodPuts     = 10   // in a revision, and as many deletes
	floodSessions = 1000 // of each writer; half of them wait at any time
	floodLocks    = 500
)

// floodOrder says how many events a second, for how long.
type floodOrder struct {
	Endpoint string
	Rate     float64
	Seconds  float64
}

// mark is a revision and when it was somewhere.
type mark struct {
	rev int64
	at  time.Time
}

// floodResult is what was written.
type floodResult struct {
	Before  int // events, of the first claims
	Events  int
	Seconds float64
	Revs    []int64 // that the writers were told, in their order
	Nanos   []int64 // when they were
}

func (r floodResult) marks() []mark {
	var all []mark
	for i, rev := range r.Revs {
		all = append(all, mark{rev, time.Unix(0, r.Nanos[i])})
	}
	return all
}

// flooder writes as one client.
type flooder struct {
	c      *clientv3.Client
	leases []clientv3.LeaseID
	keys   []string
	next   int
	marks  []mark
	before int // events, until all wait that ever do
	events int
}

// serveFlood writes as soon as its leases are there and it said so.
func serveFlood(arg []byte, ended <-chan struct{}) error {
	var o floodOrder
	if err := json.Unmarshal(arg, &o); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	all := make([]*flooder, floodWriters)
	defer func() {
		for _, f := range all {
			if f != nil {
				_ = f.c.Close()
			}
		}
	}()
	err := each(floodWriters, floodWriters, func(i int) (err error) {
		if all[i], err = newFlooder(ctx, o.Endpoint, i); err != nil {
			return err
		}
		return all[i].fill(ctx)
	})
	if err != nil {
		return err
	}
	if err := say("ready"); err != nil {
		return err
	}
	began := time.Now()
	gap := time.Duration(2 * floodPuts * floodWriters / o.Rate * float64(time.Second))
	err = each(floodWriters, floodWriters, func(i int) error {
		for k := 0; ; k++ {
			due := time.Duration(k)*gap + gap*time.Duration(i)/floodWriters
			if due.Seconds() >= o.Seconds {
				return nil
			}
			if !pause(ctx, time.Until(began.Add(due))) {
				return ctx.Err()
			}
			if err := all[i].write(ctx); err != nil {
				return err
			}
		}
	})
	took := time.Since(began)
	if err == nil {
		err = tellFlood(all, took)
	}
	<-ended
	return errors.Join(err, each(floodWriters, floodWriters, func(i int) error { return all[i].revoke(ctx) }))
}

// revoke takes away what is left of the flood.
func (f *flooder) revoke(ctx context.Context) error {
	return each(floodSessions, 32, func(i int) error {
		_, err := f.c.Revoke(ctx, f.leases[i])
		return err
	})
}

func tellFlood(all []*flooder, took time.Duration) error {
	r := floodResult{Seconds: took.Seconds()}
	var marks []mark
	for _, f := range all {
		r.Before += f.before
		r.Events += f.events
		marks = append(marks, f.marks...)
	}
	slices.SortFunc(marks, func(a, b mark) int { return int(a.rev - b.rev) })
	for _, m := range marks {
		r.Revs, r.Nanos = append(r.Revs, m.rev), append(r.Nanos, m.at.UnixNano())
	}
	return say(r)
}

// newFlooder connects a client and grants its leases.
func newFlooder(ctx context.Context, endpoint string, n int) (*flooder, error) {
	c, err := dial(ctx, endpoint)
	if err != nil {
		return nil, err
	}
	f := &flooder{c: c, leases: make([]clientv3.LeaseID, floodSessions), keys: make([]string, floodSessions)}
	return f, each(floodSessions, 32, func(i int) error {
		r, err := c.Grant(ctx, leaseTTL)
		if err != nil {
			return fmt.Errorf("grant a lease: %w", err)
		}
		lock := dataset{}.lock((i*floodWriters + n) % floodLocks)
		f.leases[i], f.keys[i] = r.ID, lock+"/"+strconv.FormatInt(int64(r.ID), 16)
		return nil
	})
}

// fill makes the first claims, until as many wait as will all the time.
func (f *flooder) fill(ctx context.Context) error {
	for f.next < floodSessions/2 {
		if err := f.write(ctx); err != nil {
			return err
		}
	}
	f.before, f.events, f.marks = f.events, 0, nil
	return nil
}

// write lets some join and as many leave, in one revision. A value is when it was sent.
func (f *flooder) write(ctx context.Context) error {
	var ops []clientv3.Op
	now := strconv.FormatInt(time.Now().UnixNano(), 10)
	for range floodPuts {
		i := f.next % floodSessions
		ops = append(ops, clientv3.OpPut(f.keys[i], now, clientv3.WithLease(f.leases[i])))
		if old := f.next - floodSessions/2; old >= 0 {
			ops = append(ops, clientv3.OpDelete(f.keys[old%floodSessions]))
		}
		f.next++
	}
	r, err := f.c.Txn(ctx).Then(ops...).Commit()
	if err != nil {
		return err
	}
	f.events += len(ops)
	f.marks = append(f.marks, mark{r.Header.Revision, time.Now()})
	return nil
}

// flood writes events, and returns what was written with the process that did it: its
// end takes the claims away again.
func (e *env) flood(ctx context.Context, endpoint string, rate float64) (floodResult, *child, error) {
	var r floodResult
	c, err := e.start(ctx, floodRole, floodOrder{endpoint, rate, e.o.flood.Seconds()}, 2*patience)
	if err != nil {
		return r, nil, err
	}
	late := time.AfterFunc(2*e.o.flood+patience, func() { _ = c.cmd.Process.Kill() })
	line, err := c.line()
	late.Stop()
	if err == nil {
		err = json.Unmarshal([]byte(line), &r)
	}
	if err != nil {
		return r, nil, errors.Join(err, c.end())
	}
	return r, c, nil
}
