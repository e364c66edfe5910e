package code

import (
	"context"
	"errors"
	"os/signal"
	"syscall"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func schedule(ctx context.Context, cli *clientv3.Client,
	jobs func(context.Context) error) (err error) {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM)
	defer stop()
	s, err := concurrency.NewSession(cli, concurrency.WithTTL(8))
	if err != nil {
		return err
	}
	// Close deletes the claim, so a standby need not wait for the TTL:
	defer func() { err = errors.Join(err, s.Close()) }()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { <-s.Done(); cancel() }() // the lease is lost: stop

	m := concurrency.NewMutex(s, "/scheduler")
	if err := m.Lock(ctx); err != nil { // a standby waits here
		return err
	}
	return jobs(ctx) // returns once its ctx has ended
}
