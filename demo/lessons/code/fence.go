package code

import (
	"context"
	"errors"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// token goes with each write, after m.Lock returned no error.
// It is the create revision: not m.Header().Revision, nor the lease.
func token(ctx context.Context, cli *clientv3.Client,
	m *concurrency.Mutex) (int64, error) {
	r, err := cli.Txn(ctx).If(m.IsOwner()).
		Then(clientv3.OpGet(m.Key())).Commit()
	if err != nil {
		return 0, err
	}
	if !r.Succeeded {
		return 0, errors.New("the lock is lost")
	}
	return r.Responses[0].GetResponseRange().Kvs[0].CreateRevision, nil
}

// fence is in the resource.
type fence struct {
	mu      sync.Mutex
	highest int64
}

func (f *fence) write(token int64, do func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if token < f.highest {
		return errors.New("the token is old")
	}
	f.highest = token
	return do()
}
