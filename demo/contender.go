package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	"go.uber.org/zap"

	"locktop/model"
)

const (
	// leaveWithin bounds how long a contender that is told to end tries to let go.
	leaveWithin = 2 * time.Second
	// askWithin bounds one request that is not waiting for the lock.
	askWithin = 3 * time.Second
	// Backoff after an error, doubling.
	backoffMin = 200 * time.Millisecond
	backoffMax = 3 * time.Second
)

// RunContender competes for a lock until ctx ends, the process gets SIGTERM or
// SIGINT, or o.EndWith ends: it waits for the lock, holds it, lets it go, thinks,
// and prints each change of what it believes to out as a [BeliefLine]. A session
// that is lost is said and replaced, and so is an etcd that cannot be reached.
//
// In the end it lets go of its claim, so that the next in line has the lock at
// once; it tries that for at most two seconds. The error is about options that
// cannot work; an ordinary end is nil.
func RunContender(ctx context.Context, o ContenderOptions, out io.Writer) error {
	if err := o.Check(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGTERM, os.Interrupt)
	defer stop()
	if o.EndWith != nil {
		go func() {
			io.Copy(io.Discard, o.EndWith)
			stop()
		}()
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints:            o.Endpoints,
		DialTimeout:          askWithin,
		DialKeepAliveTime:    2 * time.Second,
		DialKeepAliveTimeout: askWithin,
		Logger:               zap.NewNop(), // the default one writes to the terminal
	})
	if err != nil {
		return fmt.Errorf("contend for %s: %w", o.Lock, err)
	}
	c := &contender{
		o: o, client: client,
		rng: rand.New(rand.NewPCG(o.Seed, o.Seed^0x9e3779b97f4a7c15)),
		tell: &teller{out: out, base: BeliefLine{
			Contender: o.Name, PID: os.Getpid(), Lock: o.Lock}},
	}
	ended := make(chan struct{})
	defer close(ended)
	go closeAfter(ctx, client, ended)
	c.run(ctx)
	_ = client.Close() // what it may fail with is that it is closed
	return nil
}

// closeAfter ends what does not end by itself soon after ctx did, by closing the
// client under it. It returns with ended at the latest.
func closeAfter(ctx context.Context, client *clientv3.Client, ended <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-ended:
		return
	}
	if !wait(ended, leaveWithin) {
		_ = client.Close()
	}
}

// contender is the state of RunContender.
type contender struct {
	o      ContenderOptions
	client *clientv3.Client
	rng    *rand.Rand
	tell   *teller
}

// errLost says that the session ended before its user did.
var errLost = errors.New("the session is lost")

// run goes through sessions until ctx ends.
func (c *contender) run(ctx context.Context) {
	c.tell.say(model.BeliefIdle, "", 0, "")
	pause := backoffMin
	for ctx.Err() == nil {
		begun := time.Now()
		err := c.session(ctx)
		if ctx.Err() != nil || errors.Is(err, errLost) {
			continue // a lost session is no reason to wait with the next
		}
		c.tell.say(model.BeliefIdle, "", 0, c.explain(err))
		if time.Since(begun) > 2*backoffMax {
			pause = backoffMin
		}
		sleep(ctx, nil, c.jitter(pause, 0.3))
		pause = min(2*pause, backoffMax)
	}
}

// session opens a session and competes until it is lost, something fails or ctx
// ends. It never returns nil before ctx ended.
func (c *contender) session(ctx context.Context) error {
	asking, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	grant, err := c.client.Grant(asking, int64(c.o.TTL))
	if err != nil {
		return fmt.Errorf("grant a lease: %w", err)
	}
	// The session outlives ctx, or it could not be closed in order. Closing waits
	// no longer than the TTL that it is told.
	s, err := concurrency.NewSession(c.client, concurrency.WithLease(grant.ID),
		concurrency.WithTTL(int(leaveWithin/time.Second)))
	if err != nil {
		return fmt.Errorf("open a session: %w", err)
	}
	r := newRecipe(c.o, s)
	for {
		if err := c.round(ctx, s, r); err != nil {
			if !isDone(s.Done()) {
				// Nobody knows what became of the claim: it must not stay behind.
				_ = s.Close()
			}
			return err
		}
	}
}

// round is: wait for the lock, hold it, let it go, think.
func (c *contender) round(ctx context.Context, s *concurrency.Session, r recipe) error {
	lease := model.LeaseID(s.Lease())
	key := c.o.Lock + "/" + lease.String()
	c.tell.say(model.BeliefWaiting, key, lease, "")
	// Without this a waiter whose lease ended waits on, as the client library does
	// not look at its own key while it waits.
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	unhook := context.AfterFunc(s.Ctx(), cancel)
	err := r.acquire(waiting)
	unhook()
	switch {
	case ctx.Err() != nil:
		c.letGo(r)
		return ctx.Err()
	case isDone(s.Done()) || errors.Is(err, rpctypes.ErrLeaseNotFound):
		return c.lost(s, key, leaseGone)
	case errors.Is(err, concurrency.ErrSessionExpired):
		// So the library says, but all that it saw is that the key is not there.
		return c.lost(s, key, "the key is gone, though the session is not")
	case err != nil:
		return fmt.Errorf("wait for the lock: %w", err)
	}
	c.tell.say(model.BeliefHolding, key, lease, "")
	if !sleep(ctx, s.Done(), c.jitter(c.o.Hold, 1.0/3)) && ctx.Err() == nil {
		return c.lost(s, key, leaseGone)
	}
	if err := c.letGo(r); err != nil {
		return fmt.Errorf("let the lock go: %w", err)
	}
	c.tell.say(model.BeliefIdle, "", 0, "")
	if !sleep(ctx, s.Done(), c.jitter(c.o.Think, 0.6)) && ctx.Err() == nil {
		return c.lost(s, "", leaseGone)
	}
	return ctx.Err()
}

// leaseGone is what the client library tells by ending a session.
const leaseGone = "the session is gone: its lease was not renewed in time"

// lost says that the claim or its session is gone, and why.
func (c *contender) lost(s *concurrency.Session, key, why string) error {
	c.tell.say(model.BeliefLost, key, model.LeaseID(s.Lease()), why)
	return errLost
}

// letGo gives the lock back, whatever became of ctx.
func (c *contender) letGo(r recipe) error {
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	return r.release(ctx)
}

// jitter is d, give or take up to the share.
func (c *contender) jitter(d time.Duration, share float64) time.Duration {
	return time.Duration(float64(d) * (1 + share*(2*c.rng.Float64()-1)))
}

// sleep waits for d, and says whether it was not cut short by ctx or done.
func sleep(ctx context.Context, done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
	case <-done:
	}
	return false
}

func isDone(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// explain puts an error into words that help.
func (c *contender) explain(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Sprintf("no answer from %s within %v; trying again", strings.Join(c.o.Endpoints, ", "), askWithin)
	}
	return err.Error() + "; trying again"
}
