package soak

import (
	"context"
	"errors"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	recipe3 "go.etcd.io/etcd/client/v3/experimental/recipes"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3lock/v3lockpb"
)

// grip is a lock that is held.
type grip struct {
	release  func(context.Context) error
	proclaim func(context.Context) error // nil where holders do nothing
}

// recipe is a way to take a lock.
type recipe struct {
	prefix string
	take   func(context.Context, *contender, *concurrency.Session) (*grip, error)
}

// recipes are dealt out in turn.
var recipes = []recipe{
	{"/soak/mutex/m", takeMutex},
	{"/soak/election/e", takeElection},
	{"/soak/rpc/r", takeRPC},
	{"/soak/mutex/m", tryMutex},
	{"/locks/soak/s", takeSingle},
	{"/soak/rw/w", takeRW},
	{"election/soak/n", takeDecimal},
	{"/soak/mutex/m", takeMutex},
}

func takeMutex(ctx context.Context, c *contender, s *concurrency.Session) (*grip, error) {
	m := concurrency.NewMutex(s, c.lock)
	if err := m.Lock(ctx); err != nil {
		return nil, err
	}
	return &grip{release: m.Unlock}, nil
}

func tryMutex(ctx context.Context, c *contender, s *concurrency.Session) (*grip, error) {
	m := concurrency.NewMutex(s, c.lock)
	if err := m.TryLock(ctx); err != nil {
		return nil, err
	}
	return &grip{release: m.Unlock}, nil
}

func takeElection(ctx context.Context, c *contender, s *concurrency.Session) (*grip, error) {
	e := concurrency.NewElection(s, c.lock)
	if err := e.Campaign(ctx, c.name); err != nil {
		return nil, err
	}
	n := 0
	return &grip{release: e.Resign, proclaim: func(ctx context.Context) error {
		n++
		return e.Proclaim(ctx, fmt.Sprintf("%s %d", c.name, n))
	}}, nil
}

// takeRPC asks the lock service of the server.
func takeRPC(ctx context.Context, c *contender, s *concurrency.Session) (*grip, error) {
	service := v3lockpb.NewLockClient(c.client.ActiveConnection())
	r, err := service.Lock(ctx, &v3lockpb.LockRequest{Name: []byte(c.lock), Lease: int64(s.Lease())})
	if err != nil {
		return nil, err
	}
	return &grip{release: func(ctx context.Context) error {
		_, err := service.Unlock(ctx, &v3lockpb.UnlockRequest{Key: r.Key})
		return err
	}}, nil
}

// takeSingle writes one key if it is not there, and waits for it to go.
func takeSingle(ctx context.Context, c *contender, s *concurrency.Session) (*grip, error) {
	for {
		r, err := c.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(c.lock), "=", 0)).
			Then(clientv3.OpPut(c.lock, c.name, clientv3.WithLease(s.Lease()))).Commit()
		if err != nil {
			return nil, err
		}
		if r.Succeeded {
			return &grip{release: c.deletes(c.lock)}, nil
		}
		if err := c.waitGone(ctx, s, c.lock, r.Header.Revision+1); err != nil {
			return nil, err
		}
	}
}

// takeRW reads twice as often as it writes.
func takeRW(_ context.Context, c *contender, s *concurrency.Session) (*grip, error) {
	m := recipe3.NewRWMutex(s, c.lock)
	if c.rng.IntN(3) == 0 {
		if err := m.Lock(); err != nil {
			return nil, err
		}
		return &grip{release: func(context.Context) error { return m.Unlock() }}, nil
	}
	if err := m.RLock(); err != nil {
		return nil, err
	}
	return &grip{release: func(context.Context) error { return m.RUnlock() }}, nil
}

// takeDecimal queues as elections of etcd3 for Node do: the oldest key leads, and
// each waits for the one just ahead.
func takeDecimal(ctx context.Context, c *contender, s *concurrency.Session) (*grip, error) {
	key := fmt.Sprintf("%s/%d", c.lock, int64(s.Lease()))
	r, err := c.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
		Then(clientv3.OpPut(key, c.name, clientv3.WithLease(s.Lease()))).Commit()
	if err != nil {
		return nil, err
	}
	for {
		ahead, err := c.client.Get(ctx, c.lock+"/", append(clientv3.WithLastCreate(),
			clientv3.WithMaxCreateRev(r.Header.Revision-1))...)
		if err != nil {
			return nil, err
		}
		if len(ahead.Kvs) == 0 {
			return &grip{release: c.deletes(key)}, nil
		}
		if err := c.waitGone(ctx, s, string(ahead.Kvs[0].Key), ahead.Header.Revision+1); err != nil {
			return nil, err
		}
	}
}

func (c *contender) deletes(key string) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := c.client.Delete(ctx, key)
		return err
	}
}

// waitGone waits until a key is deleted in that revision or later.
func (c *contender) waitGone(ctx context.Context, s *concurrency.Session, key string, rev int64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changes := c.client.Watch(ctx, key, clientv3.WithRev(rev), clientv3.WithFilterPut())
	for {
		select {
		case r, ok := <-changes:
			switch {
			case !ok:
				return errors.New("the watch ended")
			case r.Err() != nil:
				return r.Err()
			case len(r.Events) > 0:
				return nil
			}
		case <-s.Done():
			return errors.New("the session ended")
		}
	}
}
