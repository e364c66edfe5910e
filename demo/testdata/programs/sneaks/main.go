// Sneaks is a worker that a rehearsal has to see through: sneaks LOCK TTL FORM [KEY]. In all else it does
// as it should: it lets go when it is asked to end, and asks again after an error.
//
//	asks        has no clock of its own: it works until etcd answers that its lease has gone
//	late        stops, but half a second later than it has
//	writes      says in time that it lost the lock, and a part of it that nobody told goes on writing KEY
//	child       the same, but what writes is a process of its own
//	reacquires  takes the lock again when it lost it, without a word, as if nothing had been
//	timer       works for the time that it planned, whatever becomes of its lease
//	guesses     takes an error of Lock for the lock
//	observes    stands for election, and leads as long as Observe names it, whatever becomes of its session
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// Times of the sneaks: what late takes after its loss, where it has two seconds, and what timer plans.
const (
	late  = 2500 * time.Millisecond
	timer = 30 * time.Second
)

func main() {
	lock, form := os.Args[1], os.Args[3]
	client, err := clientv3.New(clientv3.Config{Endpoints: strings.Split(os.Getenv("ETCD_ENDPOINTS"), ",")})
	if err != nil {
		log.Fatal(err)
	}
	if form == "write" { // what child starts
		writeOn(client, lock)
	}
	ttl, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	if form == "asks" {
		if err := asks(client, lock, ttl); err != nil {
			log.Fatal(err)
		}
		select {} // a program that ends has stopped for certain, and this one only says so
	}
	key := ""
	if len(os.Args) > 4 {
		key = os.Args[4]
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	if form == "observes" {
		observes(ctx, client, lock, ttl)
		return
	}
	said := false // that it holds
	for ctx.Err() == nil {
		if err := work(ctx, client, lock, form, key, ttl, &said); err != nil {
			fmt.Println("trouble:", err)
			time.Sleep(200 * time.Millisecond)
		}
	}
	if said {
		fmt.Println("released the lock")
	}
}

// work holds the lock once, and stops as its form does.
func work(ctx context.Context, client *clientv3.Client, lock, form, key string, ttl int, said *bool) error {
	asked, cancel := context.WithTimeout(ctx, time.Duration(ttl)*time.Second)
	lease, err := client.Grant(asked, int64(ttl))
	if cancel(); err != nil {
		return err
	}
	session, err := concurrency.NewSession(client, concurrency.WithLease(lease.ID))
	if err != nil {
		return err
	}
	defer session.Close()
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-session.Done():
			cancel()
		case <-waiting.Done():
		}
	}()
	mutex := concurrency.NewMutex(session, lock)
	if err := mutex.Lock(waiting); err != nil && (form != "guesses" || ctx.Err() != nil) {
		return err
	}
	if !*said {
		fmt.Println("got the lock")
	}
	*said = true
	switch form {
	case "writes":
		go writeOn(client, key)
	case "child":
		child := exec.Command(os.Args[0], key, strconv.Itoa(ttl), "write")
		if err := child.Start(); err != nil {
			return err
		}
		go func() { _ = child.Wait() }()
	case "timer":
		select {
		case <-time.After(timer):
		case <-ctx.Done():
			return nil
		}
		fmt.Println("released the lock")
		*said = false
		return nil
	}
	// Somebody may delete the key while the session lives on.
	gone := client.Watch(waiting, mutex.Key(), clientv3.WithRev(mutex.Header().GetRevision()+1), clientv3.WithFilterPut())
	select {
	case <-gone:
	case <-session.Done():
	case <-ctx.Done():
		return nil
	}
	if form == "reacquires" {
		return nil
	}
	if form == "late" {
		select {
		case <-time.After(late):
		case <-ctx.Done():
			return nil
		}
	}
	fmt.Println("lost the lock")
	*said = false
	return nil
}

// observes stands for election again and again, and says that it leads when Observe says so.
func observes(ctx context.Context, client *clientv3.Client, lock string, ttl int) {
	me := os.Getenv("LOCKTOP_ROLE")
	session, err := concurrency.NewSession(client, concurrency.WithTTL(ttl))
	if err != nil {
		log.Fatal(err)
	}
	election := concurrency.NewElection(session, lock)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for ctx.Err() == nil {
			standing, cancel := context.WithCancel(ctx)
			stop := context.AfterFunc(session.Ctx(), cancel)
			if concurrency.NewElection(session, lock).Campaign(standing, me) == nil {
				<-standing.Done()
			}
			stop()
			cancel()
			session.Close()
			for ctx.Err() == nil {
				if next, err := concurrency.NewSession(client, concurrency.WithTTL(ttl)); err == nil {
					session = next
					break
				}
			}
		}
		session.Close()
	}()
	leads := false
	for ctx.Err() == nil {
		for r := range election.Observe(ctx) {
			if mine := string(r.Kvs[0].Value) == me; mine != leads {
				leads = mine
				fmt.Println(map[bool]string{true: "got the lock", false: "lost the lock"}[leads])
			}
		}
	}
	if leads {
		fmt.Println("released the lock")
	}
	<-done
}

// writeOn writes a key for ever, whatever comes of it.
func writeOn(client *clientv3.Client, key string) {
	for range time.Tick(200 * time.Millisecond) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		_, _ = client.Put(ctx, key, "a step more")
		cancel()
	}
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
