package code

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func underLock(ctx context.Context, cli *clientv3.Client,
	work func(context.Context) error) (err error) {
	s, err := concurrency.NewSession(cli, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	// Close takes the claim away, whatever went wrong, also after ctx:
	defer func() { err = errors.Join(err, s.Close()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { <-s.Done(); cancel() }() // the lease is lost: stop

	m := concurrency.NewMutex(s, "/orders")
	if err := m.Lock(ctx); err != nil { // waits for its turn
		return err
	}
	return work(ctx)
}
