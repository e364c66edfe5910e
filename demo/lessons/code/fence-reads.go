package code

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// change rewrites data, after m.Lock returned no error.
func change(ctx context.Context, cli *clientv3.Client,
	m *concurrency.Mutex, next func(string) string) error {
	r, err := cli.Get(ctx, "data")
	if err != nil {
		return err
	}
	seen, old := int64(0), "" // of a key that is not there
	if len(r.Kvs) > 0 {
		seen, old = r.Kvs[0].ModRevision, string(r.Kvs[0].Value)
	}
	t, err := cli.Txn(ctx).
		If(m.IsOwner(), clientv3.Compare(
			clientv3.ModRevision("data"), "=", seen)).
		Then(clientv3.OpPut("data", next(old))).Commit()
	if err != nil {
		return err // it may be written: read before you try again
	}
	if !t.Succeeded {
		return errors.New("the lock is lost, or data was changed")
	}
	return nil
}
