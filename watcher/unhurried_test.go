package watcher

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"

	"locktop/watcher/pace"
)

// Nothing is lost by it, little or much, and a proxy of the environment stays in use.
func TestUnhurriedReadsAll(t *testing.T) {
	s := newServer(t)
	writer := s.dial()
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	if _, none := pace.Unhurried(time.Second).(grpc.EmptyDialOption); !none {
		t.Error("with a proxy of the environment it dials by itself")
	}
	t.Setenv("HTTPS_PROXY", "")
	t.Setenv("https_proxy", "")
	c, err := NewClient(clientv3.Config{Endpoints: []string{s.client.Host}, Logger: zap.NewNop(), DialOptions: []grpc.DialOption{pace.Unhurried(5 * time.Millisecond)}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	events := c.Watch(ctx, "/w/", clientv3.WithPrefix(), clientv3.WithCreatedNotify())
	if resp := <-events; !resp.Created {
		t.Fatalf("the watch begins with %v", resp)
	}
	const changes = 200
	var wrote sync.WaitGroup
	defer wrote.Wait()
	wrote.Go(func() {
		for i := range changes {
			size := 10
			if i%20 == 0 {
				size = 500_000
			}
			if _, err := writer.Put(ctx, fmt.Sprint("/w/", i), string(make([]byte, size))); err != nil {
				t.Error(err)
				cancel()
			}
		}
	})
	for i := 0; i < changes; {
		resp, ok := <-events
		if !ok || resp.Err() != nil {
			t.Fatalf("after %d changes: %v", i, resp.Err())
		}
		for _, e := range resp.Events {
			if want := fmt.Sprint("/w/", i); string(e.Kv.Key) != want {
				t.Fatalf("%s, want %s", e.Kv.Key, want)
			}
			i++
		}
	}
}
