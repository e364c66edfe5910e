package contender

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
)

// The recipes that articles and tutorials print, with what is wrong in them left as it is.

// stepWithin bounds the delete of an unlock in steps: tutorials set no deadline.
const stepWithin = time.Minute

// putInSteps is putAsOwner with an unlock of three requests: it reads the value, compares
// it by itself, and deletes the key by its name.
func (a *attempt) putInSteps(ctx context.Context) (claim, error) {
	c, err := a.putFresh(ctx)
	c.release = a.deleteAfterLook
	return c, err
}

func (a *attempt) deleteAfterLook(ctx context.Context) error {
	r, err := a.client.Get(ctx, a.lock)
	switch {
	case err != nil:
		return err
	case len(r.Kvs) == 0:
		return errNoSuchLock
	case string(r.Kvs[0].Value) != a.value:
		return errLockOfOthers
	}
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), stepWithin)
	defer cancel()
	return a.deleteByName(a.lock)(within)
}

// jobOf is the key that putJob writes: not the one that it compares.
func jobOf(lock string) string {
	if job := strings.Replace(lock, "/lock/", "/jobs/", 1); job != lock {
		return job
	}
	return lock + "-job"
}

// putJob compares the create revision of one key, which nobody ever writes, and puts
// another: every attempt succeeds.
func (a *attempt) putJob(ctx context.Context) (claim, error) {
	job := jobOf(a.lock)
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	r, err := a.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(a.lock), "=", 0)).
		Then(clientv3.OpPut(job, a.value, clientv3.WithLease(a.leaseID()))).Commit()
	if err != nil {
		return claim{}, fmt.Errorf("put %s: %w", job, err)
	}
	if !r.Succeeded {
		return claim{}, fmt.Errorf("%s is there", a.lock)
	}
	return claim{key: job, lease: model.LeaseID(a.leaseID()), release: a.deleteByName(job)}, nil
}

// renewedBy takes the key of the lock's name with a lease that only this claim has, and that
// keep keeps alive until renewing ends. Its unlock revokes the lease.
func renewedBy(keep func(a *attempt, renewing context.Context, lease clientv3.LeaseID)) func(*attempt, context.Context) (claim, error) {
	return func(a *attempt, ctx context.Context) (claim, error) {
		c, err := a.putFresh(ctx)
		lease := clientv3.LeaseID(c.lease)
		if errors.Is(err, errTaken) { // the lease stays behind no longer than its TTL
			_, _ = a.client.Revoke(ctx, lease)
		}
		if err != nil {
			return claim{}, err
		}
		renewing, stop := context.WithCancel(a.client.Ctx())
		keep(a, renewing, lease)
		c.release = func(ctx context.Context) error {
			stop()
			_, err := a.client.Revoke(ctx, lease)
			return err
		}
		return c, nil
	}
}

// renewByTimer does as a scheduled job: the first renewal that fails throws an error into the
// timer, which never calls again.
func (a *attempt) renewByTimer(renewing context.Context, lease clientv3.LeaseID) {
	every := time.Duration(a.ttl) * time.Second / 3
	go func() {
		timer := time.NewTicker(every)
		defer timer.Stop()
		for {
			select {
			case <-timer.C:
			case <-renewing.Done():
				return
			}
			within, cancel := context.WithTimeout(renewing, min(askWithin, every*2/3))
			_, err := a.client.KeepAliveOnce(within, lease)
			cancel()
			if err != nil {
				return
			}
		}
	}()
}

// renewUnread leaves all answers to the client library: it renews, and its word that the lease
// has gone, a channel that is closed, reaches nobody.
func (a *attempt) renewUnread(renewing context.Context, lease clientv3.LeaseID) {
	_, _ = a.client.KeepAlive(renewing, lease)
}

// renewUnderLeader hears by a closed channel that the cluster has no leader, and stops. It does
// not cancel the context of its renewals, as no example does: the library of etcd 3.7 forgets
// the channel and keeps the lease, and renews it for as long as the program runs.
func (a *attempt) renewUnderLeader(renewing context.Context, lease clientv3.LeaseID) {
	answers, err := a.client.KeepAlive(clientv3.WithRequireLeader(renewing), lease)
	if err != nil {
		a.lose()
		return
	}
	go func() {
		for range answers {
		}
		if renewing.Err() == nil {
			a.lose()
		}
	}()
}

// putThenExpire gives the key its lease by a second put: who ends in between leaves a key that
// nothing ever ends.
func (a *attempt) putThenExpire(ctx context.Context) (claim, error) {
	c, err := a.putWith(ctx, clientv3.NoLease)
	if err != nil {
		return c, err
	}
	lease, err := grant(ctx, a.client, a.ttl)
	if err != nil {
		return c, err
	}
	c.lease = model.LeaseID(lease)
	_, err = a.client.Put(ctx, a.lock, a.value, clientv3.WithLease(lease))
	return c, err
}

// lookThenPut compares nothing when it puts: two that looked at the same time both put, and
// the second key stands over the first.
func (a *attempt) lookThenPut(ctx context.Context) (claim, error) {
	there, err := a.client.Get(ctx, a.lock)
	if err != nil {
		return claim{}, fmt.Errorf("look for the key: %w", err)
	}
	if len(there.Kvs) > 0 {
		a.seen = there.Header.Revision
		return claim{}, errTaken
	}
	r, err := a.client.Put(ctx, a.lock, a.value, clientv3.WithLease(a.leaseID()))
	if err != nil {
		return claim{}, fmt.Errorf("put %s: %w", a.lock, err)
	}
	return claim{key: a.lock, lease: model.LeaseID(a.leaseID()), token: r.Header.Revision, release: a.deleteOwn}, nil
}

// times is how often a session has each lock.
type times struct {
	mu sync.Mutex
	of map[string]int
}

// add counts one more, or one less, and returns how many there are then.
func (t *times) add(lock string, n int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of == nil {
		t.of = map[string]int{}
	}
	t.of[lock] = max(0, t.of[lock]+n) // an unlock may be sent twice
	return t.of[lock]
}

// lockCounted counts for the session, as its Mutex does not: only the last unlock of a lock is
// sent to etcd.
func (a *attempt) lockCounted(ctx context.Context) (claim, error) {
	c, err := a.lockMutex(ctx)
	if err != nil {
		return c, err
	}
	a.times.add(a.lock, 1)
	release := c.release
	c.release = func(ctx context.Context) error {
		if a.times.add(a.lock, -1) > 0 {
			return nil
		}
		return release(ctx)
	}
	return c, nil
}
