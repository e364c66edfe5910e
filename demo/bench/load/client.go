package load

import (
	"context"
	"math"
	"slices"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"
)

// Dial connects a client.
func Dial(ctx context.Context, endpoints ...string) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop(), Context: ctx, DialTimeout: Patience})
}

// Pause waits, and says whether ctx still lives.
func Pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// each calls f for 0 to n-1, so many at a time, until one fails.
func each(n, atOnce int, f func(i int) error) error {
	g, ctx := errgroup.WithContext(context.Background())
	g.SetLimit(atOnce)
	for i := 0; i < n && ctx.Err() == nil; i++ {
		g.Go(func() error { return f(i) })
	}
	return g.Wait()
}

// Quantile returns the least of the values that this share of them does not exceed, in
// milliseconds, 0 if there are none. It sorts them.
func Quantile(v []time.Duration, share float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return Milliseconds(v[max(int(math.Ceil(share*float64(len(v))))-1, 0)])
}

// Milliseconds is a duration as a figure.
func Milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
