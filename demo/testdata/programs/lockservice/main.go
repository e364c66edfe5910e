// Lockservice is a worker that takes its lock by the lock service of etcd, with the calls that
// jetcd makes: a lease, its renewals, and Lock. It never looks at what comes of its renewals:
// lockservice LOCK TTL. It is no part of jetcd, and Go's client library renews.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	lockpb "go.etcd.io/etcd/server/v3/etcdserver/api/v3lock/v3lockpb"
)

func main() {
	ttl, err := strconv.ParseInt(os.Args[2], 10, 64)
	if err != nil {
		log.Fatal(err)
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(os.Getenv("ETCD_ENDPOINTS"), ",")})
	if err != nil {
		log.Fatal(err)
	}
	if err := work(context.Background(), client, os.Args[1], ttl); err != nil {
		log.Fatal(err)
	}
}

func work(ctx context.Context, client *clientv3.Client, name string, ttl int64) error {
	lease, err := client.Grant(ctx, ttl)
	if err != nil {
		return err
	}
	renewals, err := client.KeepAlive(ctx, lease.ID)
	if err != nil {
		return err
	}
	go func() {
		for range renewals { // an observer that does nothing
		}
	}()
	service := lockpb.NewLockClient(client.ActiveConnection())
	if _, err := service.Lock(ctx, &lockpb.LockRequest{Name: []byte(name), Lease: int64(lease.ID)}); err != nil {
		return err
	}
	fmt.Println("got the lock")
	for range time.Tick(300 * time.Millisecond) {
		if _, err := client.Put(ctx, "/work", "a step more"); err != nil {
			fmt.Println("trouble:", err)
		}
	}
	return nil
}
