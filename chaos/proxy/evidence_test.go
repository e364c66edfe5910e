package proxy

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3election/v3electionpb"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3lock/v3lockpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"locktop/chaos"
	"locktop/chaos/chaostest"
	"locktop/model"
)

// witness keeps what a proxy reports.
type witness struct {
	mu     sync.Mutex
	events []model.Event
}

func (w *witness) report(e model.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
}

// reported returns the events of one type.
func reported[E model.Event](w *witness) []E {
	w.mu.Lock()
	defer w.mu.Unlock()
	var out []E
	for _, e := range w.events {
		if e, ok := e.(E); ok {
			out = append(out, e)
		}
	}
	return out
}

// wantReports waits for as many events as are wanted and compares, times aside.
func wantReports[E model.Event](t *testing.T, w *witness, want ...E) {
	t.Helper()
	for end := time.Now().Add(chaostest.Patience); len(reported[E](w)) < len(want) && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if d := cmp.Diff(want, reported[E](w), cmpopts.IgnoreTypes(time.Time{}), cmpopts.EquateEmpty()); d != "" {
		t.Errorf("reports (-want +got):\n%s", d)
	}
}

var clientA = model.Client{Name: "a", Certain: true}

// observed is a member behind a proxy that is watched.
func observed(t *testing.T) (*witness, *Proxy, string) {
	t.Helper()
	w, member := &witness{}, chaostest.StartMember(t)
	return w, startProxy(t, Options{Backends: []string{member}, Report: w.report}), member
}

func TestProxyTellsWhatWasWritten(t *testing.T) {
	t.Parallel()
	_, _, member := observed(t)
	put := func(key string) model.Wrote { return model.Wrote{Client: clientA, Key: key, Told: true} }
	del := func(key string, took bool) model.Wrote {
		return model.Wrote{Client: clientA, Key: key, Delete: true, Took: took, Missed: !took, Told: true}
	}
	on := func(w model.Wrote, lease clientv3.LeaseID) model.Wrote {
		w.Lease = model.LeaseID(lease)
		return w
	}
	to := func(w model.Wrote, end string) model.Wrote {
		w.End = end
		return w
	}
	exists := func(key string) clientv3.Cmp { return clientv3.Compare(clientv3.CreateRevision(key), ">", 0) }
	for _, tt := range []struct {
		reason string
		do     func(ctx context.Context, c *clientv3.Client, lease clientv3.LeaseID) (rev int64, err error)
		want   func(lease clientv3.LeaseID) []model.Wrote
	}{
		{"a put with its lease", func(ctx context.Context, c *clientv3.Client, lease clientv3.LeaseID) (int64, error) {
			r, err := c.Put(ctx, "/put", "v", clientv3.WithLease(lease))
			return r.Header.Revision, err
		}, func(lease clientv3.LeaseID) []model.Wrote { return []model.Wrote{on(put("/put"), lease)} }},
		{"a delete", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) (int64, error) {
			r, err := c.Delete(ctx, "/put")
			return r.Header.Revision, err
		}, func(clientv3.LeaseID) []model.Wrote { return []model.Wrote{del("/put", true)} }},
		{"a delete that finds nothing has the revision of whatever came last", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) (int64, error) {
			r, err := c.Delete(ctx, "/put")
			return r.Header.Revision, err
		}, func(clientv3.LeaseID) []model.Wrote { return []model.Wrote{del("/put", false)} }},
		{"a range", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) (int64, error) {
			r, err := c.Delete(ctx, "/range/", clientv3.WithPrefix())
			return r.Header.Revision, err
		}, func(clientv3.LeaseID) []model.Wrote { return []model.Wrote{to(del("/range/", false), "/range0")} }},
		{"a range beside a put, in a transaction", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) (int64, error) {
			r, err := c.Txn(ctx).Then(clientv3.OpPut("/in", "v"), clientv3.OpDelete("/p", clientv3.WithPrefix())).Commit()
			return r.Header.Revision, err
		}, func(clientv3.LeaseID) []model.Wrote { return []model.Wrote{put("/in"), to(del("/p", false), "/q")} }},
		{"the branch that was executed", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) (int64, error) {
			r, err := c.Txn(ctx).If(exists("/none")).Then(clientv3.OpPut("/then", "v")).
				Else(clientv3.OpPut("/else", "v"), clientv3.OpDelete("/gone")).Commit()
			return r.Header.Revision, err
		}, func(clientv3.LeaseID) []model.Wrote { return []model.Wrote{put("/else"), del("/gone", false)} }},
		{"a guarded delete, beside a read", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) (int64, error) {
			r, err := c.Txn(ctx).If(exists("/else")).Then(clientv3.OpGet("/x"), clientv3.OpDelete("/else")).Commit()
			return r.Header.Revision, err
		}, func(clientv3.LeaseID) []model.Wrote { return []model.Wrote{del("/else", true)} }},
		{"a transaction within one", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) (int64, error) {
			inner := clientv3.OpTxn([]clientv3.Cmp{exists("/none")},
				[]clientv3.Op{clientv3.OpPut("/inner-then", "v")}, []clientv3.Op{clientv3.OpPut("/inner-else", "v")})
			r, err := c.Txn(ctx).Then(clientv3.OpGet("/x"), inner, clientv3.OpPut("/outer", "v")).Commit()
			return r.Header.Revision, err
		}, func(clientv3.LeaseID) []model.Wrote { return []model.Wrote{put("/inner-else"), put("/outer")} }},
		{"a branch that only reads", func(ctx context.Context, c *clientv3.Client, _ clientv3.LeaseID) (int64, error) {
			r, err := c.Txn(ctx).If(exists("/none")).Then(clientv3.OpPut("/then", "v")).Else(clientv3.OpGet("/else")).Commit()
			return r.Header.Revision, err
		}, func(clientv3.LeaseID) []model.Wrote { return nil }},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			w := &witness{}
			c := behind(t, startProxy(t, Options{Backends: []string{member}, Report: w.report}), "a")
			g, err := c.Grant(chaostest.Within(t), 60)
			chaostest.Must(t, err)
			rev, err := tt.do(chaostest.Within(t), c, g.ID)
			chaostest.Must(t, err)
			chaostest.Must(t, <-puts(chaostest.Within(t), c, "/last")) // whatever was to be reported is reported before
			want := tt.want(g.ID)
			chaostest.Eventually(t, "the last put is reported", func() bool {
				all := reported[model.Wrote](w)
				return len(all) > 0 && all[len(all)-1].Key == "/last"
			})
			got := reported[model.Wrote](w)
			got = got[:len(got)-1]
			for i := range got {
				if got[i].Rev != rev {
					t.Errorf("%s is dated revision %d, want %d", got[i].Key, got[i].Rev, rev)
				}
				got[i].Rev = 0
			}
			if d := cmp.Diff(want, got, cmpopts.IgnoreTypes(time.Time{}), cmpopts.EquateEmpty()); d != "" {
				t.Errorf("written (-want +got):\n%s", d)
			}
		})
	}
}

