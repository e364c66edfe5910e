package code

import (
	"context"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// unlock deletes key if its value is me, which no other take has.
func unlock(ctx context.Context, cli *clientv3.Client,
	key, me string) error {
	// Also after ctx has ended:
	last, stop := context.WithTimeout(
		context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	r, err := cli.Txn(last).
		If(clientv3.Compare(clientv3.Value(key), "=", me)).
		Then(clientv3.OpDelete(key)).Commit()
	if err != nil {
		return err // it may be deleted: let the lease end, too
	}
	if !r.Succeeded {
		return errors.New("somebody else holds it, or nobody")
	}
	return nil
}
