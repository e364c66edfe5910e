//go:build slow

package watcher

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3election/v3electionpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
)

// TestThreads makes what three open threads of etcd tell happen, with etcd's client for
// Go and servers of each release, and holds the lines of DRILLS.md against it.
func TestThreads(t *testing.T) {
	rows := []struct {
		thread   int
		reason   string
		see      func(t *testing.T, minor string) string
		releases []string
		want     string
	}{
		{21128, "the context of a waiting `Campaign` ends", contextEnds, releases,
			"`Campaign` returns *context canceled*, its key is gone"},
		{21128, "a waiting `Campaign` loses its connection, and the revision it waits from is compacted meanwhile", compactedWhileAway, releases,
			"`Campaign` returns *required revision has been compacted*, its key stays and is renewed, and it leads once the leader resigns; `Resign` returns nil and deletes nothing; the key is gone when the session is closed"},
		{17623, "a `Campaign` of `concurrency` waits for longer than a token lives without use", tokenEndsInClient, releases,
			"`Campaign` returns nil, its key is first"},
		{17623, "the token of a waiting `Campaign` of the election service ends before its turn, and the client does not log in by itself", tokenEndsInService, releases,
			"`Campaign` returns *invalid auth token*, its key stays first as long as the lease is renewed"},
		{20221, "a watch from a later revision than the member has is asked for its progress, and connects again", futureOfOne, releases[:1],
			"a progress is told below the revision that was asked for, and after it older events"},
		{20221, "the same on a member that lags behind the others", futureOfLagging, releases[:1],
			"a progress is told below the revision that was asked for, and after it older events"},
		{20221, "a watch from a later revision than the member has is asked for its progress, and connects again", futureOfOne, releases[1:],
			"no progress is told, and the first event is the one that was asked for"},
		{20221, "the same on a member that lags behind the others", futureOfLagging, releases[3:],
			"no progress is told, and the first event is the one that was asked for"},
	}
	page := string(must[[]byte](t)(os.ReadFile("../demo/DRILLS.md")))
	for _, r := range rows {
		if line := fmt.Sprintf("| #%d | %s | %s | %s |", r.thread, r.reason, strings.Join(r.releases, ", "), r.want); !strings.Contains(page, line) {
			t.Errorf("DRILLS.md does not say: %s", line)
		}
		for _, minor := range r.releases {
			t.Run(fmt.Sprintf("%d/%s/%s", r.thread, r.reason, minor), func(t *testing.T) {
				t.Parallel()
				if got := r.see(t, minor); got != r.want {
					t.Errorf("%s: seen on %s:\n%s\nwant:\n%s", r.reason, minor, got, r.want)
				}
			})
		}
	}
}

// election is that of a leader, a, and of b, who waits behind it.
type election struct {
	t          *testing.T
	root       *clientv3.Client
	a, b       *concurrency.Election
	ofB        *concurrency.Session
	campaigned chan error // the answer to b
}

const (
	electionTTL = 3 // of the leases, in seconds
	beyondTTL   = 5 * time.Second
)

// elect returns when the key of b is there, b being a client of its own.
func elect(ctx context.Context, t *testing.T, root, client *clientv3.Client) *election {
	t.Helper()
	e := &election{t: t, root: root, campaigned: make(chan error, 1)}
	e.lead(ctx)
	e.ofB = must[*concurrency.Session](t)(concurrency.NewSession(client, concurrency.WithTTL(electionTTL)))
	e.b = concurrency.NewElection(e.ofB, "app")
	go func() { e.campaigned <- e.b.Campaign(ctx, "b") }()
	e.until("a b")
	return e
}

// lead makes a the leader.
func (e *election) lead(ctx context.Context) {
	e.t.Helper()
	session := must[*concurrency.Session](e.t)(concurrency.NewSession(e.root, concurrency.WithTTL(electionTTL)))
	e.a = concurrency.NewElection(session, "app")
	if err := e.a.Campaign(ctx, "a"); err != nil {
		e.t.Fatal(err)
	}
}

// queue is who has a key, the first one first.
func (e *election) queue() string {
	e.t.Helper()
	all := must[*clientv3.GetResponse](e.t)(e.root.Get(context.Background(), "app/", clientv3.WithPrefix(),
		clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortAscend)))
	var who []string
	for _, kv := range all.Kvs {
		who = append(who, string(kv.Value))
	}
	return strings.Join(who, " ")
}

