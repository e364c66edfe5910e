package chaostest

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

// Patience bounds every wait of the tests. It is long because the machine may be
// busy; nothing waits that long when all is well.
const Patience = 30 * time.Second

// StartMember runs one etcd member until the test ends and returns its endpoint.
// The options may change its configuration.
func StartMember(t testing.TB, options ...func(*embed.Config)) string {
	t.Helper()
	client, stop := StartStoppableMember(t, options...)
	t.Cleanup(stop)
	return client
}

// StartStoppableMember is startMember for a test that ends the member itself.
func StartStoppableMember(t testing.TB, options ...func(*embed.Config)) (endpoint string, stop func()) {
	t.Helper()
	e := etcdtest.Member(t, options...)
	return e.Clients[0].Addr().String(), func() {
		// Without this, Close waits a second for clients that are gone.
		e.Server.HardStop()
		e.Close()
	}
}

// Dial returns a client that is closed when the test ends.
func Dial(t testing.TB, endpoints []string, options ...grpc.DialOption) *clientv3.Client {
	t.Helper()
	c, err := Connect(clientv3.Config{Endpoints: endpoints, DialOptions: options})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// Connect is clientv3.New without its log, which is loud about expected refusals.
func Connect(cfg clientv3.Config) (*clientv3.Client, error) {
	cfg.Logger = zap.NewNop()
	return clientv3.New(cfg)
}

// Within returns a context that ends with the test or with patience.
func Within(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), Patience)
	t.Cleanup(cancel)
	return ctx
}

// Eventually waits until the condition holds.
func Eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("never came: %s", what)
}

// LeaseLives says whether etcd knows the lease.
func LeaseLives(t *testing.T, c *clientv3.Client, id clientv3.LeaseID) bool {
	t.Helper()
	r, err := c.TimeToLive(Within(t), id)
	if err != nil {
		t.Fatal(err)
	}
	return r.GrantedTTL > 0
}

// AsUnary and asStream send an empty request. gRPC has an interceptor for each
// way, and either way works for any method.
func AsUnary(ctx context.Context, cc *grpc.ClientConn, method string) error {
	return cc.Invoke(ctx, method, &Frame{}, &Frame{}, grpc.ForceCodecV2(RawCodec{}))
}

// Count returns how many keys of that name there are, as etcd counts them.
func Count(t *testing.T, c *clientv3.Client, key string) int64 {
	t.Helper()
	r, err := c.Get(Within(t), key)
	Must(t, err)
	return r.Count
}

// Etcdctl runs a printed line by sh, as the person would.
func Etcdctl(t *testing.T, line, endpoint string) {
	t.Helper()
	cmd := exec.CommandContext(Within(t), "sh", "-c", line)
	// 3.4 speaks the second API unless told; later ones do not mind.
	cmd.Env = append(os.Environ(), "ETCDCTL_API=3", "ETCDCTL_ENDPOINTS="+endpoint)
	out, err := cmd.CombinedOutput()
	t.Logf("%s\n%s", line, out)
	if err != nil {
		t.Fatalf("the printed line fails: %v", err)
	}
}

// Must fails the test on an error, for the steps of a story.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// AnyStream describes every RPC: a unary one is a stream of one message each way.
var AnyStream = &grpc.StreamDesc{ClientStreams: true, ServerStreams: true}

// Frame is one message as gRPC carries it for a test, not decoded.
type Frame struct {
	Data []byte
}

// RawCodec carries frames. It calls itself "proto" because the name goes into the
// content type, and etcd answers to nothing else.
type RawCodec struct{}

// Marshal implements encoding.CodecV2.
func (RawCodec) Marshal(v any) (mem.BufferSlice, error) {
	f, ok := v.(*Frame)
	if !ok {
		return nil, fmt.Errorf("send through the proxy: %T is not a frame", v)
	}
	return mem.BufferSlice{mem.SliceBuffer(f.Data)}, nil
}

// Unmarshal implements encoding.CodecV2. It copies: gRPC takes its buffers back
// when Unmarshal returns, and a frame may be held for long.
func (RawCodec) Unmarshal(data mem.BufferSlice, v any) error {
	f, ok := v.(*Frame)
	if !ok {
		return fmt.Errorf("receive through the proxy: %T is not a frame", v)
	}
	f.Data = data.Materialize()
	return nil
}

// Name implements encoding.CodecV2.
func (RawCodec) Name() string { return "proto" }
