package contender

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	experimental "go.etcd.io/etcd/client/v3/experimental/recipes"

	"locktop/model"
)

// The recipes of the Go client's own packages, used as they are.

func (a *attempt) lockMutex(ctx context.Context) (claim, error) {
	m := concurrency.NewMutex(a.session, a.lock)
	if err := m.Lock(ctx); err != nil {
		return claim{}, err
	}
	return a.ofMutex(m), nil
}

func (a *attempt) tryMutex(ctx context.Context) (claim, error) {
	m := concurrency.NewMutex(a.session, a.lock)
	switch err := m.TryLock(ctx); {
	case errors.Is(err, concurrency.ErrLocked):
		return claim{}, errTaken
	case err != nil:
		return claim{}, err
	}
	return a.ofMutex(m), nil
}

// ofMutex is the claim of a mutex that was just locked.
func (a *attempt) ofMutex(m *concurrency.Mutex) claim {
	is := m.IsOwner() // the only way to the create revision
	c := a.claim
	c.key, c.token = m.Key(), is.GetCompare().GetCreateRevision()
	held := *m // Unlock forgets the key when it heard the answer
	c.release = func(ctx context.Context) error {
		m := held
		return m.Unlock(ctx)
	}
	return c
}

func (a *attempt) campaign(ctx context.Context) (claim, error) {
	e := concurrency.NewElection(a.session, a.lock)
	if err := e.Campaign(ctx, a.value); err != nil {
		return claim{}, err
	}
	c := a.claim
	c.key, c.token = e.Key(), e.Rev()
	held := *e // Resign forgets the key
	var last concurrency.Election
	c.release = func(ctx context.Context) error {
		last = held
		return last.Resign(ctx)
	}
	c.resignAgain = func(ctx context.Context) error { return last.Resign(ctx) }
	c.proclaim = e.Proclaim
	return c, nil
}

func (a *attempt) lockShared(ctx context.Context) (claim, error) {
	return a.rwMutex(ctx, "read", (*experimental.RWMutex).RLock)
}

func (a *attempt) lockAlone(ctx context.Context) (claim, error) {
	return a.rwMutex(ctx, "write", (*experimental.RWMutex).Lock)
}

// rwMutex takes one side of an RWMutex. Its lock cannot be told to end: where ctx
// does, it is left to itself, until the client is closed at the latest, and the
// session's end takes its key away.
func (a *attempt) rwMutex(ctx context.Context, side string, lock func(*experimental.RWMutex) error) (claim, error) {
	locked := make(chan error, 1)
	go func() { locked <- lock(experimental.NewRWMutex(a.session, a.lock)) }()
	select {
	case err := <-locked:
		if err != nil {
			return claim{}, err
		}
	case <-ctx.Done():
		return claim{}, ctx.Err()
	}
	kv, err := a.newest(ctx, a.lock+"/"+side+"/")
	if err != nil {
		return claim{}, err
	}
	// RUnlock and Unlock delete it by name too, but cannot be told to end.
	return claim{key: string(kv.Key), lease: model.LeaseID(kv.Lease), token: kv.CreateRevision,
		release: a.deleteByName(string(kv.Key))}, nil
}

// newest is the session's youngest key below a prefix: RWMutex does not tell its own.
func (a *attempt) newest(ctx context.Context, prefix string) (*mvccpb.KeyValue, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	r, err := a.client.Get(ctx, prefix, clientv3.WithPrefix(),
		clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortDescend))
	if err != nil {
		return nil, fmt.Errorf("look for the own key below %s: %w", prefix, err)
	}
	for _, kv := range r.Kvs {
		if kv.Lease == int64(a.leaseID()) {
			return kv, nil
		}
	}
	return nil, concurrency.ErrSessionExpired // as Mutex.Lock says in this case
}
