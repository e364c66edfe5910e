package code

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// Not "/orders" beside "/orders/eu":
const everywhere, europe = "/orders/all", "/orders/eu"

// holderOf is the first key of a lock, "" for none.
// NewMutex adds a slash to the name, code of your own has to:
// "/orders/eu-west" begins like europe.
func holderOf(ctx context.Context, cli *clientv3.Client,
	name string) (key string, err error) {
	r, err := cli.Get(ctx, name+"/", clientv3.WithFirstCreate()...)
	if err != nil {
		return "", err
	}
	if len(r.Kvs) == 0 {
		return "", nil
	}
	return string(r.Kvs[0].Key), nil
}
