package soak

import (
	"context"
	"errors"
	"fmt"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	recipe3 "go.etcd.io/etcd/client/v3/experimental/recipes"
	"go.etcd.io/etcd/server/v3/etcdserver/api/v3lock/v3lockpb"
)

// grip is a lock that is held.
type grip struct {
	release  func(context.Context) error
	proclaim func(context.Context, string) error // nil where holders do nothing
}

// recipe is a way to take a lock.
type recipe struct {
	prefix string
	take   func(context.Context, *contender, *concurrency.Session) (grip, error)
}

// recipes are dealt out in turn.
var recipes = []recipe{
	{"/soak/mutex/m", takeMutex},
	{"/soak/election/e", takeElection},
	{servicePrefix, takeRPC},
	{"/soak/mutex/m", tryMutex},
	{"/locks/soak/s", takeSingle},
	{"/soak/rw/w", takeRW},
	{"election/soak/n", takeDecimal},
	{"/soak/mutex/m", takeMutex},
	{"/app/nightly/job", takeSingle}, // only its behaviour tells that it is a lock
	{"/soak/readers/r", takeRead},
	{"/services/soak/web", register},
	{"/soak/worker/m", takeAndRegister},
	{"registry/soak/api", registerByLease},
}

const servicePrefix = "/soak/rpc/r"

// isService says whether the lock service of the server made the key.
func isService(key string) bool { return strings.HasPrefix(key, servicePrefix) }

func takeMutex(ctx context.Context, c *contender, s *concurrency.Session) (grip, error) {
	m := concurrency.NewMutex(s, c.lock)
	return grip{release: m.Unlock}, m.Lock(ctx)
}

func tryMutex(ctx context.Context, c *contender, s *concurrency.Session) (grip, error) {
	m := concurrency.NewMutex(s, c.lock)
	return grip{release: m.Unlock}, m.TryLock(ctx)
}

func takeElection(ctx context.Context, c *contender, s *concurrency.Session) (grip, error) {
	e := concurrency.NewElection(s, c.lock)
	return grip{release: e.Resign, proclaim: e.Proclaim}, e.Campaign(ctx, c.name)
}

// takeRPC asks the lock service of the server.
func takeRPC(ctx context.Context, c *contender, s *concurrency.Session) (grip, error) {
	service := v3lockpb.NewLockClient(c.client.ActiveConnection())
	r, err := service.Lock(ctx, &v3lockpb.LockRequest{Name: []byte(c.lock), Lease: int64(s.Lease())})
	return grip{release: func(ctx context.Context) error {
		_, err := service.Unlock(ctx, &v3lockpb.UnlockRequest{Key: r.Key})
		return err
	}}, err
}

// takeRW reads twice as often as it writes.
func takeRW(_ context.Context, c *contender, s *concurrency.Session) (grip, error) {
	return c.readOrWrite(s, 3)
}

// takeRead reads nine times as often as it writes: many hold together.
func takeRead(_ context.Context, c *contender, s *concurrency.Session) (grip, error) {
	return c.readOrWrite(s, 10)
}

// readOrWrite writes once in so many times.
func (c *contender) readOrWrite(s *concurrency.Session, n int) (grip, error) {
	m := recipe3.NewRWMutex(s, c.lock)
	lock, unlock := m.RLock, m.RUnlock
	if c.rng.IntN(n) == 0 {
		lock, unlock = m.Lock, m.Unlock
	}
	return grip{release: func(context.Context) error { return unlock() }}, lock()
}

// takeSingle writes one key if it is not there, and waits for it to go.
func takeSingle(ctx context.Context, c *contender, s *concurrency.Session) (grip, error) {
	for {
		r, err := c.put(ctx, c.lock, s)
		if err != nil || r.Succeeded {
			return c.deletes(c.lock), err
		}
		if err := c.waitGone(ctx, s, c.lock, r.Header.Revision+1); err != nil {
			return grip{}, err
		}
	}
}

// takeDecimal queues as elections of etcd3 for Node do: the oldest key leads, and
// each waits for the one just ahead.
func takeDecimal(ctx context.Context, c *contender, s *concurrency.Session) (grip, error) {
	key := fmt.Sprintf("%s/%d", c.lock, int64(s.Lease()))
	r, err := c.put(ctx, key, s)
	if err != nil {
		return grip{}, err
	}
	for {
		ahead, err := c.client.Get(ctx, c.lock+"/", append(clientv3.WithLastCreate(),
			clientv3.WithMaxCreateRev(r.Header.Revision-1))...)
		if err != nil || len(ahead.Kvs) == 0 {
			return c.deletes(key), err
		}
		if err := c.waitGone(ctx, s, string(ahead.Kvs[0].Key), ahead.Header.Revision+1); err != nil {
			return grip{}, err
		}
	}
}

// register is no lock: an instance says under its address that it is there.
func register(ctx context.Context, c *contender, s *concurrency.Session) (grip, error) {
	key := c.lock + "/" + c.address() // as often still that of the one before it, which was killed
	_, err := c.client.Put(ctx, key, c.name, clientv3.WithLease(s.Lease()))
	return c.deletes(key), err
}

// registerByLease does it as go-zero does: the lease is the name, the address the value.
func registerByLease(ctx context.Context, c *contender, s *concurrency.Session) (grip, error) {
	key := fmt.Sprintf("%s/%d", c.lock, int64(s.Lease()))
	_, err := c.client.Put(ctx, key, c.address(), clientv3.WithLease(s.Lease()))
	return c.deletes(key), err
}

// takeAndRegister keeps a registration on the lease of its lock, for as long as that lives.
func takeAndRegister(ctx context.Context, c *contender, s *concurrency.Session) (grip, error) {
	if c.registered.key == "" {
		key := "/services/soak/worker/" + c.address()
		r, err := c.put(ctx, key, s)
		if err != nil {
			return grip{}, err
		}
		if r.Succeeded { // otherwise the one before it was killed, and is still listed
			c.registered = claimID{key, r.Header.Revision}
		}
	}
	return takeMutex(ctx, c, s)
}

func (c *contender) address() string {
	return fmt.Sprintf("10.0.%d.%d:8080", c.number/250, c.number%250)
}

// put writes a key if it is not there.
func (c *contender) put(ctx context.Context, key string, s *concurrency.Session) (*clientv3.TxnResponse, error) {
	return c.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
		Then(clientv3.OpPut(key, c.name, clientv3.WithLease(s.Lease()))).Commit()
}

func (c *contender) deletes(key string) grip {
	return grip{release: func(ctx context.Context) error {
		_, err := c.client.Delete(ctx, key)
		return err
	}}
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
			case r.Err() != nil || len(r.Events) > 0:
				return r.Err()
			}
		case <-s.Done():
			return errors.New("the session ended")
		}
	}
}
