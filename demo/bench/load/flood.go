package load

import (
	"context"
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
	// FloodLocks is on how many locks it comes.
	FloodLocks = 500
)

// FloodOrder says how many events a second, for how long.
type FloodOrder struct {
	Endpoint string
	Rate     float64
	Seconds  float64
}

// Mark is a revision and when it was somewhere.
type Mark struct {
	Rev int64
	At  time.Time
}

// FloodResult is what was written.
type FloodResult struct {
	Before  int // events, of the first claims
	Events  int
	Seconds float64
	Marks   []Mark // the revisions that the writers were told, in their order
}

// RunFlood writes events, and returns what was written with the process that did it:
// its end takes the claims away again.
func RunFlood(ctx context.Context, dir string, o FloodOrder) (r FloodResult, _ *Child, err error) {
	c, err := Start(ctx, dir, Flood, o, 2*Patience)
	if err != nil {
		return r, nil, err
	}
	if err = c.Next(2*time.Duration(o.Seconds*float64(time.Second))+Patience, &r); err != nil {
		return r, nil, errors.Join(err, c.End())
	}
	return r, c, nil
}

// flooder writes as one client.
type flooder struct {
	c      *clientv3.Client
	leases []clientv3.LeaseID
	keys   []string
	next   int
	marks  []Mark
	before int // events, until all wait that ever do
	events int
}

// serveFlood writes as soon as its leases are there and it said so.
func serveFlood(ctx context.Context, o FloodOrder) error {
	life := context.WithoutCancel(ctx) // what is left of it is taken away at the end
	all := make([]*flooder, floodWriters)
	parallel := func(f func(i int) error) error { return each(floodWriters, floodWriters, f) }
	err := parallel(func(i int) error {
		c, err := Dial(life, o.Endpoint)
		if err != nil {
			return err
		}
		all[i] = &flooder{c: c, leases: make([]clientv3.LeaseID, floodSessions), keys: make([]string, floodSessions)}
		return all[i].fill(ctx, i)
	})
	defer func() {
		for _, f := range all {
			if f != nil {
				_ = f.c.Close()
			}
		}
	}()
	if err != nil {
		return err
	}
	if err := say("ready"); err != nil {
		return err
	}
	began := time.Now()
	gap := time.Duration(2 * floodPuts * floodWriters / o.Rate * float64(time.Second))
	err = parallel(func(i int) error {
		for k := 0; ; k++ {
			due := time.Duration(k)*gap + gap*time.Duration(i)/floodWriters
			if due.Seconds() >= o.Seconds {
				return nil
			}
			if !Pause(ctx, time.Until(began.Add(due))) {
				return ctx.Err()
			}
			if err := all[i].write(ctx); err != nil {
				return err
			}
		}
	})
	if err == nil {
		err = tellFlood(all, time.Since(began))
	}
	<-ctx.Done()
	return errors.Join(err, parallel(func(i int) error {
		return each(floodSessions, 32, func(n int) error {
			_, err := all[i].c.Revoke(life, all[i].leases[n])
			return err
		})
	}))
}

func tellFlood(all []*flooder, took time.Duration) error {
	r := FloodResult{Seconds: took.Seconds()}
	for _, f := range all {
		r.Before += f.before
		r.Events += f.events
		r.Marks = append(r.Marks, f.marks...)
	}
	slices.SortFunc(r.Marks, func(a, b Mark) int { return int(a.Rev - b.Rev) })
	return say(r)
}

// fill grants the leases of writer n and makes the first claims, until as many wait as
// will all the time.
func (f *flooder) fill(ctx context.Context, n int) error {
	err := each(floodSessions, 32, func(i int) error {
		r, err := f.c.Grant(ctx, LeaseTTL)
		if err != nil {
			return fmt.Errorf("grant a lease: %w", err)
		}
		f.leases[i], f.keys[i] = r.ID, Key((i*floodWriters+n)%FloodLocks, int64(r.ID))
		return nil
	})
	for err == nil && f.next < floodSessions/2 {
		err = f.write(ctx)
	}
	f.before, f.events, f.marks = f.events, 0, nil
	return err
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
	f.marks = append(f.marks, Mark{r.Header.Revision, time.Now()})
	return nil
}

// Lag is how long ago a value was written; false if no flood wrote it.
func Lag(value string) (time.Duration, bool) {
	sent, err := strconv.ParseInt(value, 10, 64)
	return time.Since(time.Unix(0, sent)), err == nil
}
