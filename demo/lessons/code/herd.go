package code

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// waitTurn waits with the claim key, which was created at rev.
// After an error revoke its lease: the claim may stand.
func waitTurn(ctx context.Context, cli *clientv3.Client,
	key string, rev int64) error {
	mine := clientv3.Compare(clientv3.CreateRevision(key), "=", rev)
	ahead := clientv3.OpGet("/queue/", append(clientv3.WithLastCreate(),
		clientv3.WithMaxCreateRev(rev-1))...)
	for {
		r, err := cli.Txn(ctx).If(mine).Then(ahead).Commit()
		if err != nil {
			return err
		}
		if !r.Succeeded {
			return errors.New("the claim is gone, and the lease with it")
		}
		first := r.Responses[0].GetResponseRange().Kvs
		if len(first) == 0 {
			return nil // nobody is ahead: it is mine
		}
		watching, stop := context.WithCancel(ctx)
		w := <-cli.Watch(watching, string(first[0].Key),
			clientv3.WithFilterPut(),
			clientv3.WithRev(r.Header.Revision+1))
		stop() // it was deleted: look again
		if w.Err() != nil && w.CompactRevision == 0 {
			return w.Err()
		}
	}
}
