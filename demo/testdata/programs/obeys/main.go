// Obeys is a worker that holds a lock for as long as its session lives, and stops when that
// ends: obeys LOCK TTL.
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

// work holds the lock once, and works until the session ends.
func work(ctx context.Context, client *clientv3.Client, lock string, ttl int) error {
	session, err := concurrency.NewSession(client, concurrency.WithTTL(ttl))
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
	select {
	case <-session.Done():
		fmt.Println("lost the lock")
	case <-ctx.Done():
		fmt.Println("released the lock")
	}
	return nil
}
