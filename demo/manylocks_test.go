package demo

import (
	"context"
	"fmt"
	"strconv"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

const manyLocks = 200

// manyLocksMain is a program that holds many locks by so many leases, and renews them until
// it is killed.
func manyLocksMain(endpoint, prefix, leases string) error {
	ctx := context.Background()
	cli, err := clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop()})
	if err != nil {
		return err
	}
	defer cli.Close()
	n, err := strconv.Atoi(leases)
	if err != nil {
		return err
	}
	ttl := int64(6)
	if n == 1 { // what is found before it ends stands for a third of it, also where readings come late
		ttl = 15
	}
	ids := make([]clientv3.LeaseID, n)
	for i := range ids {
		r, err := cli.Grant(ctx, ttl)
		if err != nil {
			return err
		}
		ids[i] = r.ID
		renewals, err := cli.KeepAlive(ctx, r.ID)
		if err != nil {
			return err
		}
		go func() {
			for range renewals { // until it is killed
			}
		}()
	}
	for i := range manyLocks {
		id := ids[i%n]
		if _, err := cli.Put(ctx, claimOf(fmt.Sprintf("%sl%03d", prefix, i), id), "10.0.0.7:5678", clientv3.WithLease(id)); err != nil {
			return err
		}
	}
	fmt.Println("ready")
	select {}
}