// The member's lock and election services write for the client. The member is not a
// real one: those that run within a test leave goroutines of these services behind.
// TestProxyTellsWhatWasRevoked: with the revision at which the keys of the lease went, and none if
// there was no such lease.
func TestProxyTellsWhatWasRevoked(t *testing.T) {
	t.Parallel()
	w, p, _ := observed(t)
	ctx, a := chaostest.Within(t), behind(t, p, "a")
	lease, err := a.Grant(ctx, 60)
	chaostest.Must(t, err)
	_, err = a.Put(ctx, "/k", "", clientv3.WithLease(lease.ID))
	chaostest.Must(t, err)
	put, err := a.Put(ctx, "/other", "")
	chaostest.Must(t, err)
	_, err = a.Revoke(ctx, lease.ID)
	chaostest.Must(t, err)
	if _, err = a.Revoke(ctx, lease.ID); err == nil {
		t.Fatal("a lease is revoked twice")
	}
	revoked := model.Revoked{Client: clientA, Lease: model.LeaseID(lease.ID), Rev: put.Header.Revision + 1}
	again := revoked
	again.Rev = 0
	wantReports(t, w, revoked, again)
}

func TestProxyTellsWhatTheLockServiceWrites(t *testing.T) {
	t.Parallel()
	header := &pb.ResponseHeader{Revision: 7}
	leader := &v3electionpb.LeaderKey{Name: []byte("/e"), Key: []byte("/e/4d2"), Lease: 1234}
	wrote := func(key string, lease model.LeaseID, deleted bool) []model.Wrote {
		return []model.Wrote{{Client: clientA, Key: key, Lease: lease, Delete: deleted, Rev: 7, Told: true}}
	}
	for _, tt := range []struct {
		method, reason  string
		request, answer proto.Message
		want            []model.Wrote
	}{
		{"/v3lockpb.Lock/Lock", "the claim is named by the lease", &v3lockpb.LockRequest{Name: []byte("/l"), Lease: 1234},
			&v3lockpb.LockResponse{Header: header, Key: []byte("/l/4d2")}, wrote("/l/4d2", 1234, false)},
		{"/v3lockpb.Lock/Lock", "a lease of the member's: the answer names the key", &v3lockpb.LockRequest{Name: []byte("/l")},
			&v3lockpb.LockResponse{Header: header, Key: []byte("/l/99")}, wrote("/l/99", 0, false)},
		{"/v3lockpb.Lock/Lock", "neither names it", &v3lockpb.LockRequest{Name: []byte("/l")}, nil, nil},
		{"/v3lockpb.Lock/Unlock", "by its key", &v3lockpb.UnlockRequest{Key: []byte("/l/4d2")},
			&v3lockpb.UnlockResponse{Header: header}, wrote("/l/4d2", 0, true)},
		{"/v3electionpb.Election/Campaign", "as the lock", &v3electionpb.CampaignRequest{Name: []byte("/e"), Lease: 1234},
			&v3electionpb.CampaignResponse{Header: header, Leader: leader}, wrote("/e/4d2", 1234, false)},
		{"/v3electionpb.Election/Proclaim", "puts the key again", &v3electionpb.ProclaimRequest{Leader: leader},
			&v3electionpb.ProclaimResponse{Header: header}, wrote("/e/4d2", 1234, false)},
		{"/v3electionpb.Election/Resign", "deletes it", &v3electionpb.ResignRequest{Leader: leader},
			&v3electionpb.ResignResponse{Header: header}, wrote("/e/4d2", 0, true)},
	} {
		t.Run(tt.method+" "+tt.reason, func(t *testing.T) {
			t.Parallel()
			backend := startBackend(t, func(_ any, s grpc.ServerStream) error {
				if err := s.RecvMsg(&chaostest.Frame{}); err != nil {
					return err
				}
				if tt.answer == nil {
					return status.Error(codes.Unavailable, "no")
				}
				b, err := proto.Marshal(tt.answer)
				return errors.Join(err, s.SendMsg(&chaostest.Frame{Data: b}))
			})
			w := &witness{}
			p := startProxy(t, Options{Backends: []string{backend}, Report: w.report})
			b, err := proto.Marshal(tt.request)
			chaostest.Must(t, err)
			err = behind(t, p, "a").ActiveConnection().Invoke(chaostest.Within(t), tt.method, &chaostest.Frame{Data: b}, &chaostest.Frame{}, grpc.ForceCodecV2(chaostest.RawCodec{}))
			if (err == nil) != (tt.answer != nil) {
				t.Fatal(err)
			}
			p.Close() // every call has ended
			wantReports(t, w, tt.want...)
		})
	}
}

