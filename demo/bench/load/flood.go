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

// serveFlood writes as soon as all wait that ever do and it said so.
func serveFlood(ctx context.Context, o FloodOrder) error {
	life := context.WithoutCancel(ctx) // what is left of it is taken away at the end
	c, err := Dial(life, o.Endpoint)
	if err != nil {
		return err
	}
	defer c.Close()
	all := make([]*flooder, floodWriters)
	parallel := func(f func(i int) error) error { return each(floodWriters, floodWriters, f) }
	if err := parallel(func(i int) error {
		all[i] = &flooder{c: c}
		return all[i].fill(ctx, i)
	}); err != nil {
		return err
	}
	if err := Say("ready"); err != nil {
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
		r := FloodResult{Before: floodWriters * floodSessions / 2, Seconds: time.Since(began).Seconds()}
		for _, f := range all {
			r.Marks = append(r.Marks, f.marks...)
		}
		r.Events = 2 * floodPuts * len(r.Marks)
		slices.SortFunc(r.Marks, func(a, b Mark) int { return int(a.Rev - b.Rev) })
		err = Say(r)
	}
	<-ctx.Done()
	return errors.Join(err, parallel(func(i int) error {
		return each(floodSessions, 32, func(n int) error {
			_, err := c.Revoke(life, all[i].leases[n])
			return err
		})
	}))
}

// flooder is one writer.
type flooder struct {
	c      *clientv3.Client
	leases [floodSessions]clientv3.LeaseID
	keys   [floodSessions]string
	next   int
	marks  []Mark
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
	f.marks = nil
	return err
}

// write lets some join and, once as many wait as will, as many leave, in one revision.
// A value is when it was sent.
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
	if err == nil {
		f.marks = append(f.marks, Mark{r.Header.Revision, time.Now()})
	}
	return err
}

// Lag is how long ago a value was written; false if no flood wrote it.
func Lag(value string) (time.Duration, bool) {
	sent, err := strconv.ParseInt(value, 10, 64)
	return time.Since(time.Unix(0, sent)), err == nil
}
