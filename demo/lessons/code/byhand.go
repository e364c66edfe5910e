package code

import (
	"context"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// tryAcquire is the transaction that Lock begins with: rev is the place
// of my key, and mine says that none is before it. Else wait: lesson 3.
func tryAcquire(ctx context.Context, cli *clientv3.Client, name string,
	lease clientv3.LeaseID) (rev int64, mine bool, err error) {
	key := fmt.Sprintf("%s/%x", name, lease)
	owner := clientv3.OpGet(name+"/", clientv3.WithFirstCreate()...)
	r, err := cli.Txn(ctx).If(
		clientv3.Compare(clientv3.CreateRevision(key), "=", 0),
	).Then(
		clientv3.OpPut(key, "", clientv3.WithLease(lease)), owner,
	).Else( // the same session has asked before
		clientv3.OpGet(key), owner,
	).Commit()
	if err != nil {
		return 0, false, err // it may be there: revoke the lease
	}
	rev = r.Header.Revision // at which it was put
	if !r.Succeeded {
		rev = r.Responses[0].GetResponseRange().Kvs[0].CreateRevision
	}
	first := r.Responses[1].GetResponseRange().Kvs[0]
	return rev, first.CreateRevision == rev, nil
}