func TestProxyTellsWhatBecameOfAWrite(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reason string
		fault  model.Fault
		lease  clientv3.LeaseID // of the put
		want   model.Wrote
		dated  bool
	}{
		{"dropped: the member acted, the client does not know",
			model.Fault{Kind: model.FaultDropReply, Method: "KV/Put"}, 0, model.Wrote{}, true},
		{"the answer held: the same to the client",
			model.Fault{Kind: model.FaultHold, Method: "KV/Put", Direction: model.Replies}, 0, model.Wrote{}, true},
		{"the request held: the member never heard of it",
			model.Fault{Kind: model.FaultHold, Method: "KV/Put"}, 0, model.Wrote{Unsent: true}, false},
		{"delayed beyond the client's patience",
			model.Fault{Kind: model.FaultDelay, Method: "KV/Put", Delay: time.Hour}, 0, model.Wrote{Unsent: true}, false},
		{"refused by the member: the client knows",
			model.Fault{Kind: model.FaultHold, Method: "KV/Txn"}, 12345, model.Wrote{Told: true, Lease: 12345}, false},
		{"the refusal is dropped",
			model.Fault{Kind: model.FaultDropReply, Method: "KV/Put"}, 12345, model.Wrote{Lease: 12345}, false},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			w, p, _ := observed(t)
			c := behind(t, p, "a")
			tt.fault.Target = "a"
			chaostest.Must(t, get(c)(chaostest.Within(t)))
			chaostest.Must(t, p.Inject(tt.fault))
			ctx, cancel := context.WithTimeout(t.Context(), unanswered)
			defer cancel()
			if _, err := c.Put(ctx, "/k", "v", clientv3.WithLease(tt.lease)); err == nil {
				t.Fatal("the put succeeded")
			}
			chaostest.Eventually(t, "the write is reported", func() bool { return len(reported[model.Wrote](w)) > 0 })
			if rev := reported[model.Wrote](w)[0].Rev; (rev > 0) != tt.dated {
				t.Errorf("revision %d, want one: %v", rev, tt.dated)
			}
			tt.want.Client, tt.want.Key = clientA, "/k"
			tt.want.Rev = reported[model.Wrote](w)[0].Rev
			wantReports(t, w, tt.want)
		})
	}
}

