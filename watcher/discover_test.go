package watcher

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"locktop/chaos"
	"locktop/model"
	"locktop/watcher/pace"
)

// wire notes what a client sends.
type wire struct {
	mu      sync.Mutex
	methods map[string]int
	ranges  []*pb.RangeRequest
	sent    func(n int) // of each request, if not nil
}

func (w *wire) note(method string, req any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.methods == nil {
		w.methods = map[string]int{}
	}
	w.methods[method]++
	if r, ok := req.(*pb.RangeRequest); ok {
		w.ranges = append(w.ranges, r)
	}
	if w.sent != nil {
		w.sent(len(w.ranges))
	}
}

// readOnly opens a client that can only look, as the program's own, and notes what
// it sends.
func (w *wire) readOnly(t testing.TB, s *server, c clientv3.Config) *clientv3.Client {
	t.Helper()
	c.Endpoints, c.Logger = []string{s.client.String()}, zap.NewNop()
	c.DialOptions = append(chaos.ReadOnly(),
		grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			w.note(method, req)
			return next(ctx, method, req, reply, cc, opts...)
		}),
		grpc.WithChainStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, next grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			w.note(method, nil)
			return next(ctx, desc, cc, method, opts...)
		}))
	client := must[*clientv3.Client](t)(clientv3.New(c))
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// claims takes each lock by one claim on a lease of its own.
func claims(t testing.TB, c *clientv3.Client, locks ...string) {
	t.Helper()
	for _, l := range locks {
		id := grant(t, c)
		put(t, c, fmt.Sprintf("%s/%x", l, int64(id)), "", clientv3.WithLease(id))
	}
}

func prefixesOf(d Discovery) string {
	var out []string
	for _, p := range d.Prefixes {
		out = append(out, fmt.Sprintf("%s=%s:%d", p.Prefix, p.Recipe, p.Locks))
	}
	return strings.Join(out, " ")
}

