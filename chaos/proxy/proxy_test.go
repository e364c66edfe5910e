package proxy

import (
	"context"
	"errors"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"google.golang.org/grpc/codes"

	"github.com/google/go-cmp/cmp"

	"locktop/chaos"
	"locktop/chaos/chaostest"
	"locktop/demo/etcdtest"
	"locktop/demo/labtest"
	"locktop/model"
)

// unanswered is how long a client waits for an answer that does not come: enough for
// its request to get to the member, also on a machine that is busy.
const unanswered = 3 * time.Second

func TestMain(m *testing.M) {
	labtest.WaitTogether()
	goleak.VerifyTestMain(m)
}

// startProxy runs a proxy until the test ends.
func startProxy(t testing.TB, o Options) *Proxy {
	t.Helper()
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// behind returns a client with listeners of its own.
func behind(t testing.TB, p *Proxy, name string) *clientv3.Client {
	t.Helper()
	at, err := p.Listen(name)
	if err != nil {
		t.Fatal(err)
	}
	return chaostest.Dial(t, at)
}

func openSession(t testing.TB, c *clientv3.Client, ttl int) *concurrency.Session {
	t.Helper()
	s, err := concurrency.NewSession(c, concurrency.WithTTL(ttl), concurrency.WithContext(chaostest.Within(t)))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestProxyCarriesMutexOfTwoClients(t *testing.T) {
	t.Parallel()
	p := startProxy(t, Options{Backends: []string{chaostest.StartMember(t)}})
	ctx := chaostest.Within(t)
	a := concurrency.NewMutex(openSession(t, behind(t, p, "a"), 60), "/lock")
	b := concurrency.NewMutex(openSession(t, behind(t, p, "b"), 60), "/lock")
	chaostest.Must(t, a.Lock(ctx))
	if err := b.TryLock(ctx); !errors.Is(err, concurrency.ErrLocked) {
		t.Fatalf("b tries while a holds: %v, want ErrLocked", err)
	}
	got := make(chan error, 1)
	go func() { got <- b.Lock(ctx) }()
	chaostest.Must(t, a.Unlock(ctx))
	chaostest.Must(t, <-got)
	chaostest.Must(t, b.Unlock(ctx))
}

func TestProxyCarriesElectionAndItsWatch(t *testing.T) {
	t.Parallel()
	p := startProxy(t, Options{Backends: []string{chaostest.StartMember(t)}})
	ctx := chaostest.Within(t)
	c := behind(t, p, "a")
	e := concurrency.NewElection(openSession(t, c, 60), "/election")
	seen := concurrency.NewElection(openSession(t, chaostest.Dial(t, p.Shared()), 60), "/election").Observe(ctx)
	chaostest.Must(t, e.Campaign(ctx, "one"))
	if r := <-seen; string(r.Kvs[0].Value) != "one" {
		t.Errorf("observed %q, want one", r.Kvs[0].Value)
	}
	chaostest.Must(t, e.Proclaim(ctx, "two"))
	if r := <-seen; string(r.Kvs[0].Value) != "two" {
		t.Errorf("observed %q, want two", r.Kvs[0].Value)
	}
	chaostest.Must(t, e.Resign(ctx))
}

func TestProxyCarriesValuesBeyondTheDefaultsOfGRPC(t *testing.T) {
	t.Parallel()
	p := startProxy(t, Options{Backends: []string{chaostest.StartMember(t, takesBigRequests)}})
	at, err := p.Listen("a")
	chaostest.Must(t, err)
	c, err := chaostest.Connect(clientv3.Config{Endpoints: at, MaxCallSendMsgSize: 32 << 20})
	chaostest.Must(t, err)
	defer c.Close()
	big := strings.Repeat("x", 6<<20) // grpc-go receives 4 MiB by default
	_, err = c.Put(chaostest.Within(t), "/big", big)
	chaostest.Must(t, err)
	r, err := c.Get(chaostest.Within(t), "/big")
	chaostest.Must(t, err)
	if string(r.Kvs[0].Value) != big {
		t.Errorf("got %d bytes back, want %d", len(r.Kvs[0].Value), len(big))
	}
}

func TestProxyTellsWhoOwnsALease(t *testing.T) {
	t.Parallel()
	at := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	var mu sync.Mutex
	var reports []model.Event
	member := chaostest.StartMember(t)
	p := startProxy(t, Options{Backends: []string{member},
		Now: func() time.Time { return at },
		Report: func(e model.Event) {
			mu.Lock()
			defer mu.Unlock()
			if _, ok := e.(model.LeaseOwner); ok {
				reports = append(reports, e)
			}
		}})
	ctx := chaostest.Within(t)
	a, foreign := behind(t, p, "a"), chaostest.Dial(t, p.Shared())
	g, err := a.Grant(ctx, 60)
	chaostest.Must(t, err)
	for range 2 { // the second is no news
		_, err = a.KeepAliveOnce(ctx, g.ID)
		chaostest.Must(t, err)
	}
	_, err = foreign.KeepAliveOnce(ctx, g.ID) // a guess against certainty: no news
	chaostest.Must(t, err)
	f, err := foreign.Grant(ctx, 60)
	chaostest.Must(t, err)
	_, err = a.KeepAliveOnce(ctx, f.ID) // certain against a guess
	chaostest.Must(t, err)

	mu.Lock()
	defer mu.Unlock()
	if len(reports) != 4 {
		t.Fatalf("%d reports, want 4: %v", len(reports), reports)
	}
	address := reports[2].(model.LeaseOwner).Name
	if host, _, err := net.SplitHostPort(address); err != nil || host != "127.0.0.1" {
		t.Errorf("the foreign client is called %q, want an address", address)
	}
	sure := model.Client{Name: "a", Certain: true}
	want := []model.Event{
		model.LeaseOwner{At: at, Lease: model.LeaseID(g.ID), Client: sure, Member: member},
		model.LeaseOwner{At: at, Lease: model.LeaseID(g.ID), Client: sure, Member: member, Renews: true},
		model.LeaseOwner{At: at, Lease: model.LeaseID(f.ID), Client: model.Client{Name: address}, Member: member},
		model.LeaseOwner{At: at, Lease: model.LeaseID(f.ID), Client: sure, Member: member, Renews: true},
	}
	if d := cmp.Diff(want, reports); d != "" {
		t.Errorf("reports (-want +got):\n%s", d)
	}
}

func TestProxyNamesThePortThatIsTaken(t *testing.T) {
	t.Parallel()
	// The second of two consecutive ports is taken; look for such a pair.
	for range 50 {
		first := port(t, etcdtest.Nobody(t))
		taken, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(first+1)))
		if err != nil {
			continue
		}
		defer taken.Close()
		_, err = New(Options{Backends: []string{"127.0.0.1:1", "127.0.0.1:1"}, SharedPort: first})
		if err == nil || !strings.Contains(err.Error(), "port "+strconv.Itoa(first+1)) {
			t.Fatalf("error %v, want one that names port %d", err, first+1)
		}
		// The first one was closed again.
		again, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(first)))
		chaostest.Must(t, err)
		chaostest.Must(t, again.Close())
		return
	}
	t.Fatal("no two consecutive ports are free")
}

