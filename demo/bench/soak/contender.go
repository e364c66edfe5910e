package soak

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"locktop/demo/bench/load"
)

const (
	holdMin  = 10 * time.Millisecond
	thinkMin = 50 * time.Millisecond
	thinkMax = 5 * time.Second
	ttlMin   = 5
	ttlMax   = 60
	perLock  = 4 // contenders of a recipe for one lock, about
)

// contender takes a lock, holds it and gives it up in changing ways, until its
// context ends.
type contender struct {
	name       string
	number     int
	process    *process
	client     *clientv3.Client // of the process, since the session began
	registered claimID          // what else hangs on the lease of the session
	ledger     *ledger
	rng        *rand.Rand
	recipe     recipe
	lock       string
	ttl        int
	most       time.Duration
}

// newContender makes the i-th.
func newContender(i int, p *process, lg *ledger, o options) *contender {
	kind := i % len(recipes)
	n := max(1, o.contenders/len(recipes)/perLock)
	rng := rand.New(rand.NewPCG(o.seed, uint64(i)))
	return &contender{name: fmt.Sprintf("c%d", i), number: i, process: p, ledger: lg, rng: rng, recipe: recipes[kind],
		lock: fmt.Sprintf("%s%d", recipes[kind].prefix, i/len(recipes)%n),
		ttl:  ttlMin + rng.IntN(ttlMax-ttlMin+1), most: o.holdMax}
}

// run competes until ctx ends, with a new session after each that was closed.
func (c *contender) run(ctx context.Context) {
	for load.Pause(ctx, c.between(thinkMin, thinkMax)) {
		if c.client = c.process.now(); c.client == nil {
			continue
		}
		s, err := concurrency.NewSession(c.client, concurrency.WithTTL(c.ttl))
		if err != nil {
			continue
		}
		c.registered = claimID{}
		c.compete(ctx, s)
		s.Orphan()
	}
}

// compete takes the lock again and again on one session, until that is closed.
func (c *contender) compete(ctx context.Context, s *concurrency.Session) {
	for ctx.Err() == nil {
		err := c.round(ctx, s)
		switch {
		case err == nil, errors.Is(err, concurrency.ErrLocked):
		case errors.Is(err, errClosed) || ctx.Err() != nil || c.ledger.dies(s.Lease()):
			return
		default: // it may have left a key, which only the end of the session removes
			c.ledger.failed(c.lock, err)
			c.close(s)
			return
		}
		if !load.Pause(ctx, c.between(thinkMin, thinkMax)) {
			return
		}
	}
}

// errClosed says that the session was closed on purpose.
var errClosed = errors.New("closed")

// round takes the lock once and gives it up.
func (c *contender) round(ctx context.Context, s *concurrency.Session) error {
	g, err := c.recipe.take(ctx, c, s)
	if err != nil {
		return err
	}
	key, err := c.own(ctx, s)
	if err != nil {
		return err
	}
	c.ledger.holds(s.Lease())
	c.hold(ctx, s, g)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.Done():
		if ctx.Err() == nil {
			c.ledger.end(key, s.Lease(), lost)
			c.ledger.lapses(s.Lease())
		}
		return errClosed
	default:
	}
	how := []ending{unlocked, unlocked, unlocked, unlockedClosed, closed}[c.rng.IntN(5)]
	c.ledger.end(key, s.Lease(), how)
	if how != closed {
		if err := g.release(ctx); err != nil {
			return err
		}
	}
	if how == unlocked {
		return nil
	}
	c.close(s)
	return errClosed
}

// close ends a session on purpose. Where that fails the lease lives on, and nobody
// renews it: to warn of it is right.
func (c *contender) close(s *concurrency.Session) {
	select {
	case <-s.Done():
		c.ledger.lapses(s.Lease())
	default:
	}
	c.ledger.closing(s.Lease())
	if c.registered.key != "" {
		c.ledger.end(c.registered, s.Lease(), closed)
	}
	if err := s.Close(); err != nil {
		c.ledger.failed(c.lock, err)
		return
	}
	c.ledger.closed(s.Lease())
}

// hold keeps the lock for a while, and in the middle does what holders of the
// recipe do.
func (c *contender) hold(ctx context.Context, s *concurrency.Session, g grip) {
	d := c.between(holdMin, c.most)
	for i := range 2 {
		select {
		case <-time.After(d / 2):
		case <-s.Done():
		case <-ctx.Done():
		}
		if g.proclaim != nil && ctx.Err() == nil {
			_ = g.proclaim(ctx, fmt.Sprintf("%s %d", c.name, i))
		}
	}
}

// between is a time between two bounds, short ones as likely as long ones.
func (c *contender) between(least, most time.Duration) time.Duration {
	return time.Duration(float64(least) * math.Pow(float64(most)/float64(least), c.rng.Float64()))
}

// own finds the contender's key: the one under the lock's name on its lease.
func (c *contender) own(ctx context.Context, s *concurrency.Session) (claimID, error) {
	got, err := c.client.Get(ctx, c.lock, clientv3.WithPrefix()) // its registration lies elsewhere
	if err != nil {
		return claimID{}, err
	}
	for _, kv := range got.Kvs {
		if clientv3.LeaseID(kv.Lease) == s.Lease() {
			return claimID{string(kv.Key), kv.CreateRevision}, nil
		}
	}
	return claimID{}, errors.New("its key is gone")
}
