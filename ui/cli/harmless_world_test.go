package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"
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

// bound is the reading connection as the console opens it.
func bound(t *testing.T, endpoint string) *clientv3.Client {
	t.Helper()
	e := &access{config: config{flags: connFlags{endpoints: []string{endpoint}, dialTimeout: 20 * time.Second, commandTimeout: 20 * time.Second}}}
	c, err := e.connect(t.Context())
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

// age waits until a renewal of the lease could be told from none.
func age(t *testing.T, c *clientv3.Client, lease clientv3.LeaseID) {
	t.Helper()
	until(t, "the lease is older than two seconds", func() bool {
		r, err := c.TimeToLive(t.Context(), lease)
		return err == nil && r.TTL <= r.GrantedTTL-3
	})
}

// world is what a server has: everything that a write could change.
type world struct {
	from, to  time.Time // while it was looked at
	text      string
	remaining map[int64]int64
}

func look(t *testing.T, c *clientv3.Client) world {
	t.Helper()
	ctx := within(t)
	kvs, err := c.Get(ctx, "", clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	_, old := c.Get(ctx, "", clientv3.WithPrefix(), clientv3.WithRev(2)) // refused after a compaction
	leases, err := c.Leases(ctx)
	if err != nil {
		t.Fatal(err)
	}
	members, err := c.MemberList(ctx)
	if err != nil {
		t.Fatal(err)
	}
	auth, err := c.AuthStatus(ctx)
	if err != nil {
		t.Fatal(err)
	}
	w := world{from: time.Now(), remaining: map[int64]int64{}}
	var ids []int64
	for _, l := range leases.Leases {
		r, err := c.TimeToLive(ctx, l.ID, clientv3.WithAttachedKeys())
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, int64(l.ID))
		w.remaining[int64(l.ID)] = r.TTL
		w.text += fmt.Sprintf("lease %x: %d s, keys %q\n", l.ID, r.GrantedTTL, r.Keys)
	}
	w.to = time.Now()
	slices.Sort(ids)
	w.text += fmt.Sprintf("revision %d\nkeys %v\nhistory %v\nleases %x\nmembers %v\nauth %v %d\n",
		kvs.Header.Revision, kvs.Kvs, old, ids, members.Members, auth.Enabled, auth.AuthRevision)
	return w
}

// changed says what is not as it was, "" if all is.
func (w world) changed(now world) string {
	passed := int64(now.from.Sub(w.to).Seconds()) // at least, since a lease was read
	for id, left := range now.remaining {
		if was, ok := w.remaining[id]; ok && left > was-passed+1 { // one for the rounding
			return fmt.Sprintf("lease %x was renewed: %d s left, then %d s", id, was, left)
		}
	}
	sorted := func(s string) string {
		lines := strings.Split(s, "\n")
		slices.Sort(lines)
		return strings.Join(lines, "\n")
	}
	if a, b := sorted(w.text), sorted(now.text); a != b {
		return fmt.Sprintf("was\n%s\nis\n%s", a, b)
	}
	return ""
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