// A member that does not answer leaves it open what a transaction wrote.
func TestWriteWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	w, p, _ := observed(t)
	c := behind(t, p, "a")
	chaostest.Must(t, get(c)(chaostest.Within(t)))
	chaostest.Must(t, p.Inject(model.Fault{Kind: model.FaultHold, Target: "a", Method: "KV/Txn"}))
	hangs(t, func(ctx context.Context) error {
		_, err := c.Txn(ctx).If(clientv3.Compare(clientv3.Version("/k"), "=", 0)).
			Then(clientv3.OpPut("/then", "v")).Else(clientv3.OpDelete("/else")).Commit()
		return err
	})
	wantReports(t, w, model.Wrote{Client: clientA, Key: "/then", Unsent: true},
		model.Wrote{Client: clientA, Key: "/else", Delete: true, Unsent: true})
}

func TestProxyTellsWhichKeysAreWatched(t *testing.T) {
	t.Parallel()
	w, p, _ := observed(t)
	c := behind(t, p, "a")
	begin := func(key string, options ...clientv3.OpOption) context.CancelFunc {
		ctx, cancel := context.WithCancel(chaostest.Within(t))
		<-c.Watch(ctx, key, append(options, clientv3.WithCreatedNotify())...)
		return cancel
	}
	watch := func(key string, on bool) model.Watches { return model.Watches{Client: clientA, Key: key, On: on} }
	one := begin("/one")
	begin("/range", clientv3.WithPrefix()) // through the same stream
	begin("/two")
	want := []model.Watches{watch("/one", true), watch("/two", true)}
	wantReports(t, w, want...)

	one() // the stream stays
	want = append(want, watch("/one", false))
	wantReports(t, w, want...)

	// While the answers are held the client does not watch.
	hold := model.Fault{Kind: model.FaultHold, Target: "a", Method: "Watch/Watch", Direction: model.Replies}
	chaostest.Must(t, p.Inject(hold))
	ctx, cancel := context.WithCancel(chaostest.Within(t))
	defer cancel()
	three := make(chan struct{})
	go func() {
		<-c.Watch(ctx, "/three", clientv3.WithCreatedNotify())
		close(three)
	}()
	chaostest.Must(t, get(c)(chaostest.Within(t)))
	wantReports(t, w, want...)
	p.Heal(hold)
	<-three
	want = append(want, watch("/three", true))
	wantReports(t, w, want...)

	chaostest.Must(t, c.Close())
	chaostest.Eventually(t, "the rest end with the stream", func() bool { return len(reported[model.Watches](w)) == len(want)+2 })
	var off []string
	for _, e := range reported[model.Watches](w)[len(want):] {
		if e.On {
			t.Errorf("%s is watched by a client that is closed", e.Key)
		}
		off = append(off, e.Key)
	}
	slices.Sort(off)
	if d := cmp.Diff([]string{"/three", "/two"}, off); d != "" {
		t.Errorf("ended with the stream (-want +got):\n%s", d)
	}
}

func TestProxyTellsWhoIsConnected(t *testing.T) {
	t.Parallel()
	w, p, member := observed(t)
	at, err := p.Listen("a")
	chaostest.Must(t, err)
	c, err := chaostest.Connect(clientv3.Config{Endpoints: at})
	chaostest.Must(t, err)
	chaostest.Must(t, get(c)(chaostest.Within(t)))
	chaostest.Must(t, get(c)(chaostest.Within(t))) // no news
	chaostest.Must(t, c.Close())
	chaostest.Eventually(t, "it is gone", func() bool { return len(reported[model.Connected](w)) == 2 })
	all := reported[model.Connected](w)
	if !strings.HasPrefix(all[0].Peer, "127.0.0.1:") || !strings.Contains(all[0].Agent, "grpc-go/") {
		t.Errorf("peer %q, agent %q", all[0].Peer, all[0].Agent)
	}
	on := model.Connected{Client: clientA, Peer: all[0].Peer, Agent: all[0].Agent, Member: member, On: true}
	off := on
	off.On = false
	wantReports(t, w, on, off)

	foreign := chaostest.Dial(t, p.Shared())
	chaostest.Must(t, get(foreign)(chaostest.Within(t)))
	if e := reported[model.Connected](w)[2]; e.Name != e.Peer || e.Certain || !e.On {
		t.Errorf("a client that shares its listener: %+v", e)
	}
}

