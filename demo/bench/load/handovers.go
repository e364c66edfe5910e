package load

import (
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// HandoverOrder says how often a lock of a dataset with two claims a lock changes hands.
type HandoverOrder struct {
	Endpoint string
	Data     Dataset
	Rate     float64 // a second, over all locks
}

// serveHandovers lets the holder of one lock after another let go and queue again, until its
// standard input ends.
func serveHandovers(ctx context.Context, o HandoverOrder) error {
	if o.Data.Claims != 2 {
		return fmt.Errorf("two claims a lock take turns, not %d", o.Data.Claims)
	}
	c, err := Dial(context.WithoutCancel(ctx), o.Endpoint)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := Say("ready"); err != nil {
		return err
	}
	began := time.Now()
	for n := 0; Pause(ctx, time.Until(began.Add(time.Duration(float64(n)/o.Rate*float64(time.Second))))); n++ {
		lock := n % o.Data.Locks
		lease := o.Data.Lease(lock, n/o.Data.Locks%2)
		key := Key(lock, lease)
		if _, err := c.Delete(ctx, key); err != nil && ctx.Err() == nil {
			return err
		}
		if _, err := c.Put(context.WithoutCancel(ctx), key, "", clientv3.WithLease(clientv3.LeaseID(lease))); err != nil {
			return err
		}
	}
	return nil
}

// serveBare watches the locks with etcd's client as it is, and does nothing with what comes,
// until its standard input ends.
func serveBare(ctx context.Context, endpoint string) error {
	c, err := Dial(context.WithoutCancel(ctx), endpoint)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := Say("ready"); err != nil {
		return err
	}
	for r := range c.Watch(ctx, Prefix, clientv3.WithPrefix()) {
		if err := r.Err(); err != nil && ctx.Err() == nil {
			return fmt.Errorf("watch: %w", err)
		}
	}
	return nil
}
