package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"locktop/chaos"
)

// Our own connections notice a dead peer within keepaliveTime+keepaliveTimeout,
// where etcd by itself would wait for the operating system.
const (
	keepaliveTime    = 5 * time.Second
	keepaliveTimeout = 3 * time.Second
)

// dial opens a client with the given limits on what it may send. It does not
// wait for a connection.
func dial(endpoints []string, timeout time.Duration, limits []grpc.DialOption) (*clientv3.Client, error) {
	c, err := clientv3.New(clientv3.Config{
		Endpoints: endpoints, DialTimeout: timeout, Logger: zap.NewNop(),
		DialKeepAliveTime: keepaliveTime, DialKeepAliveTimeout: keepaliveTimeout,
		DialOptions: limits,
	})
	if err != nil {
		return nil, fmt.Errorf("opening a client for %s: %w", strings.Join(endpoints, ", "), err)
	}
	return c, nil
}

// connect opens the reading connection to the cluster of the flags, and makes
// sure that at least one endpoint answers.
func (e *env) connect(ctx context.Context) (*clientv3.Client, error) {
	c, err := dial(e.flags.endpoints, e.flags.dialTimeout, chaos.ReadOnly())
	if err != nil {
		return nil, badInput{err}
	}
	if err := probe(ctx, c, e.flags.endpoints, e.flags.dialTimeout); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// probe returns nil as soon as one endpoint answers. If none does the error says
// what was tried and what failed.
func probe(ctx context.Context, c *clientv3.Client, endpoints []string, timeout time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	failed := make([]error, len(endpoints))
	answered := make(chan struct{}, len(endpoints))
	var wg sync.WaitGroup
	for i, ep := range endpoints {
		wg.Go(func() {
			if failed[i] = ask(ctx, c, ep); failed[i] == nil {
				answered <- struct{}{}
				cancel()
			}
		})
	}
	wg.Wait()
	if len(answered) > 0 {
		return nil
	}
	var words []string
	for i, ep := range endpoints {
		words = append(words, ep+": "+failed[i].Error())
	}
	return bad("no endpoint answers (%s); name one with --endpoints, or try \"locktop demo\", which needs none", strings.Join(words, "; "))
}

// ask says whether an endpoint answers, first plainly over TCP: its errors name
// the cause, where gRPC's name the symptom.
func ask(ctx context.Context, c *clientv3.Client, endpoint string) error {
	addr, err := hostPort(endpoint)
	if err != nil {
		return err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
	if err != nil {
		if ctx.Err() != nil {
			return errors.New("no answer in time")
		}
		var op *net.OpError
		if errors.As(err, &op) {
			return op.Err
		}
		return err
	}
	conn.Close()
	if _, err := c.Status(ctx, endpoint); err != nil {
		if ctx.Err() != nil {
			return errors.New("accepts connections, but is no etcd server that answers in time")
		}
		return errors.New(status.Convert(err).Message())
	}
	return nil
}

// hostPort returns the address of an endpoint, which is host:port or a URL.
func hostPort(endpoint string) (string, error) {
	addr := endpoint
	if strings.Contains(endpoint, "://") {
		u, err := url.Parse(endpoint)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") {
			return "", errors.New("want host:port, http://host:port or https://host:port")
		}
		addr = u.Host
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil || host == "" || port == "" {
		return "", errors.New("want host:port")
	}
	return addr, nil
}
