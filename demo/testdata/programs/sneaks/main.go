// Sneaks is a worker that a rehearsal has to see through: sneaks LOCK TTL asks|writes KEY.
//
// asks has no clock of its own: it asks etcd to renew and works until etcd answers that its lease
// has gone, however long that takes. writes says in time that it lost the lock, and a part of it
// that nobody told goes on writing KEY.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func main() {
	ttl, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(os.Getenv("ETCD_ENDPOINTS"), ",")})
	if err != nil {
		log.Fatal(err)
	}
	if os.Args[3] == "writes" {
		err = writes(client, os.Args[1], os.Args[4], ttl)
	} else {
		err = asks(client, os.Args[1], ttl)
	}
	if err != nil {
		log.Fatal(err)
	}
	select {} // a program that ends has stopped for certain, and this one only says so
}

// asks holds the lock until etcd itself says that the lease has gone.
func asks(client *clientv3.Client, lock string, ttl int) error {
	ctx := context.Background()
	lease, err := client.Grant(ctx, int64(ttl))
	if err != nil {
		return err
	}
	gone := make(chan struct{})
	go func() { // waiting for the lock takes renewals, too
		for range time.Tick(time.Second) {
			if _, err := client.KeepAliveOnce(ctx, lease.ID); errors.Is(err, rpctypes.ErrLeaseNotFound) {
				close(gone)
				return
			}
		}
	}()
	if _, err := client.Put(ctx, fmt.Sprintf("%s/%x", lock, lease.ID), "", clientv3.WithLease(lease.ID)); err != nil {
		return err
	}
	for {
		first, err := client.Get(ctx, lock+"/", append(clientv3.WithFirstCreate(), clientv3.WithPrefix())...)
		if err != nil {
			return err
		}
		if len(first.Kvs) == 1 && first.Kvs[0].Lease == int64(lease.ID) {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	fmt.Println("got the lock")
	<-gone
	fmt.Println("lost the lock")
	return nil
}

// writes says that it lost the lock when its session ends, and writes on.
func writes(client *clientv3.Client, lock, key string, ttl int) error {
	session, err := concurrency.NewSession(client, concurrency.WithTTL(ttl))
	if err != nil {
		return err
	}
	if err := concurrency.NewMutex(session, lock).Lock(context.Background()); err != nil {
		return err
	}
	fmt.Println("got the lock")
	go func() {
		for range time.Tick(200 * time.Millisecond) {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			_, _ = client.Put(ctx, key, "a step more") // it tries again whatever comes of it
			cancel()
		}
	}()
	<-session.Done()
	fmt.Println("lost the lock")
	return nil
}
