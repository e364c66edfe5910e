package gate

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/chaos"
	"locktop/chaos/chaostest"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3election/v3electionpb"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3lock/v3lockpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/stats"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// arrivals counts, inside the member, the RPCs that reach it.
type arrivals struct {
	mu   sync.Mutex
	seen map[string]int
}

func (a *arrivals) of(method string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.seen[method]
}

func (a *arrivals) TagRPC(ctx context.Context, i *stats.RPCTagInfo) context.Context {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen == nil {
		a.seen = map[string]int{}
	}
	a.seen[i.FullMethodName]++
	return ctx
}

func (*arrivals) HandleRPC(context.Context, stats.RPCStats)                         {}
func (*arrivals) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }
func (*arrivals) HandleConn(context.Context, stats.ConnStats)                       {}

// countedMember is a member that counts what reaches it.
func countedMember(t *testing.T) (endpoint string, a *arrivals) {
	a = &arrivals{}
	return chaostest.StartMember(t, func(c *embed.Config) {
		c.GRPCAdditionalServerOptions = append(c.GRPCAdditionalServerOptions, grpc.StatsHandler(a))
	}), a
}

// everyRPC lists all methods of the etcd API as its descriptors have them.
func everyRPC() []string {
	var out []string
	for _, file := range []protoreflect.FileDescriptor{
		pb.File_rpc_proto, v3lockpb.File_v3lock_proto, v3electionpb.File_v3election_proto} {
		for i := range file.Services().Len() {
			s := file.Services().Get(i)
			for j := range s.Methods().Len() {
				out = append(out, "/"+string(s.FullName())+"/"+string(s.Methods().Get(j).Name()))
			}
		}
	}
	return out
}

func asStream(ctx context.Context, cc *grpc.ClientConn, method string) error {
	s, err := cc.NewStream(ctx, chaostest.AnyStream, method, grpc.ForceCodecV2(chaostest.RawCodec{}))
	if err != nil {
		return err
	}
	if err := s.SendMsg(&chaostest.Frame{}); err != nil {
		return err
	}
	return s.RecvMsg(&chaostest.Frame{})
}

var ways = []struct {
	name string
	send func(context.Context, *grpc.ClientConn, string) error
}{{"unary", chaostest.AsUnary}, {"stream", asStream}}

// The lists are written down here once more: who widens one has to do it twice.
var permits = []struct {
	name    string
	options []grpc.DialOption
	refusal string
	allowed []string
}{
	{name: "reading", options: chaos.ReadOnly(), refusal: "locktop's reading connection never writes: ", allowed: []string{
		"/etcdserverpb.KV/Range", "/etcdserverpb.KV/RangeStream", "/etcdserverpb.Watch/Watch",
		"/etcdserverpb.Lease/LeaseTimeToLive", "/etcdserverpb.Lease/LeaseLeases",
		"/etcdserverpb.Maintenance/Status", "/etcdserverpb.Cluster/MemberList", "/etcdserverpb.Auth/Authenticate"}},
	{name: "writing", options: chaos.Writing(), refusal: "locktop's writing connection does only what its actions need: ", allowed: []string{
		"/etcdserverpb.KV/Range", "/etcdserverpb.KV/Txn", "/etcdserverpb.Lease/LeaseRevoke",
		"/etcdserverpb.Lease/LeaseTimeToLive", "/etcdserverpb.Maintenance/Status", "/etcdserverpb.Auth/Authenticate"}},
}

// Every RPC of the API is sent to a real member, both ways, over a restricted
// connection. Without the interceptors all of them would arrive.
func TestPermitsDecideEveryRPCInTheClient(t *testing.T) {
	t.Parallel()
	rpcs := everyRPC()
	if len(rpcs) < 49 { // as many as 3.7.3 has
		t.Fatalf("only %d RPCs found: are the descriptors complete?", len(rpcs))
	}
	for _, p := range permits {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			member, seen := countedMember(t)
			cc := chaostest.Dial(t, []string{member}, p.options...).ActiveConnection()
			allowed := map[string]bool{}
			for _, m := range p.allowed {
				allowed[m] = true
			}
			for _, method := range rpcs {
				for _, way := range ways {
					checkRPC(t, cc, seen, method, way.name, way.send, allowed[method], p.refusal)
				}
				delete(allowed, method)
			}
			for m := range allowed {
				t.Errorf("%s is allowed, but the API has no such method", m)
			}
		})
	}
}

// checkRPC sends one RPC and looks on both ends.
func checkRPC(t *testing.T, cc *grpc.ClientConn, seen *arrivals, method, way string,
	send func(context.Context, *grpc.ClientConn, string) error, allowed bool, refusal string) {
	t.Helper()
	before := seen.of(method)
	ctx, cancel := context.WithCancel(chaostest.Within(t))
	defer cancel()
	answer := make(chan error, 1)
	go func() { answer <- send(ctx, cc, method) }()
	if allowed {
		chaostest.Eventually(t, method+" as "+way+" arrives", func() bool { return seen.of(method) > before })
		cancel() // Watch would stay open
		if err := <-answer; status.Code(err) == codes.PermissionDenied {
			t.Errorf("%s as %s: refused: %v", method, way, err)
		}
		return
	}
	var err error
	select {
	case err = <-answer:
	case <-time.After(chaostest.Patience): // a refusal asks nobody, so it comes at once
	}
	name := method[strings.LastIndex(method, "/")+1:]
	if status.Code(err) != codes.PermissionDenied || status.Convert(err).Message() != refusal+name+" refused" {
		// Stop here: the next may be AuthEnable, or wait for ever.
		t.Fatalf("%s as %s: not refused as expected: %v", method, way, err)
	}
	if n := seen.of(method); n != before {
		t.Errorf("%s as %s: reached the member", method, way)
	}
}

// The options must not displace what clientv3 does with its own interceptors.
func TestReadOnlyClientStillLooks(t *testing.T) {
	t.Parallel()
	member := chaostest.StartMember(t)
	writer, reader := chaostest.Dial(t, []string{member}), chaostest.Dial(t, []string{member}, chaos.ReadOnly()...)
	ctx := chaostest.Within(t)
	watch := reader.Watch(clientv3.WithRequireLeader(ctx), "/", clientv3.WithPrefix(), clientv3.WithCreatedNotify())
	<-watch
	lease, err := writer.Grant(ctx, 60)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := writer.Put(ctx, "/k", "v", clientv3.WithLease(lease.ID)); err != nil {
		t.Fatal(err)
	}
	if r := <-watch; len(r.Events) != 1 || string(r.Events[0].Kv.Key) != "/k" {
		t.Errorf("the watch brought %v", r)
	}
	if r, err := reader.TimeToLive(ctx, lease.ID, clientv3.WithAttachedKeys()); err != nil || len(r.Keys) != 1 {
		t.Errorf("reading the lease: %v, %v", r, err)
	}
	if _, err := reader.MemberList(ctx); err != nil {
		t.Errorf("listing the members: %v", err)
	}
	_, err = reader.Revoke(ctx, lease.ID)
	if want := "locktop's reading connection never writes: LeaseRevoke refused"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("revoke over the reading connection: %v, want %q", err, want)
	}
}
