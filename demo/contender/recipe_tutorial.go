package contender

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
)

// The recipes that articles and tutorials print, with what is wrong in them left as it is.

// takeInSteps is takeAsOwner with an unlock of three requests: it reads the value, compares
// it by itself, and deletes the key by its name.
func takeInSteps(b bid) attempt {
	a := takeAsOwner(b)
	take := a.acquire
	a.acquire = func(ctx context.Context) (claim, error) {
		c, err := take(ctx)
		c.release = b.deleteAfterLook
		return c, err
	}
	return a
}

func (b bid) deleteAfterLook(ctx context.Context) error {
	r, err := b.client.Get(ctx, b.lock)
	switch {
	case err != nil:
		return err
	case len(r.Kvs) == 0:
		return errNoSuchLock
	case string(r.Kvs[0].Value) != b.value:
		return errLockOfOthers
	}
	return b.deleteByName(b.lock)(ctx)
}

// jobOf is the key that takeForJob writes: not the one that it compares.
func jobOf(lock string) string {
	if job := strings.Replace(lock, "/lock/", "/jobs/", 1); job != lock {
		return job
	}
	return lock + "-job"
}

// takeForJob compares the create revision of one key, which nobody ever writes, and puts
// another: every attempt succeeds.
func takeForJob(b bid) attempt {
	job := jobOf(b.lock)
	return attempt{claim: b.keyless(), acquire: func(ctx context.Context) (claim, error) {
		ctx, cancel := context.WithTimeout(ctx, askWithin)
		defer cancel()
		r, err := b.client.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(b.lock), "=", 0)).
			Then(clientv3.OpPut(job, b.value, clientv3.WithLease(b.leaseID()))).Commit()
		if err != nil {
			return claim{}, fmt.Errorf("put %s: %w", job, err)
		}
		if !r.Succeeded {
			return claim{}, fmt.Errorf("%s is there", b.lock)
		}
		return claim{key: job, lease: model.LeaseID(b.leaseID()), release: b.deleteByName(job)}, nil
	}}
}

// onOwnLease takes the key of the lock's name with a lease that only this claim has, and that
// keep keeps alive until renewing ends. Its unlock revokes the lease.
func (b bid) onOwnLease(keep func(renewing context.Context, lease clientv3.LeaseID)) attempt {
	return attempt{acquire: func(ctx context.Context) (claim, error) {
		for {
			lease, err := grant(ctx, b.client, b.ttl)
			if err != nil {
				return claim{}, err
			}
			rev, ok, err := b.put(ctx, b.lock, b.value, lease)
			if err != nil {
				return claim{}, err
			}
			if !ok { // the lease stays behind no longer than its TTL
				_, _ = b.client.Revoke(ctx, lease)
				if err := b.gone(ctx, b.lock, rev+1); err != nil {
					return claim{}, err
				}
				continue
			}
			renewing, stop := context.WithCancel(b.client.Ctx())
			keep(renewing, lease)
			return claim{key: b.lock, lease: model.LeaseID(lease), token: rev, release: func(ctx context.Context) error {
				stop()
				_, err := b.client.Revoke(ctx, lease)
				return err
			}}, nil
		}
	}}
}

// renewByTimer does as a scheduled job: the first renewal that fails throws an error into the
// timer, which never calls again.
func renewByTimer(b bid) attempt {
	return b.onOwnLease(func(renewing context.Context, lease clientv3.LeaseID) {
		every := time.Duration(b.ttl) * time.Second / 3
		go func() {
			for timer := time.NewTicker(every); ; {
				select {
				case <-timer.C:
				case <-renewing.Done():
					timer.Stop()
					return
				}
				within, cancel := context.WithTimeout(renewing, min(askWithin, every*2/3))
				_, err := b.client.KeepAliveOnce(within, lease)
				cancel()
				if err != nil {
					timer.Stop()
					return
				}
			}
		}()
	})
}

// renewUnread leaves all answers to the client library: it renews, and its word that the lease
// has gone, a channel that is closed, reaches nobody.
func renewUnread(b bid) attempt {
	return b.onOwnLease(func(renewing context.Context, lease clientv3.LeaseID) {
		_, _ = b.client.KeepAlive(renewing, lease)
	})
}

// renewUnderLeader hears by a closed channel that the cluster has no leader, and stops. It does
// not cancel the context of its renewals, as no example does: the library of etcd 3.7 forgets
// the channel and keeps the lease, and renews it for as long as the program runs.
func renewUnderLeader(b bid) attempt {
	return b.onOwnLease(func(renewing context.Context, lease clientv3.LeaseID) {
		answers, err := b.client.KeepAlive(clientv3.WithRequireLeader(renewing), lease)
		if err != nil {
			b.lose()
			return
		}
		go func() {
			for range answers {
			}
			if renewing.Err() == nil {
				b.lose()
			}
		}()
	})
}

// putThenExpire gives the key its lease by a second put: who ends in between leaves a key that
// nothing ever ends.
func putThenExpire(b bid) attempt {
	return b.untilTakenBy(clientv3.NoLease, func(ctx context.Context, rev int64) error {
		return b.gone(ctx, b.lock, rev+1)
	}, func(ctx context.Context, c *claim) error {
		lease, err := grant(ctx, b.client, b.ttl)
		if err != nil {
			return err
		}
		c.lease = model.LeaseID(lease)
		_, err = b.client.Put(ctx, b.lock, b.value, clientv3.WithLease(lease))
		return err
	})
}

// lookThenPut compares nothing when it puts: two that looked at the same time both put, and
// the second key stands over the first.
func lookThenPut(b bid) attempt {
	return attempt{claim: b.keyless(), acquire: func(ctx context.Context) (claim, error) {
		for {
			r, err := b.client.Get(ctx, b.lock)
			if err != nil {
				return claim{}, fmt.Errorf("look for the key: %w", err)
			}
			if len(r.Kvs) == 0 {
				break
			}
			if err := b.gone(ctx, b.lock, r.Header.Revision+1); err != nil {
				return claim{}, err
			}
		}
		r, err := b.client.Put(ctx, b.lock, b.value, clientv3.WithLease(b.leaseID()))
		if err != nil {
			return claim{}, fmt.Errorf("put %s: %w", b.lock, err)
		}
		return claim{key: b.lock, lease: model.LeaseID(b.leaseID()), token: r.Header.Revision, release: b.deleteOwn}, nil
	}}
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
func lockCounted(b bid) attempt {
	a := lockMutex(b)
	take := a.acquire
	a.acquire = func(ctx context.Context) (claim, error) {
		c, err := take(ctx)
		if err != nil {
			return c, err
		}
		b.times.add(b.lock, 1)
		release := c.release
		c.release = func(ctx context.Context) error {
			if b.times.add(b.lock, -1) > 0 {
				return nil
			}
			return release(ctx)
		}
		return c, nil
	}
	return a
}