func port(t *testing.T, address string) int {
	t.Helper()
	_, s, err := net.SplitHostPort(address)
	chaostest.Must(t, err)
	n, err := strconv.Atoi(s)
	chaostest.Must(t, err)
	return n
}

func TestProxyListensForAClientOnce(t *testing.T) {
	t.Parallel()
	p := startProxy(t, Options{Backends: []string{"127.0.0.1:1", "127.0.0.1:2"}})
	at, err := p.Listen("a")
	chaostest.Must(t, err)
	if len(at) != 2 || len(p.Shared()) != 2 {
		t.Errorf("%d and %d listeners for two members", len(at), len(p.Shared()))
	}
	if _, err := p.Listen("a"); !errors.Is(err, errClientTaken) {
		t.Errorf("a second a: %v, want ErrClientTaken", err)
	}
	if err := p.Inject(keepalivesOf("b")); !errors.Is(err, errNoClient) {
		t.Errorf("holding b: %v, want ErrNoClient", err)
	}
	chaostest.Must(t, p.Inject(keepalivesOf("a")))
	p.Forget("a")
	if len(p.Faults()) > 0 {
		t.Error("a is held though it was forgotten")
	}
	if _, err := net.Dial("tcp", at[0]); err == nil {
		t.Error("a's listener is open though it was forgotten")
	}
	_, err = p.Listen("a")
	chaostest.Must(t, err)
	p.Close()
	if _, err := p.Listen("c"); !errors.Is(err, ErrClosed) {
		t.Errorf("listening after Close: %v, want ErrClosed", err)
	}
	p.Close()
}

func TestClientSeesAMemberThatIsDown(t *testing.T) {
	t.Parallel()
	nobody := etcdtest.Nobody(t)
	p := startProxy(t, Options{Backends: []string{nobody}})
	// clientv3 itself would try again until the context ends.
	const get = "/etcdserverpb.KV/Range"
	direct := chaostest.AsUnary(chaostest.Within(t), chaostest.Dial(t, []string{nobody}).ActiveConnection(), get)
	through := chaostest.AsUnary(chaostest.Within(t), chaostest.Dial(t, p.Shared()).ActiveConnection(), get)
	if chaos.CodeOf(direct) != codes.Unavailable || chaos.CodeOf(through) != codes.Unavailable {
		t.Errorf("direct %v, through the proxy %v: want Unavailable", direct, through)
	}
}

// A client with several endpoints turns to a member that is up, write after
// write: that takes a proxy whose listener for the other is dead as well.
func TestClientTurnsToTheMemberThatIsUp(t *testing.T) {
	t.Parallel()
	endpoint, stop := chaostest.StartStoppableMember(t)
	p := startProxy(t, Options{Backends: []string{etcdtest.Nobody(t), chaostest.StartMember(t), endpoint}})
	ctx := chaostest.Within(t)
	c := behind(t, p, "a")
	put := func() error {
		_, err := c.Put(ctx, "/k", "v")
		return err
	}
	chaostest.Eventually(t, "a put works", func() bool { return put() == nil })
	stop()
	chaostest.Eventually(t, "a put works without the member that ended", func() bool { return put() == nil })
	for range 30 {
		if err := put(); err != nil {
			t.Fatalf("a put failed while one member was up: %v", err)
		}
	}
}

func TestCloseIsQuickWithWatchesAndIdleConnectionsOpen(t *testing.T) {
	t.Parallel()
	p := startProxy(t, Options{Backends: []string{chaostest.StartMember(t)}})
	for _, name := range []string{"a", "b", "c"} {
		c := behind(t, p, name)
		openSession(t, c, 60)
		chaostest.Must(t, p.Inject(keepalivesOf(name)))
		<-c.Watch(context.Background(), "/", clientv3.WithPrefix(), clientv3.WithCreatedNotify())
	}
	mute, err := net.Dial("tcp", p.Shared()[0]) // connects and never speaks
	chaostest.Must(t, err)
	defer mute.Close()
	begin := time.Now()
	p.Close()
	// 300 ms is promised; a loaded machine with the race detector gets more.
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("Close took %v", took)
	} else {
		t.Logf("Close took %v", took)
	}
}

func keepalivesOf(target string) model.Fault {
	return model.Fault{Kind: model.FaultHoldKeepalives, Target: target}
}
