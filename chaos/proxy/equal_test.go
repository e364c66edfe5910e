package proxy

import (
	"context"
	"strings"
	"testing"

	"locktop/chaos"
	"locktop/chaos/chaostest"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
)

// takesBigRequests raises the request limit of a member to 16 MiB.
func takesBigRequests(c *embed.Config) { c.MaxRequestBytes = 16 << 20 }

func put(size int) func(context.Context, *clientv3.Client) error {
	return func(ctx context.Context, c *clientv3.Client) error {
		_, err := c.Put(ctx, "/big", strings.Repeat("x", size))
		return err
	}
}

// What a client does is refused through the proxy exactly as it is directly.
var refusals = []struct {
	name   string
	do     func(context.Context, *clientv3.Client) error
	reason string
}{
	{name: "revoke an unknown lease", reason: "a status of a unary call",
		do: func(ctx context.Context, c *clientv3.Client) error {
			_, err := c.Revoke(ctx, 12345)
			return err
		}},
	{name: "grant an id twice", reason: "the same code as others, told apart by its message",
		do: func(ctx context.Context, c *clientv3.Client) error {
			_, err := clientv3.RetryLeaseClient(c).LeaseGrant(ctx, &pb.LeaseGrantRequest{ID: 7, TTL: 60})
			if err == nil {
				_, err = clientv3.RetryLeaseClient(c).LeaseGrant(ctx, &pb.LeaseGrantRequest{ID: 7, TTL: 60})
			}
			return err
		}},
	{name: "renew an unknown lease", reason: "an answer on a stream that clientv3 turns into an error",
		do: func(ctx context.Context, c *clientv3.Client) error {
			_, err := c.KeepAliveOnce(ctx, 12345)
			return err
		}},
	{name: "watch from a compacted revision", reason: "a stream that the member cancels in a message",
		do: func(ctx context.Context, c *clientv3.Client) error {
			r := <-c.Watch(ctx, "/k", clientv3.WithRev(1))
			return r.Err()
		}},
	{name: "read a compacted revision", reason: "OutOfRange",
		do: func(ctx context.Context, c *clientv3.Client) error {
			_, err := c.Get(ctx, "/k", clientv3.WithRev(1))
			return err
		}},
	{name: "read the future", reason: "OutOfRange, with another message",
		do: func(ctx context.Context, c *clientv3.Client) error {
			_, err := c.Get(ctx, "/k", clientv3.WithRev(1<<40))
			return err
		}},
	{name: "put on an unknown lease", reason: "the error comes from the apply loop",
		do: func(ctx context.Context, c *clientv3.Client) error {
			_, err := c.Put(ctx, "/k", "v", clientv3.WithLease(12345))
			return err
		}},
	{name: "put a key twice in a transaction", reason: "InvalidArgument",
		do: func(ctx context.Context, c *clientv3.Client) error {
			_, err := c.Txn(ctx).Then(clientv3.OpPut("/k", "1"), clientv3.OpPut("/k", "2")).Commit()
			return err
		}},
	{name: "log in without auth", reason: "FailedPrecondition",
		do: func(ctx context.Context, c *clientv3.Client) error {
			_, err := c.Authenticate(ctx, "u", "p")
			return err
		}},
	{name: "more than etcd takes", do: put(1<<20 + 1<<19 + 1), reason: "the limit of etcd, 1.5 MiB"},
	{name: "more than the client sends", do: put(3 << 20), reason: "the limit of clientv3, 2 MiB"},
	{name: "an unknown method", reason: "Unimplemented, with the method's name",
		do: func(ctx context.Context, c *clientv3.Client) error {
			return chaostest.AsUnary(ctx, c.ActiveConnection(), "/etcdserverpb.KV/Nonsense")
		}},
	{name: "a deadline", reason: "it travels to the member as it is",
		do: func(ctx context.Context, c *clientv3.Client) error {
			ctx, cancel := context.WithTimeout(ctx, 1)
			defer cancel()
			_, err := c.Get(ctx, "/k")
			return err
		}},
}

func TestRefusalsAreTheSameThroughTheProxy(t *testing.T) {
	t.Parallel()
	member := compactedMember(t)
	p := startProxy(t, Options{Backends: []string{member}})
	direct, through := chaostest.Dial(t, []string{member}), behind(t, p, "a")
	for _, r := range refusals {
		t.Run(r.name, func(t *testing.T) {
			sameError(t, r.reason, r.do(chaostest.Within(t), direct), r.do(chaostest.Within(t), through))
		})
	}
}

// The member's own limit on what it receives ends the stream before etcd has the
// request, and the client's limit on answers after it.
func TestSizeLimitsAreTheSameThroughTheProxy(t *testing.T) {
	t.Parallel()
	member := chaostest.StartMember(t)
	p := startProxy(t, Options{Backends: []string{member}})
	at, err := p.Listen("a")
	chaostest.Must(t, err)
	limited := func(endpoints []string, send, receive int) *clientv3.Client {
		c, err := chaostest.Connect(clientv3.Config{Endpoints: endpoints,
			MaxCallSendMsgSize: send, MaxCallRecvMsgSize: receive})
		chaostest.Must(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	ctx := chaostest.Within(t)
	direct, through := limited([]string{member}, 32<<20, 64<<20), limited(at, 32<<20, 64<<20)
	sameError(t, "more than the member receives", put(6<<20)(ctx, direct), put(6<<20)(ctx, through))

	chaostest.Must(t, put(1<<20+1<<18)(ctx, through))
	_, want := limited([]string{member}, 1<<18, 1<<19).Get(ctx, "/big")
	_, got := limited(at, 1<<18, 1<<19).Get(ctx, "/big")
	sameError(t, "more than the client receives", want, got)
}

// sameError compares an error of the proxied client with that of the direct one.
func sameError(t *testing.T, reason string, direct, through error) {
	t.Helper()
	if direct == nil || through == nil {
		t.Fatalf("%s: direct %v, through the proxy %v, want two errors", reason, direct, through)
	}
	if chaos.CodeOf(direct) != chaos.CodeOf(through) || direct.Error() != through.Error() {
		t.Errorf("%s: direct %v (%v), through the proxy %v (%v)",
			reason, direct, chaos.CodeOf(direct), through, chaos.CodeOf(through))
	}
}

// compactedMember is a member whose first revisions are compacted.
func compactedMember(t *testing.T) string {
	t.Helper()
	member := chaostest.StartMember(t)
	c := chaostest.Dial(t, []string{member})
	var rev int64
	for range 3 {
		r, err := c.Put(chaostest.Within(t), "/k", "v")
		chaostest.Must(t, err)
		rev = r.Header.Revision
	}
	_, err := c.Compact(chaostest.Within(t), rev)
	chaostest.Must(t, err)
	if _, err := c.Get(chaostest.Within(t), "/k", clientv3.WithRev(1)); chaos.CodeOf(err) != chaos.CodeOf(rpctypes.ErrCompacted) {
		t.Fatalf("reading a compacted revision: %v", err)
	}
	return member
}
