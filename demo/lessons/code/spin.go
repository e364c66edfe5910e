package code

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func unlessLocked(ctx context.Context, cli *clientv3.Client,
	work func(context.Context) error) (err error) {
	// A session renews its lease: the work may take longer than 10 s.
	s, err := concurrency.NewSession(cli, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }() // frees it
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { <-s.Done(); cancel() }() // the lease is lost: stop

	m := concurrency.NewMutex(s, "/orders")
	err = m.TryLock(ctx) // no place in the queue
	if errors.Is(err, concurrency.ErrLocked) {
		return nil // somebody else does the work
	}
	if err != nil {
		return err
	}
	return work(ctx)
}
