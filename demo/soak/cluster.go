package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// moves is how often the cluster gets another leader.
const moves = 3

// dial connects to the cluster.
func dial(endpoints []string) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: endpoints, Logger: zap.NewNop(),
		DialTimeout: 5 * time.Second, DialKeepAliveTime: 5 * time.Second, DialKeepAliveTimeout: 2 * time.Second})
}

// dialAll makes the contenders' clients, whose keepalives the ledger hears.
func dialAll(endpoints []string, n int, lg *ledger) ([]*clientv3.Client, error) {
	var all []*clientv3.Client
	for range n {
		c, err := dial(endpoints)
		if err != nil {
			closeAll(all)
			return nil, fmt.Errorf("dial: %w", err)
		}
		c.Lease = &heard{Lease: c.Lease, ledger: lg}
		all = append(all, c)
	}
	return all, nil
}

func closeAll(clients []*clientv3.Client) {
	for _, c := range clients {
		_ = c.Close()
	}
}

// heard is a lease client that tells the ledger of every answer to a keepalive.
type heard struct {
	clientv3.Lease
	ledger *ledger
}

func (h *heard) Grant(ctx context.Context, ttl int64) (*clientv3.LeaseGrantResponse, error) {
	asked := time.Now()
	r, err := h.Lease.Grant(ctx, ttl)
	if err == nil {
		h.ledger.renewed(r.ID, r.TTL, asked)
	}
	return r, err
}

func (h *heard) KeepAlive(ctx context.Context, id clientv3.LeaseID) (<-chan *clientv3.LeaseKeepAliveResponse, error) {
	in, err := h.Lease.KeepAlive(ctx, id)
	if err != nil {
		return nil, err
	}
	out := make(chan *clientv3.LeaseKeepAliveResponse)
	go func() {
		defer close(out)
		for r := range in {
			h.ledger.renewed(id, r.TTL, time.Now())
			select {
			case out <- r:
			case <-ctx.Done(): // in ends with ctx, too
			}
		}
	}()
	return out, nil
}

// moveLeaders gives the cluster another leader n times, spread over the time.
func moveLeaders(ctx context.Context, endpoints []string, lg *ledger, length time.Duration, n int) {
	for range n {
		if !pause(ctx, length/time.Duration(n+1)) {
			return
		}
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
		to, err := moveLeader(ctx, endpoints)
		cancel()
		if err != nil {
			fmt.Println("the leader did not change:", err)
			continue
		}
		lg.movedLeader()
		fmt.Printf("the leader is member %x now\n", to)
	}
}

// moveLeader asks the leader to hand over to the next member.
func moveLeader(ctx context.Context, endpoints []string) (uint64, error) {
	ids := make([]uint64, len(endpoints))
	at := -1
	for i, ep := range endpoints {
		c, err := dial([]string{ep})
		if err != nil {
			return 0, err
		}
		st, err := c.Status(ctx, ep)
		_ = c.Close()
		if err != nil {
			return 0, fmt.Errorf("status of %s: %w", ep, err)
		}
		if ids[i] = st.Header.MemberId; st.Leader == ids[i] {
			at = i
		}
	}
	if at < 0 {
		return 0, errors.New("there is none")
	}
	c, err := dial(endpoints[at : at+1])
	if err != nil {
		return 0, err
	}
	defer c.Close()
	to := ids[(at+1)%len(ids)]
	_, err = c.MoveLeader(ctx, to)
	return to, err
}

// pause waits, and says whether ctx still lives.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// rss is the memory of the process in MiB: what is resident where the system says
// so, else what Go has taken from it.
func rss() int {
	if b, err := os.ReadFile("/proc/self/statm"); err == nil {
		if f := bytes.Fields(b); len(f) > 1 {
			if pages, err := strconv.Atoi(string(f[1])); err == nil {
				return pages * os.Getpagesize() >> 20
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.Sys >> 20)
}
