// Ignores is a worker that takes a lock and never looks at its session again: ignores LOCK
// TTL. It writes to the key /work once in a while, whoever holds the lock.
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
	session, err := concurrency.NewSession(client, concurrency.WithTTL(ttl))
	if err != nil {
		log.Fatal(err)
	}
	if err := concurrency.NewMutex(session, os.Args[1]).Lock(context.Background()); err != nil {
		log.Fatal(err)
	}
	fmt.Println("got the lock")
	for range time.Tick(300 * time.Millisecond) {
		if _, err := client.Put(context.Background(), "/work", "a step more"); err != nil {
			fmt.Println("trouble:", err)
		}
	}
}
