package soak

import (
	"context"
	"fmt"
	"log"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"locktop/demo/bench/load"
	"locktop/demo/cluster"
)

// process is a client that several contenders share, as the workers of one program do. It
// can be killed and comes back with a new client.
type process struct {
	mu        sync.Mutex
	ledger    *ledger
	endpoints []string
	id        int
	client    *clientv3.Client
}

func newProcess(ctx context.Context, endpoints []string, lg *ledger) (*process, error) {
	p := &process{ledger: lg, endpoints: endpoints}
	return p, p.start(ctx)
}

func (p *process) start(ctx context.Context) error {
	id := p.ledger.joins()
	c, err := clientv3.New(clientv3.Config{Endpoints: p.endpoints, Logger: zap.NewNop(), Context: ctx, DialTimeout: load.Patience,
		DialOptions: hears(p.ledger, id)})
	if err != nil {
		return fmt.Errorf("dial: %w", err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.id, p.client = id, c
	return nil
}

// now is the client, nil while it is dead.
func (p *process) now() *clientv3.Client {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.client
}

// kill ends the client as SIGKILL would: nothing is revoked, nothing is renewed.
func (p *process) kill() (leases int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.client == nil {
		return 0
	}
	leases = p.ledger.kill(p.id)
	_ = p.client.Close()
	p.client = nil
	return leases
}

func killAll(all []*process) {
	for _, p := range all {
		p.kill()
	}
}

// moveLeader gives the cluster another leader.
func moveLeader(ctx context.Context, cluster *cluster.Cluster, say *log.Logger) (done bool) {
	within, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	to, err := cluster.MoveLeader(within)
	if err != nil {
		say.Print("the leader did not change: ", err)
		return false
	}
	say.Print(clock(time.Now()), " the leader is ", to, " now")
	return true
}

func clock(at time.Time) string { return at.Local().Format("15:04:05.000") }
