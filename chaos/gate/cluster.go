package gate

import (
	"context"
	"fmt"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// armedFor is the one cluster that a gate may write to: an address can lead to another one
// meanwhile, even to one that was made from a copy, with the same keys and leases.
type armedFor struct {
	mu           sync.Mutex
	id           uint64 // 0 while it is not known
	otherCluster error  // another one answered: the gate stays shut
}

// saw looks at the cluster that an answer names, 0 for none. Another one than the first
// shuts the gate for good.
func (a *armedFor) saw(id uint64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.otherCluster != nil || id == 0 || id == a.id:
	case a.id == 0:
		a.id = id
	default:
		a.otherCluster = fmt.Errorf("another cluster answers (id %x instead of %x): nothing is written to it; start locktop again to look at it first", id, a.id)
	}
	return a.otherCluster
}

// cluster returns the cluster that the gate is armed for, 0 while it is not known.
func (a *armedFor) cluster() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.id
}

// shut says why the gate is shut, nil if it is not.
func (a *armedFor) shut() error { return a.saw(0) }

// statusTimeout bounds how long the endpoints have to name their cluster before a write.
const statusTimeout = 2 * time.Second

// everywhere asks each endpoint of a client for its cluster: a write goes to any one of
// them. One that does not answer gets no write either, or is found out by its answer.
func (a *armedFor) everywhere(ctx context.Context, c *clientv3.Client) error {
	ctx, cancel := context.WithTimeout(ctx, statusTimeout)
	defer cancel()
	var wg sync.WaitGroup
	for _, ep := range c.Endpoints() {
		wg.Go(func() {
			if r, err := c.Status(ctx, ep); err == nil {
				_ = a.saw(r.Header.GetClusterId()) // shut says it
			}
		})
	}
	wg.Wait()
	return a.shut()
}

// elsewhere says that the answer to a write came from another cluster, "" if it did not.
func (a *armedFor) elsewhere(id uint64) string {
	if a.saw(id) == nil {
		return ""
	}
	return fmt.Sprintf("but cluster %x did it, and it was meant for %x", id, a.cluster())
}
