package code

import (
	"context"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

func underLease(ctx context.Context, cli *clientv3.Client,
	work func(context.Context, clientv3.LeaseID) error) (err error) {
	lease, err := cli.Grant(ctx, 4)
	if err != nil {
		return err
	}
	defer func() { // with a context that lives still
		last, stop := context.WithTimeout(cli.Ctx(), 4*time.Second)
		defer stop()
		_, e := cli.Revoke(last, lease.ID)
		err = errors.Join(err, e)
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	alive, err := cli.KeepAlive(ctx, lease.ID) // as long as ctx
	if err != nil {
		return err
	}
	go func() {
		for range alive { // renewed: the full TTL again
		}
		cancel() // the channel is closed: the lease is lost, stop
	}()
	return work(ctx, lease.ID)
}
