// Obeys is a worker that holds a lock for as long as its session lives and its key is there, and
// stops when either ends: obeys LOCK TTL.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

func main() {
	ttl, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	client, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(os.Getenv("ETCD_ENDPOINTS"), ",")})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	for ctx.Err() == nil {
		if err := work(ctx, client, os.Args[1], ttl); err != nil {
			fmt.Println("trouble:", err)
			time.Sleep(200 * time.Millisecond)
		}
	}
}

// work holds the lock once, and works until the session ends or the key is gone.
func work(ctx context.Context, client *clientv3.Client, lock string, ttl int) error {
	asked, cancel := context.WithTimeout(ctx, time.Duration(ttl)*time.Second) // the answer may be lost
	lease, err := client.Grant(asked, int64(ttl))
	if cancel(); err != nil {
		return err
	}
	session, err := concurrency.NewSession(client, concurrency.WithLease(lease.ID))
	if err != nil {
		return err
	}
	defer session.Close()
	// The wait for the lock ends with the session, or it would wait on with a key that is gone.
	waiting, cancel := context.WithCancel(ctx)
	go func() {
		select {
		case <-session.Done():
			cancel()
		case <-waiting.Done():
		}
	}()
	defer cancel()
	mutex := concurrency.NewMutex(session, lock)
	if err := mutex.Lock(waiting); err != nil {
		return err
	}
	fmt.Println("got the lock")
	// Somebody may delete the key while the session lives on.
	gone := client.Watch(waiting, mutex.Key(), clientv3.WithRev(mutex.Header().Revision+1), clientv3.WithFilterPut())
	for {
		select {
		case r, ok := <-gone:
			if ok && r.Err() == nil && len(r.Events) == 0 {
				continue
			}
			fmt.Println("lost the lock")
		case <-session.Done():
			fmt.Println("lost the lock")
		case <-ctx.Done():
			fmt.Println("released the lock")
		}
		return nil
	}
}