func TestDiscover(t *testing.T) {
	const keys = 50_000
	s := newServer(t)
	root := s.dial()
	fill(t, root, "/data/objects/", keys)
	fill(t, root, "/registry/pods/default/", 300)
	claims(t, root, "/registry/build", "/app/locks/a", "/app/locks/b", "/zoo/jobs/1", "/zoo/jobs/2", "/zoo/jobs/3")
	put(t, root, "/service/batman/leader", "m1", clientv3.WithLease(grant(t, root)))
	const everything = "/app/locks/=mutex:2 /zoo/jobs/=mutex:3 /registry/build/=mutex:1 /service/batman/leader=patroni:1"
	const fast = 1_000_000

	for _, row := range []struct {
		reason   string
		o        DiscoverOptions
		want     string
		keys     int64
		k8s      int64
		requests int
		partial  string
	}{
		{reason: "all keys: two counts, and two requests for each page without a lease", o: DiscoverOptions{Page: 5_000},
			want: everything, keys: keys + 307, k8s: 301, requests: 2 + 2*(3+10) + 2 + 1},
		{reason: "a prefix", o: DiscoverOptions{Prefix: "/zoo/"}, want: "/zoo/jobs/=mutex:3", keys: 3, requests: 1 + 2},
		{reason: "a prefix without keys", o: DiscoverOptions{Prefix: "/nothing/"}, requests: 1 + 1},
		{reason: "objects of Kubernetes are no locks", o: DiscoverOptions{Prefix: "/registry/pods/"}, keys: 300, k8s: 300, requests: 1 + 2},
		{reason: "a mutex among them is one", o: DiscoverOptions{Prefix: "/re"}, want: "/registry/build/=mutex:1", keys: 301, k8s: 301, requests: 2 + 2 + 2},
		{reason: "the ceiling", o: DiscoverOptions{MaxKeys: 1_500, Page: 1_000}, want: "/app/locks/=mutex:2", keys: 1_500, k8s: 301,
			requests: 2 + 4, partial: "the ceiling of 1500 keys was reached, of 50307 that there are"},
		{reason: "a ceiling that is met exactly", o: DiscoverOptions{Prefix: "/zoo/", MaxKeys: 3}, want: "/zoo/jobs/=mutex:3", keys: 3, requests: 1 + 2},
	} {
		t.Run(row.reason, func(t *testing.T) {
			w := &wire{}
			c := w.readOnly(t, s, clientv3.Config{})
			row.o.RPS = fast
			var told []int64
			row.o.Progress = func(done, total int64) { told = append(told, done, total) }
			// By its own clock, every answer is fast: the pages shrink where one is slow.
			scan, at := newScan(c, row.o), time.Now()
			scan.now = func() time.Time { at = at.Add(time.Millisecond); return at }
			scan.sleep = func(_ context.Context, d time.Duration) { at = at.Add(d) }
			d, err := scan.run(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if got := prefixesOf(d); got != row.want {
				t.Errorf("got  %s\nwant %s", got, row.want)
			}
			if d.Keys != row.keys || d.Kubernetes != row.k8s || d.Partial != row.partial {
				t.Errorf("%d keys, %d of Kubernetes, partial %q", d.Keys, d.Kubernetes, d.Partial)
			}
			t.Logf("%d requests, told %v", d.Requests, told)
			if len(w.methods) != 1 || w.methods[pb.KV_Range_FullMethodName] != d.Requests {
				t.Errorf("%v was sent: want ranges alone, %d", w.methods, d.Requests)
			}
			if d.Requests > row.requests {
				t.Errorf("%d requests: want %d at most", d.Requests, row.requests)
			}
			bounded(t, w, row.o)
			if n := len(told); n > 2 && (told[n-2] != d.Keys || d.Partial == "" && told[n-1] != d.Keys) {
				t.Errorf("the last progress is %v, of %d keys", told[n-2:], d.Keys)
			}
		})
	}
}

// bounded checks that no request reads a value, or more keys than a page holds: it
// has a limit, or lies within the page before it.
func bounded(t *testing.T, w *wire, o DiscoverOptions) {
	t.Helper()
	page := o.withDefaults().Page
	for i, r := range w.ranges {
		before := &pb.RangeRequest{}
		if i > 0 {
			before = w.ranges[i-1]
		}
		switch {
		case r.Revision != 0 || !r.Serializable:
			t.Errorf("request %d burdens the leader or history: %v", i, r)
		case r.CountOnly:
		case !r.KeysOnly:
			t.Errorf("request %d reads values: %v", i, r)
		case r.Limit == 0 && (r.SortTarget != pb.RangeRequest_VALUE || before.Limit == 0):
			t.Errorf("request %d has no limit: %v", i, r)
		case r.Limit > page:
			t.Errorf("request %d asks for %d keys: want pages of %d at most", i, r.Limit, page)
		}
	}
}

func TestDiscoverKeepsTheRate(t *testing.T) {
	s := newServer(t)
	fill(t, s.dial(), "/data/", 1_000)
	w := &wire{}
	clock := time.Unix(1_000, 0)
	var at []time.Time
	w.sent = func(int) { at = append(at, clock) }
	scan := newScan(w.readOnly(t, s, clientv3.Config{}), DiscoverOptions{RPS: 4, Page: 50})
	scan.now = func() time.Time { return clock }
	scan.sleep = func(_ context.Context, d time.Duration) { clock = clock.Add(d) }
	scan.bucket = pace.NewBucket(4, 1, 1, clock)
	if d, err := scan.run(context.Background()); err != nil || d.Keys != 1_000 || d.Requests != len(at) {
		t.Fatalf("%+v, %v", d, err)
	}
	if len(at) < 2+2*20 {
		t.Fatalf("%d requests: want 20 pages asked for twice", len(at))
	}
	for i := 4; i < len(at); i++ {
		if d := at[i].Sub(at[i-4]); d < time.Second-time.Microsecond {
			t.Errorf("requests %d to %d within %s: want 4 a second at most", i-4, i, d)
		}
	}
}

func TestDiscoverEndsWithItsContext(t *testing.T) {
	s := newServer(t)
	root := s.dial()
	claims(t, root, "/a/lock")
	fill(t, root, "/data/", 5_000)
	w := &wire{}
	c := w.readOnly(t, s, clientv3.Config{})
	ctx, cancel := context.WithCancel(context.Background())
	d, err := Discover(ctx, c, DiscoverOptions{RPS: 1_000_000, Page: 1_000, Progress: func(done, _ int64) {
		if done > 0 {
			cancel()
		}
	}})
	if err != context.Canceled || d.Keys != 1_000 || d.Partial != "ended after 1000 of 5001 keys" || prefixesOf(d) != "/a/lock/=mutex:1" {
		t.Errorf("%+v, %v", d, err)
	}
	sent := len(w.ranges)

	// and while it waits for its turn
	waiting, stop := context.WithCancel(context.Background())
	slow := newScan(c, DiscoverOptions{RPS: 1})
	slow.sleep = func(ctx context.Context, d time.Duration) { stop(); pace.Sleep(ctx, d, nil) }
	if d, err = slow.run(waiting); err != context.Canceled || d.Keys != 0 || len(w.ranges) != sent+1 {
		t.Errorf("%+v, %v, %d requests", d, err, len(w.ranges)-sent)
	}
}

func TestDiscoverPacesItself(t *testing.T) {
	s := &scan{DiscoverOptions: DiscoverOptions{Page: 3_000}, page: 1_000}
	for _, row := range []struct {
		reason string
		took   time.Duration
		want   int64
	}{
		{"fast", time.Millisecond, 2_000}, {"no more than a page", time.Millisecond, 3_000}, {"neither", fastAnswer, 3_000},
		{"slow", slowAnswer + 1, 1_500}, {"still", time.Minute, 750},
	} {
		if s.pace(row.took); s.page != row.want {
			t.Errorf("%s: pages of %d, want %d", row.reason, s.page, row.want)
		}
	}
}

func TestDiscoverWithoutRights(t *testing.T) {
	ctx := context.Background()
	s := newServer(t)
	root := s.dial()
	claims(t, root, "/mine/a", "/theirs/b")
	for _, err := range []error{
		second(root.UserAdd(ctx, "root", "r")), second(root.UserGrantRole(ctx, "root", "root")),
		second(root.RoleAdd(ctx, "reader")), second(root.UserAdd(ctx, "eve", "e")),
		second(root.RoleGrantPermission(ctx, "reader", "/mine/", clientv3.GetPrefixRangeEnd("/mine/"), clientv3.PermissionType(clientv3.PermRead))),
		second(root.UserGrantRole(ctx, "eve", "reader")), second(root.AuthEnable(ctx)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	eve := new(wire).readOnly(t, s, clientv3.Config{Username: "eve", Password: "e"})
	d, err := Discover(ctx, eve, DiscoverOptions{})
	if err == nil || d.Keys != 0 || !strings.Contains(err.Error(), "cannot look at all keys: no permission on "+s.client.Host) ||
		!strings.Contains(err.Error(), "etcdctl role grant-permission ROLE --prefix=true read ''") {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err = Discover(ctx, eve, DiscoverOptions{Prefix: "/mine/", RPS: 100}); err != nil || prefixesOf(d) != "/mine/a/=mutex:1" {
		t.Errorf("%+v, %v", d, err)
	}
}

func TestCountKeys(t *testing.T) {
	s := newServer(t)
	fill(t, s.dial(), "/data/", 120)
	w := &wire{}
	c := w.readOnly(t, s, clientv3.Config{})
	if n, err := CountKeys(context.Background(), c, "/data/"); err != nil || n != 120 || len(w.ranges) != 1 {
		t.Errorf("%d keys, %v, %d requests", n, err, len(w.ranges))
	}
	if d := (Discovery{Total: SmallKeyspace + 1}); d.Small() {
		t.Error("that is not small")
	}
	s.stop()
	gone, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	if _, err := CountKeys(gone, c, "/data/"); err == nil || strings.Contains(err.Error(), "again") || !strings.Contains(err.Error(), "/data/") {
		t.Errorf("%v: want what failed, and no promise to try again", err)
	}
}

// TestKeysWithoutLeases: why a page is asked for twice. Should a server tell the
// leases at once again, the second request is not made.
func TestKeysWithoutLeases(t *testing.T) {
	s := newServer(t)
	c := s.dial()
	id := grant(t, c)
	put(t, c, "/a/1", "zzz", clientv3.WithLease(id))
	put(t, c, "/a/2", "", clientv3.WithLease(id))
	plain := must[*clientv3.GetResponse](t)(c.Get(context.Background(), "/a/", clientv3.WithPrefix(), clientv3.WithKeysOnly()))
	scan := newScan(c, DiscoverOptions{RPS: 100})
	kvs, err := scan.leased(context.Background(), plain.Kvs)
	if err != nil || len(kvs) != 2 {
		t.Fatalf("%v, %v", kvs, err)
	}
	for _, kv := range kvs {
		if model.LeaseID(kv.Lease) != model.LeaseID(id) || len(kv.Value) > 0 {
			t.Errorf("%v: want its lease, and no value", kv)
		}
	}
	if again, err := scan.leased(context.Background(), kvs); err != nil || scan.found.Requests != 1 || len(again) != 2 {
		t.Errorf("%d requests, %v: leases that are known are not asked for", scan.found.Requests, err)
	}
}
