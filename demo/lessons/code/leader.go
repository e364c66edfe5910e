package code

import (
	"context"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

func connect(members []string) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{
		Endpoints:            members, // all of them
		DialTimeout:          5 * time.Second,
		DialKeepAliveTime:    10 * time.Second,
		DialKeepAliveTimeout: 5 * time.Second, // notices a dead one
	})
}

// deleted waits until key is deleted, after rev.
// It ends with an error when there is no leader.
func deleted(ctx context.Context, cli *clientv3.Client,
	key string, rev int64) error {
	ctx, stop := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer stop()
	for w := range cli.Watch(ctx, key, clientv3.WithFilterPut(),
		clientv3.WithRev(rev+1)) {
		if err := w.Err(); err != nil {
			return err
		}
		if len(w.Events) > 0 {
			return nil
		}
	}
	return errors.New("the watch has ended")
}