func (e *election) until(want string) {
	e.t.Helper()
	for end := time.Now().Add(deadline); e.queue() != want; {
		if time.Now().After(end) {
			e.t.Fatalf("the queue is %q, want %q", e.queue(), want)
		}
	}
}

// answer is what Campaign returned to b.
func (e *election) answer() error {
	e.t.Helper()
	select {
	case err := <-e.campaigned:
		return err
	case <-time.After(deadline):
		e.t.Fatalf("b still waits, the queue is %q", e.queue())
		return nil
	}
}

// says is an error without what names its kind.
func says(err error) string {
	if err == nil {
		return "returns nil"
	}
	for err := err; err != nil; err = errors.Unwrap(err) {
		if errors.Is(err, context.Canceled) {
			return "returns *context canceled*"
		}
	}
	at := strings.LastIndex(err.Error(), ": ")
	return "returns *" + err.Error()[at+1+min(1, max(0, at)):] + "*"
}

func contextEnds(t *testing.T, minor string) string {
	p, addr := newProcess(t, minor, "http")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	root := p.connect(clientv3.Config{Endpoints: []string{addr}})
	e := elect(context.Background(), t, root, root)
	// Campaign knows of its key, and waits, once it asks who stands before it.
	asks := make(chan struct{}, 1)
	third := p.connect(clientv3.Config{Endpoints: []string{addr}, DialOptions: []grpc.DialOption{grpc.WithChainUnaryInterceptor(
		func(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			if strings.HasSuffix(method, "/Range") {
				select {
				case asks <- struct{}{}:
				default:
				}
			}
			return next(ctx, method, req, reply, conn, opts...)
		})}})
	c := concurrency.NewElection(must[*concurrency.Session](t)(concurrency.NewSession(third, concurrency.WithTTL(electionTTL))), "app")
	e.campaigned = make(chan error, 1)
	go func() { e.campaigned <- c.Campaign(ctx, "c") }()
	e.until("a b c")
	select {
	case <-asks:
	case <-time.After(deadline):
		t.Fatal("c does not ask who stands before it")
	}
	cancel()
	err := e.answer()
	if q := e.queue(); q != "a b" {
		return "the queue is " + q
	}
	return "`Campaign` " + says(err) + ", its key is gone"
}

func compactedWhileAway(t *testing.T, minor string) string {
	p, addr := newProcess(t, minor, "http")
	root := p.connect(clientv3.Config{Endpoints: []string{addr}})
	wire := newCable(t, addr)
	ctx := context.Background()
	e := elect(ctx, t, root, p.connect(clientv3.Config{Endpoints: []string{wire.addr()}}))
	var err error
	for round := 0; ; round++ { // the watch of b may not have begun in the first one
		put := must[*clientv3.PutResponse](t)(root.Put(ctx, "other", "x"))
		if err := second(root.Compact(ctx, put.Header.Revision)); err != nil {
			t.Fatal(err)
		}
		wire.set(true)
		wire.set(false)
		select {
		case err = <-e.campaigned:
		case <-time.After(2 * time.Second):
			if round < 5 {
				continue
			}
			t.Fatal("b still waits")
		}
		break
	}
	return "`Campaign` " + says(err) + e.left()
}

// left is what becomes of the key of b, to which Campaign has answered with an error.
func (e *election) left() string {
	e.t.Helper()
	time.Sleep(beyondTTL) // a lease that nobody renews ends
	if err := e.a.Resign(context.Background()); err != nil {
		e.t.Fatal(err)
	}
	if q := e.queue(); q != "b" {
		return fmt.Sprintf(", the queue is %q", q)
	}
	s := ", its key stays and is renewed, and it leads once the leader resigns"
	err := e.b.Resign(context.Background())
	if e.queue() != "b" {
		return s + "; `Resign` " + says(err) + " and deletes the key"
	}
	s += "; `Resign` " + says(err) + " and deletes nothing"
	if err := e.ofB.Close(); err != nil || e.queue() != "" {
		return fmt.Sprintf("%s; the session closes (%v), the queue is %q", s, err, e.queue())
	}
	return s + "; the key is gone when the session is closed"
}

// shortTokens starts a server whose tokens end after a second without use.
func shortTokens(t *testing.T, minor string) (root, b *clientv3.Client, addr string) {
	p, addr := newProcess(t, minor, "http", "--auth-token-ttl", "1")
	authOn(t, p.connect(clientv3.Config{Endpoints: []string{addr}}), "")
	cfg := clientv3.Config{Endpoints: []string{addr}, Username: "root", Password: "pw of root"}
	return p.connect(cfg), p.connect(cfg), addr
}

