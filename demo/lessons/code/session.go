package code

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// owner is one worker, or one request. No two share it.
type owner struct {
	cli   *clientv3.Client
	s     *concurrency.Session // watch s.Done() at work
	count int
}

func (o *owner) lock(ctx context.Context) error {
	if o.count > 0 { // it is locked already
		if err := o.s.Ctx().Err(); err != nil {
			return err // the lease is lost
		}
		o.count++
		return nil
	}
	s, err := concurrency.NewSession(o.cli, concurrency.WithTTL(10))
	if err != nil {
		return err
	}
	m := concurrency.NewMutex(s, "/orders")
	if err := m.Lock(ctx); err != nil {
		return errors.Join(err, s.Close()) // no claim stays behind
	}
	o.s, o.count = s, 1 // only what Lock gave is counted
	return nil
}

func (o *owner) unlock() error {
	if o.count == 0 {
		return errors.New("it is not locked")
	}
	if o.count--; o.count > 0 {
		return nil
	}
	return o.s.Close() // an error: the lease may have been lost
}
