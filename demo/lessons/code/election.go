package code

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func lead(ctx context.Context, cli *clientv3.Client, me string,
	work func(context.Context, clientv3.Cmp) error) (err error) {
	s, err := concurrency.NewSession(cli, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }() // resigns
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { <-s.Done(); cancel() }() // it ends Campaign, too

	e := concurrency.NewElection(s, "/leader")
	if err := e.Campaign(ctx, me); err != nil {
		return err
	}
	// Each step of the work is a transaction If this leader leads:
	return work(ctx, clientv3.Compare(
		clientv3.CreateRevision(e.Key()), "=", e.Rev()))
}