func tokenEndsInClient(t *testing.T, minor string) string {
	root, b, _ := shortTokens(t, minor)
	e := elect(context.Background(), t, root, b)
	time.Sleep(beyondTTL)
	if err := e.a.Resign(context.Background()); err != nil {
		t.Fatal(err)
	}
	if err, q := e.answer(), e.queue(); err != nil || q != "b" {
		return fmt.Sprintf("`Campaign` %s, the queue is %q", says(err), q)
	}
	return "`Campaign` returns nil, its key is first"
}

func tokenEndsInService(t *testing.T, minor string) string {
	root, b, addr := shortTokens(t, minor)
	ctx := context.Background()
	e := &election{t: t, root: root, campaigned: make(chan error, 1)}
	e.lead(ctx)
	lease := must[*concurrency.Session](t)(concurrency.NewSession(b, concurrency.WithTTL(electionTTL)))
	conn := must[*grpc.ClientConn](t)(grpc.NewClient(addr, grpc.WithTransportCredentials(insecure.NewCredentials())))
	t.Cleanup(func() { _ = conn.Close() })
	login := must[*pb.AuthenticateResponse](t)(pb.NewAuthClient(conn).Authenticate(ctx, &pb.AuthenticateRequest{Name: "root", Password: "pw of root"}))
	go func() {
		_, err := v3electionpb.NewElectionClient(conn).Campaign(metadata.AppendToOutgoingContext(ctx, "token", login.Token),
			&v3electionpb.CampaignRequest{Name: []byte("app"), Lease: int64(lease.Lease()), Value: []byte("b")})
		e.campaigned <- err
	}()
	e.until("a b")
	time.Sleep(beyondTTL)
	if err := e.a.Resign(ctx); err != nil {
		t.Fatal(err)
	}
	s := "`Campaign` " + says(e.answer())
	time.Sleep(beyondTTL)
	if q := e.queue(); q != "b" {
		return s + ", the queue is " + q
	}
	return s + ", its key stays first as long as the lease is renewed"
}

func futureOfOne(t *testing.T, minor string) string {
	p, addr := newProcess(t, minor, "http")
	root := p.connect(clientv3.Config{Endpoints: []string{addr}})
	now := must[*clientv3.PutResponse](t)(root.Put(context.Background(), "w", "0")).Header.Revision
	return future(t, root, p, addr, now+3, func() {})
}

func futureOfLagging(t *testing.T, minor string) string {
	c := newTrio(t, minor)
	slow := (c.leader() + 1) % 3
	others := slices.Delete(slices.Clone(c.addrs[:]), slow, slow+1)
	root := c.nodes[(slow+1)%3].connect(clientv3.Config{Endpoints: others})
	c.lag(slow, true)
	now := must[*clientv3.PutResponse](t)(root.Put(context.Background(), "w", "0")).Header.Revision
	return future(t, root, c.nodes[slow], c.addrs[slow], now+3, func() { c.lag(slow, false) })
}

// future watches a member from a revision that is three puts away, until the first event.
func future(t *testing.T, root *clientv3.Client, p *process, addr string, from int64, goOn func()) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	wire := newCable(t, addr)
	b := p.connect(clientv3.Config{Endpoints: []string{wire.addr()}})
	events := b.Watch(ctx, "w", clientv3.WithRev(from), clientv3.WithCreatedNotify())
	if r := <-events; !r.Created {
		t.Fatalf("%+v", r)
	}
	if err := b.RequestProgress(ctx); err != nil {
		t.Fatal(err)
	}
	s := "no progress is told"
	select {
	case r := <-events:
		s = "a progress is told below the revision that was asked for"
		if !r.IsProgressNotify() || r.Header.Revision >= from {
			t.Fatalf("%+v", r)
		}
	case <-time.After(2 * time.Second):
	}
	wire.set(true)
	wire.set(false)
	goOn()
	for range 4 {
		if err := second(root.Put(ctx, "w", "x")); err != nil {
			t.Fatal(err)
		}
	}
	r := <-events
	if len(r.Events) == 0 {
		t.Fatalf("%+v: %v", r, r.Err())
	}
	switch first := r.Events[0].Kv.ModRevision; {
	case first < from:
		return s + ", and after it older events"
	case first > from:
		return s + ", and an event is missing"
	}
	return s + ", and the first event is the one that was asked for"
}
