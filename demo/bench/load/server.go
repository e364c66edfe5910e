package load

import (
	"context"
	"fmt"
	"net/url"
	"os"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"

	"locktop/demo/ports"
)

// Dataset is what a server holds: so many locks, and so many claims of each. It waits
// for its disk only with Sync, which is where that is part of what is compared.
type Dataset struct {
	Locks, Claims int
	Sync          bool
}

func (d Dataset) total() int { return d.Locks * d.Claims }

const (
	// Prefix is that of all locks.
	Prefix = "/bench/"
	// LeaseTTL is so long that nothing happens to a lease.
	LeaseTTL = 24 * 60 * 60
	// leaseBase is the first lease; a claim has one of its own.
	leaseBase = 0x694d81e5fc650000
	// fillTxn is how many claims are made in a revision, of as many locks.
	fillTxn    = 100
	fillAtOnce = 256
)

// Lease is that of the claim c of a lock. Heads have c = 0.
func (d Dataset) Lease(lock, c int) int64 { return leaseBase + int64(c*d.Locks+lock) }

// Lock is the name of a lock.
func Lock(i int) string { return fmt.Sprintf("%slock-%06d", Prefix, i) }

// Key is that of a claim.
func Key(lock int, lease int64) string { return fmt.Sprintf("%s/%x", Lock(lock), lease) }

// serveEtcd runs one member with the data in it.
func serveEtcd(ctx context.Context, d Dataset) error {
	dir, err := os.MkdirTemp("", "member-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	e, free, err := startEtcd(dir, d.Sync)
	if err != nil {
		return err
	}
	defer free()
	defer e.Close()
	defer e.Server.HardStop() // without it, Close waits for clients that are gone
	select {
	case <-e.Server.ReadyNotify():
	case <-ctx.Done():
		return nil
	}
	if err := fill(ctx, e, d); err != nil {
		return fmt.Errorf("fill: %w", err)
	}
	return serveAt(ctx, e.Clients[0].Addr().String())
}

// startEtcd starts a member, on other ports if somebody was quicker to take the first.
// The ports are its own until free is called.
func startEtcd(dir string, sync bool) (e *embed.Etcd, free func(), err error) {
	free, err = ports.Start(2, func(why string) { fmt.Fprintln(os.Stderr, why) }, func(addrs []string) (err error) {
		cfg := embed.NewConfig()
		cfg.Dir, cfg.UnsafeNoFsync = dir, !sync
		cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
		cfg.QuotaBackendBytes = 8 << 30
		client, peer := url.URL{Scheme: "http", Host: addrs[0]}, url.URL{Scheme: "http", Host: addrs[1]}
		cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
		cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
		cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
		e, err = embed.StartEtcd(cfg)
		return err
	})
	return e, free, err
}

// fill makes the claims, within the process: a client would take far longer. All heads
// come first.
func fill(ctx context.Context, e *embed.Etcd, d Dataset) error {
	err := each(d.total(), fillAtOnce, func(i int) error {
		_, err := e.Server.LeaseGrant(ctx, &pb.LeaseGrantRequest{ID: leaseBase + int64(i), TTL: LeaseTTL})
		return err
	})
	if err != nil || d.total() == 0 {
		return err
	}
	if d.Locks == 1 {
		return each(d.Claims, fillAtOnce, func(c int) error { return fillSome(ctx, e, d, c, 0, 1) })
	}
	for c := range d.Claims {
		parts := (d.Locks + fillTxn - 1) / fillTxn
		err := each(parts, fillAtOnce, func(i int) error { return fillSome(ctx, e, d, c, i*fillTxn, min(d.Locks, (i+1)*fillTxn)) })
		if err != nil {
			return err
		}
	}
	return nil
}

// fillSome makes the claim c of some locks in one revision.
func fillSome(ctx context.Context, e *embed.Etcd, d Dataset, c, from, to int) error {
	txn := &pb.TxnRequest{}
	for l := from; l < to; l++ {
		lease := d.Lease(l, c)
		txn.Success = append(txn.Success, &pb.RequestOp{Request: &pb.RequestOp_RequestPut{RequestPut: &pb.PutRequest{
			Key: []byte(Key(l, lease)), Lease: lease}}})
	}
	_, err := e.Server.Txn(ctx, txn)
	return err
}
