package code

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// step is one of the work, after m.Lock returned no error.
// After an error of step end the work, and close s.
func step(ctx context.Context, cli *clientv3.Client,
	s *concurrency.Session, m *concurrency.Mutex) error {
	select {
	case <-s.Done(): // the lease is lost: stop
		return errors.New("the lock is lost")
	default:
	}
	// A pause may come here. So etcd looks once more:
	r, err := cli.Txn(ctx).If(m.IsOwner()).
		Then(clientv3.OpPut("step", "2")).Commit()
	if err != nil {
		return err // it may be written: read before you try again
	}
	if !r.Succeeded {
		return errors.New("the lock is lost, and nothing is written")
	}
	return nil
}
