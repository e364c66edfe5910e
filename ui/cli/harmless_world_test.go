package cli

import (
	"context"
	"fmt"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"google.golang.org/grpc"

	"locktop/demo/etcdtest"
)

// member runs an etcd member inside the test and returns its endpoint.
func member(t *testing.T, more ...grpc.ServerOption) string {
	t.Helper()
	e := etcdtest.Member(t, func(c *embed.Config) { c.GRPCAdditionalServerOptions = more })
	t.Cleanup(func() { e.Server.HardStop(); e.Close() })
	return e.Clients[0].Addr().String()
}

// unbound is a client that nothing restricts.
func unbound(t *testing.T, endpoint string) *clientv3.Client {
	t.Helper()
	c, err := dial([]string{endpoint}, 5*time.Second, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// settle fills a server with locks: three of them, with holders and waiters on leases
// of their own. It returns the lease of the first holder.
func settle(t *testing.T, c *clientv3.Client) clientv3.LeaseID {
	t.Helper()
	var first clientv3.LeaseID
	for i := range 9 {
		l, err := c.Grant(within(t), 3600)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = l.ID
		}
		lock := []string{"/locks/orders", "/locks/billing", "/jobs/nightly"}[i/3]
		if _, err := c.Put(within(t), fmt.Sprintf("%s/%x", lock, l.ID), "value", clientv3.WithLease(l.ID)); err != nil {
			t.Fatal(err)
		}
	}
	return first
}

// tries are writes of every kind that a client can do to locks.
var tries = []struct {
	name string
	do   func(context.Context, *clientv3.Client, clientv3.LeaseID) error
}{
	{"Put", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) error {
		_, err := c.Put(ctx, "/locks/orders", "x")
		return err
	}},
	{"LeaseGrant", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) error {
		_, err := c.Grant(ctx, 60)
		return err
	}},
	{"LeaseKeepAlive", func(ctx context.Context, c *clientv3.Client, l clientv3.LeaseID) error {
		_, err := c.KeepAliveOnce(ctx, l)
		return err
	}},
	{"DeleteRange", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) error {
		_, err := c.Delete(ctx, "/locks/billing/", clientv3.WithPrefix())
		return err
	}},
	{"Txn", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) error {
		_, err := c.Txn(ctx).Then(clientv3.OpPut("/jobs/nightly/x", "x")).Commit()
		return err
	}},
	{"LeaseRevoke", func(ctx context.Context, c *clientv3.Client, l clientv3.LeaseID) error {
		_, err := c.Revoke(ctx, l)
		return err
	}},
	{"Compact", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) error {
		_, err := c.Compact(ctx, 3)
		return err
	}},
	{"UserAdd", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) error {
		_, err := c.Auth.UserAdd(ctx, fmt.Sprint("u", time.Now().UnixNano()), "pw")
		return err
	}},
	{"MemberAdd", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) error {
		_, err := c.MemberAddAsLearner(ctx, []string{"http://127.0.0.1:1"})
		return err
	}},
}
