package main

import (
	"context"
	"fmt"
	"net/url"
	"os"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"golang.org/x/sync/errgroup"

	"locktop/demo/process"
)

// A process of this program may take locks: the environment says how many, and for how many nanoseconds.
const crowdEnv = "LOCKTOP_BENCH_CROWD"

// dataset is what a server holds: so many locks, and so many claims of each.
type dataset struct {
	Locks, Claims int
	OneLease      bool // that all claims hang on; otherwise each has its own
	Sync          bool // the server waits for its disk, which a proxy's peer does, too
}

// spent is what a server holds that no row may use again.
var spent = dataset{Locks: -1}

const (
	prefix    = "/bench/"          // of all locks
	leaseTTL  = 24 * 60 * 60       // so long that nothing happens to a lease
	leaseBase = 0x694d81e5fc650000 // the first lease
	fillTxn   = 100                // claims that are made in a revision, of as many locks
)

// lease is that of a claim of a lock. The first claim is the holder.
func (d dataset) lease(lock, claim int) int64 {
	if d.OneLease {
		return leaseBase
	}
	return leaseBase + int64(claim*d.Locks+lock)
}

func claimKey(lock int, lease int64) string {
	return fmt.Sprintf("%slock-%06d/%x", prefix, lock, lease)
}

// server is a member with its data, in this process.
type server struct {
	data     dataset
	endpoint string
	etcd     *embed.Etcd
	free     func() // gives up its ports
}

// startServer starts a member and returns when the data is there.
func startServer(ctx context.Context, dir string, d dataset) (_ *server, err error) {
	if dir, err = os.MkdirTemp(dir, "member-"); err != nil {
		return nil, err
	}
	s := &server{data: d}
	s.free, err = process.StartOnPorts(2, func([]string, error) {}, func(addrs []string) (err error) {
		cfg := embed.NewConfig()
		cfg.Dir, cfg.UnsafeNoFsync, cfg.QuotaBackendBytes = dir, !d.Sync, 8<<30
		cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
		client, peer := url.URL{Scheme: "http", Host: addrs[0]}, url.URL{Scheme: "http", Host: addrs[1]}
		cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
		cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
		cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
		s.etcd, err = embed.StartEtcd(cfg)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	s.endpoint = s.etcd.Clients[0].Addr().String()
	select {
	case <-s.etcd.Server.ReadyNotify():
		err = fill(ctx, s.etcd, d)
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		s.end()
		return nil, fmt.Errorf("fill the server: %w", err)
	}
	return s, nil
}

func (s *server) end() {
	s.etcd.Server.HardStop() // without it, Close waits for clients that are gone
	s.etcd.Close()
	s.free()
	_ = os.RemoveAll(s.etcd.Config().Dir)
}

// fill makes the claims, within the process: a client would take far longer. All holders come first.
func fill(ctx context.Context, e *embed.Etcd, d dataset) error {
	leases := d.Locks * d.Claims
	if d.OneLease {
		leases = min(leases, 1)
	}
	err := each(ctx, leases, 256, func(ctx context.Context, i int) error {
		_, err := e.Server.LeaseGrant(ctx, &pb.LeaseGrantRequest{ID: leaseBase + int64(i), TTL: leaseTTL})
		return err
	})
	for c := 0; c < d.Claims && err == nil; c++ {
		err = each(ctx, (d.Locks+fillTxn-1)/fillTxn, 256, func(ctx context.Context, i int) error {
			txn := &pb.TxnRequest{}
			for l := i * fillTxn; l < min(d.Locks, (i+1)*fillTxn); l++ {
				lease := d.lease(l, c)
				txn.Success = append(txn.Success, &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: &pb.PutRequest{
					Key: []byte(claimKey(l, lease)), Lease: lease}}})
			}
			_, err := e.Server.Txn(ctx, txn)
			return err
		})
	}
	return err
}

// each calls f for 0 to n-1, so many at a time, until one fails.
func each(ctx context.Context, n, atOnce int, f func(ctx context.Context, i int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(atOnce)
	for i := 0; i < n && ctx.Err() == nil; i++ {
		g.Go(func() error { return f(ctx, i) })
	}
	return g.Wait()
}