func TestProxyTellsOfRefusals(t *testing.T) {
	t.Parallel()
	w, p, member := observed(t)
	root := chaostest.Dial(t, []string{member})
	withAuth(t, root)
	at, err := p.Listen("a")
	chaostest.Must(t, err)
	c, err := chaostest.Connect(clientv3.Config{Endpoints: at, Username: "weak", Password: "pw"})
	chaostest.Must(t, err)
	t.Cleanup(func() { _ = c.Close() })

	if _, err := c.Put(chaostest.Within(t), "/k", "v"); chaos.CodeOf(err) != codes.PermissionDenied {
		t.Fatalf("a put without the right: %v", err)
	}
	want := []model.Refused{{Client: clientA, Method: "KV/Put", Text: "etcdserver: permission denied"}}
	wantReports(t, w, want...)
	if r := <-c.Watch(chaostest.Within(t), "/k"); r.Err() == nil {
		t.Fatal("a watch without the right began")
	}
	chaostest.Eventually(t, "the watch is reported", func() bool { return len(reported[model.Refused](w)) == 2 })
	if e := reported[model.Refused](w)[1]; e.Method != "Watch/Watch" || !strings.Contains(e.Text, "permission denied") {
		t.Errorf("a refused watch: %+v", e)
	}
	wantReports[model.Watches](t, w)
}

// withAuth turns auth on, with a user who may do nothing.
func withAuth(t *testing.T, c *clientv3.Client) {
	t.Helper()
	ctx := chaostest.Within(t)
	for _, user := range []string{"root", "weak"} {
		_, err := c.UserAdd(ctx, user, "pw")
		chaostest.Must(t, err)
	}
	_, err := c.RoleAdd(ctx, "root")
	chaostest.Must(t, err)
	_, err = c.UserGrantRole(ctx, "root", "root")
	chaostest.Must(t, err)
	_, err = c.AuthEnable(ctx)
	chaostest.Must(t, err)
}

// The server may refuse each of a client's renewals, twice a second.
func TestRefusedRenewalsAreNotReportedEachTime(t *testing.T) {
	t.Parallel()
	var d denials
	if !d.due("a") || d.due("a") || !d.due("b") {
		t.Error("want one of a and one of b")
	}
	d.forget("a")
	if !d.due("a") {
		t.Error("a client of that name that is new was not reported")
	}
}

func TestAMutexIsSeenToBeTakenAndGivenBack(t *testing.T) {
	t.Parallel()
	w, p, _ := observed(t)
	ctx := chaostest.Within(t)
	a, b := behind(t, p, "a"), behind(t, p, "b")
	first := concurrency.NewMutex(openSession(t, a, 60), "/lock")
	second := concurrency.NewMutex(openSession(t, b, 60), "/lock")
	chaostest.Must(t, first.Lock(ctx))
	got := make(chan error, 1)
	go func() { got <- second.Lock(ctx) }()
	watch := model.Watches{Client: model.Client{Name: "b", Certain: true}, Key: first.Key(), On: true}
	wantReports(t, w, watch)
	chaostest.Must(t, first.Unlock(ctx))
	chaostest.Must(t, <-got)
	watch.On = false
	chaostest.Eventually(t, "b no longer watches", func() bool { return len(reported[model.Watches](w)) == 2 })
	if d := cmp.Diff(watch, reported[model.Watches](w)[1], cmpopts.IgnoreTypes(time.Time{})); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

// puts begins a put and returns where its end comes.
func puts(ctx context.Context, c *clientv3.Client, key string) <-chan error {
	done := make(chan error, 1)
	go func() {
		_, err := c.Put(ctx, key, "v")
		done <- err
	}()
	return done
}

func get(c *clientv3.Client) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := c.Get(ctx, "/k")
		return err
	}
}

// within a time: what a call returns that hangs.
func hangs(t *testing.T, call func(context.Context) error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := call(ctx); !errors.Is(err, context.DeadlineExceeded) && chaos.CodeOf(err) != codes.DeadlineExceeded {
		t.Errorf("a call that ought to hang: %v", err)
	}
}
