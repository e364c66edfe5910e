package soak

import (
	"context"
	"fmt"
	"log"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/bench/load"
	"locktop/demo/cluster"
)

// dialAll makes the contenders' clients, whose keepalives the ledger hears.
func dialAll(ctx context.Context, endpoints []string, n int, lg *ledger) ([]*clientv3.Client, error) {
	var all []*clientv3.Client
	for range n {
		c, err := load.Dial(ctx, endpoints...)
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

// moveLeaders gives the cluster another leader, spread over the time, and says how
// often it did.
func moveLeaders(ctx context.Context, cluster *cluster.Cluster, length time.Duration, say *log.Logger) (n int) {
	for range moves {
		if !load.Pause(ctx, length/(moves+1)) {
			break
		}
		within, cancel := context.WithTimeout(ctx, 10*time.Second)
		to, err := cluster.MoveLeader(within)
		cancel()
		if err != nil {
			say.Print("the leader did not change: ", err)
			continue
		}
		n++
		say.Print("the leader is ", to, " now")
	}
	return n
}
