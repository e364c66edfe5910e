package code

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// takeBoth takes both locks or none. Renew the lease while you hold.
func takeBoth(ctx context.Context, cli *clientv3.Client,
	me string, lease clientv3.LeaseID) (bool, error) {
	const stock, bill = "/locks/stock", "/locks/bill"
	r, err := cli.Txn(ctx).If( // what is put below is compared here
		clientv3.Compare(clientv3.Version(stock), "=", 0),
		clientv3.Compare(clientv3.Version(bill), "=", 0),
	).Then(
		clientv3.OpPut(stock, me, clientv3.WithLease(lease)),
		clientv3.OpPut(bill, me, clientv3.WithLease(lease)),
	).Commit()
	if err != nil {
		return false, err // done or not: revoke the lease
	}
	return r.Succeeded, nil // false: one of them is taken
}
