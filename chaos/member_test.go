package chaos

import (
	"context"
	"errors"
	"net"
	"net/url"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// patience bounds every wait of the tests. It is long because the machine may be
// busy; nothing waits that long when all is well.
const patience = 30 * time.Second

// unanswered is how long a client waits for an answer that does not come: enough for
// its request to get to the member, also on a machine that is busy.
const unanswered = 3 * time.Second

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// freePort returns a port of 127.0.0.1 that was free a moment ago.
func freePort(t testing.TB) string {
	t.Helper()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer lis.Close()
	return lis.Addr().String()
}

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
	endpoint, e, err := tryMember(t, options)
	for try := 1; try < 5 && errors.Is(err, syscall.EADDRINUSE); try++ { // somebody was quicker
		endpoint, e, err = tryMember(t, options)
	}
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-e.Server.ReadyNotify():
	case <-time.After(patience):
		t.Fatal("the member is not ready")
	}
	return endpoint, func() {
		// Without this, Close waits a second for clients that are gone.
		e.Server.HardStop()
		e.Close()
	}
}

// tryMember starts a member on ports that were free a moment ago.
func tryMember(t testing.TB, options []func(*embed.Config)) (endpoint string, e *embed.Etcd, err error) {
	t.Helper()
	endpoint = freePort(t)
	clientURL := url.URL{Scheme: "http", Host: endpoint}
	peerURL := url.URL{Scheme: "http", Host: freePort(t)}
	cfg := embed.NewConfig()
	cfg.Dir = t.TempDir()
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{clientURL}, []url.URL{clientURL}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peerURL}, []url.URL{peerURL}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	cfg.TickMs, cfg.ElectionMs = 10, 100
	cfg.UnsafeNoFsync = true
	cfg.BcryptCost = 4 // the least: logins are slow under the race detector
	cfg.LogLevel, cfg.LogOutputs = "panic", []string{"/dev/null"}
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.NewNop())
	for _, o := range options {
		o(cfg)
	}
	e, err = embed.StartEtcd(cfg)
	return endpoint, e, err
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
