//go:build slow

package watcher

import (
	"context"
	"maps"
	"strings"
	"sync"

	"google.golang.org/grpc"
)

// tally counts the requests that a client sends, by method.
type tally struct {
	mu    sync.Mutex
	calls map[string]int
}

// options count behind all that the client itself does: each try is a request.
func (c *tally) options() []grpc.DialOption {
	return []grpc.DialOption{
		grpc.WithChainUnaryInterceptor(func(ctx context.Context, method string, req, reply any,
			cc *grpc.ClientConn, next grpc.UnaryInvoker, opts ...grpc.CallOption) error {
			c.add(method)
			return next(ctx, method, req, reply, cc, opts...)
		}),
		grpc.WithChainStreamInterceptor(func(ctx context.Context, desc *grpc.StreamDesc,
			cc *grpc.ClientConn, method string, next grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
			c.add(method)
			return next(ctx, desc, cc, method, opts...)
		}),
	}
}

func (c *tally) add(method string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		c.calls = map[string]int{}
	}
	c.calls[method[strings.LastIndex(method, "/")+1:]]++
}

func (c *tally) copy() map[string]int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.calls)
}
