package watcher

import (
	"context"
	"fmt"
	"net"
	"sync/atomic"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// countedConn counts what is sent.
type countedConn struct {
	net.Conn
	sent *atomic.Int64
}

func (c countedConn) Write(p []byte) (int, error) {
	c.sent.Add(1)
	return c.Conn.Write(p)
}

// Who only watches has nothing to answer: gRPC by itself measures the connection with a ping
// for each message, which the server answers.
func TestAWatchAnswersNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	writer := s.dial()
	const changes, few = 40, 4
	for _, r := range []struct {
		reason string
		open   func(clientv3.Config) (*clientv3.Client, error)
		quiet  bool
	}{
		{"ours", NewClient, true},
		{"etcd's client as it is: else this test measures nothing", clientv3.New, false},
	} {
		var sent atomic.Int64
		c, err := r.open(clientv3.Config{Endpoints: []string{s.client.Host}, Logger: zap.NewNop(), DialOptions: []grpc.DialOption{
			grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
				conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
				return countedConn{conn, &sent}, err
			})}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		events := c.Watch(ctx, "/w/", clientv3.WithPrefix(), clientv3.WithCreatedNotify())
		if resp := <-events; !resp.Created {
			t.Fatalf("the watch begins with %v", resp)
		}
		before := sent.Load()
		for i := range changes {
			if _, err := writer.Put(ctx, fmt.Sprint("/w/", i), ""); err != nil {
				t.Fatal(err)
			}
			if resp := <-events; len(resp.Events) != 1 {
				t.Fatalf("change %d: %v, %v", i, resp, resp.Err())
			}
		}
		if n := sent.Load() - before; r.quiet != (n <= few) {
			t.Errorf("%d times something was sent for %d changes: %s", n, changes, r.reason)
		}
		cancel()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
