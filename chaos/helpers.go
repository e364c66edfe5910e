package chaos

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"

	"locktop/demo/etcdtest"
)

// patience bounds every wait of the tests. It is long because the machine may be
// busy; nothing waits that long when all is well.
const patience = 30 * time.Second

// startMember runs one etcd member until the test ends and returns its endpoint.
// The options may change its configuration.
func startMember(t testing.TB, options ...func(*embed.Config)) string {
	t.Helper()
	client, stop := startStoppableMember(t, options...)
	t.Cleanup(stop)
	return client
}

// startStoppableMember is startMember for a test that ends the member itself.
func startStoppableMember(t testing.TB, options ...func(*embed.Config)) (endpoint string, stop func()) {
	t.Helper()
	e := etcdtest.Member(t, options...)
	return e.Clients[0].Addr().String(), func() {
		// Without this, Close waits a second for clients that are gone.
		e.Server.HardStop()
		e.Close()
	}
}

// dial returns a client that is closed when the test ends.
func dial(t testing.TB, endpoints []string, options ...grpc.DialOption) *clientv3.Client {
	t.Helper()
	c, err := connect(clientv3.Config{Endpoints: endpoints, DialOptions: options})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// connect is clientv3.New without its log, which is loud about expected refusals.
func connect(cfg clientv3.Config) (*clientv3.Client, error) {
	cfg.Logger = zap.NewNop()
	return clientv3.New(cfg)
}

// within returns a context that ends with the test or with patience.
func within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// eventually waits until the condition holds.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("never came: %s", what)
}

// leaseLives says whether etcd knows the lease.
func leaseLives(t *testing.T, c *clientv3.Client, id clientv3.LeaseID) bool {
	t.Helper()
	r, err := c.TimeToLive(within(t), id)
	if err != nil {
		t.Fatal(err)
	}
	return r.GrantedTTL > 0
}

// asUnary and asStream send an empty request. gRPC has an interceptor for each
// way, and either way works for any method.
func asUnary(ctx context.Context, cc *grpc.ClientConn, method string) error {
	return cc.Invoke(ctx, method, &frame{}, &frame{}, grpc.ForceCodecV2(rawCodec{}))
}

func count(t *testing.T, c *clientv3.Client, key string) int64 {
	t.Helper()
	r, err := c.Get(within(t), key)
	must(t, err)
	return r.Count
}

// etcdctl runs a printed line by sh, as the person would.
func etcdctl(t *testing.T, line, endpoint string) {
	t.Helper()
	if _, err := exec.LookPath("etcdctl"); err != nil {
		if os.Getenv("LOCKTOP_REQUIRE") == "1" {
			t.Fatalf("etcdctl is required: %v", err)
		}
		t.Skip("there is no etcdctl here")
	}
	cmd := exec.CommandContext(within(t), "sh", "-c", line)
	// 3.4 speaks the second API unless told; later ones do not mind.
	cmd.Env = append(os.Environ(), "ETCDCTL_API=3", "ETCDCTL_ENDPOINTS="+endpoint)
	out, err := cmd.CombinedOutput()
	t.Logf("%s\n%s", line, out)
	if err != nil {
		t.Fatalf("the printed line fails: %v", err)
	}
}

// must fails the test on an error, for the steps of a story.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// anyStream describes every RPC: a unary one is a stream of one message each way.
var anyStream = &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}

// frame is one message as gRPC carries it for a test, not decoded.
type frame struct {
	data []byte
}

// rawCodec carries frames. It calls itself "proto" because the name goes into the
// content type, and etcd answers to nothing else.
type rawCodec struct{}

// Marshal implements encoding.CodecV2.
func (rawCodec) Marshal(v any) (mem.BufferSlice, error) {
	f, ok := v.(*frame)
	if !ok {
		return nil, fmt.Errorf("send through the proxy: %T is no frame", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(f.data)}, nil
}

// Unmarshal implements encoding.CodecV2. It copies: gRPC takes its buffers back
// when Unmarshal returns, and a frame may be held for long.
func (rawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	f, ok := v.(*frame)
	if !ok {
		return fmt.Errorf("receive through the proxy: %T is no frame", v)
	}
	f.data = data.Materialize()
	return nil
}

// Name implements encoding.CodecV2.
func (rawCodec) Name() string { return "proto" }
