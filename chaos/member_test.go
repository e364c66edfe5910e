package chaos

import (
	"context"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"locktop/demo/etcdtest"
)

// patience bounds every wait of the tests. It is long because the machine may be
// busy; nothing waits that long when all is well.
const patience = 30 * time.Second

// unanswered is how long a client waits for an answer that does not come: enough for
// its request to get to the member, also on a machine that is busy.
const unanswered = 3 * time.Second

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
