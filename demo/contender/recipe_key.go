package contender

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"

	"locktop/demo/process"
	"locktop/model"
)

// Pauses of RecipeSpin between two tries.
const (
	spinMin = 20 * time.Millisecond
	spinMax = 50 * time.Millisecond
)

// The recipes that programs make by hand.

// triedInVain is what RecipeSingle says of a try that failed.
const triedInVain = "tried in vain: the key is there; waiting until it goes"

// takeKey says of every try that failed: how many there are is what is wrong with
// the recipe.
func takeKey(b bid) attempt {
	return b.untilTaken(func(ctx context.Context, rev int64) error {
		b.failed(triedInVain)
		return b.gone(ctx, b.lock, rev+1)
	})
}

func spinOnKey(b bid) attempt {
	return b.untilTaken(func(ctx context.Context, _ int64) error {
		process.Sleep(ctx, nil, spinMin+time.Duration(b.rng.Int64N(int64(spinMax-spinMin))))
		return ctx.Err()
	})
}

// untilTaken puts the key of the lock's name; where there is one it waits, and tries
// again. Its unlock does not ask whose key it is.
func (b bid) untilTaken(wait func(ctx context.Context, rev int64) error) attempt {
	return b.untilTakenBy(b.leaseID(), wait, func(context.Context, *claim) error { return nil })
}

// untilTakenBy is untilTaken with a lease, and with something to do once the key is there.
func (b bid) untilTakenBy(lease clientv3.LeaseID, wait func(ctx context.Context, rev int64) error, then func(context.Context, *claim) error) attempt {
	return attempt{claim: b.keyless(), acquire: func(ctx context.Context) (claim, error) {
		for {
			rev, ok, err := b.put(ctx, b.lock, b.value, lease)
			if err != nil {
				return claim{}, err
			}
			if ok {
				c := claim{key: b.lock, lease: model.LeaseID(lease), token: rev, release: b.deleteByName(b.lock)}
				return c, then(ctx, &c)
			}
			if err := wait(ctx, rev); err != nil {
				return claim{}, err
			}
		}
	}}
}

// takeAsOwner does as Layotto's components/lock/etcd: each try grants a lease, which
// nobody renews and which stays behind where the try fails.
func takeAsOwner(b bid) attempt {
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
			if ok {
				return claim{key: b.lock, lease: model.LeaseID(lease), token: rev, release: b.deleteOwn}, nil
			}
			if err := b.again(ctx); err != nil {
				return claim{}, err
			}
		}
	}}
}

// deleteOwn deletes the lock's key if its value says that it is ours.
func (b bid) deleteOwn(ctx context.Context) error {
	r, err := b.client.Txn(ctx).If(clientv3.Compare(clientv3.Value(b.lock), "=", b.value)).
		Then(clientv3.OpDelete(b.lock)).Else(clientv3.OpGet(b.lock)).Commit()
	switch {
	case err != nil:
		return err
	case r.Succeeded:
		return nil
	case len(r.Responses[0].GetResponseRange().Kvs) == 0:
		return errNoSuchLock
	}
	return errLockOfOthers
}

// isAnswer says whether an unlock was answered, if not as its sender hoped.
func isAnswer(err error) bool {
	return errors.Is(err, errNoSuchLock) || errors.Is(err, errLockOfOthers)
}

// grant asks for a lease of so many seconds.
func grant(ctx context.Context, client *clientv3.Client, ttl int) (clientv3.LeaseID, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	r, err := client.Grant(ctx, int64(ttl))
	if err != nil {
		return 0, fmt.Errorf("grant a lease: %w", err)
	}
	return r.ID, nil
}

func queueByUUID(b bid) attempt { return b.inQueue(b.lock + "/") }

// queueWithoutSlash counts the keys of locks whose names only begin like its own, too.
func queueWithoutSlash(b bid) attempt { return b.inQueue(b.lock) }

// inQueue puts a key of its own below the lock, and waits for the older ones of a prefix.
func (b bid) inQueue(prefix string) attempt {
	mine := b.keyless()
	mine.key = b.lock + "/" + newUUID()
	mine.release = b.deleteByName(mine.key)
	return attempt{claim: mine, acquire: func(ctx context.Context) (claim, error) {
		rev, _, err := b.put(ctx, mine.key, "", b.leaseID())
		if err == nil {
			mine.token = rev
			err = b.firstInLine(ctx, mine, prefix)
		}
		if err != nil {
			return claim{}, undo(mine.release, err)
		}
		return mine, nil
	}}
}

// firstInLine waits until no key of the prefix is older than c, and looks if c is
// still there: a lease that ended takes a waiter out without a word.
func (b bid) firstInLine(ctx context.Context, c claim, prefix string) error {
	ahead := append(clientv3.WithLastCreate(), clientv3.WithMaxCreateRev(c.token-1))
	for {
		r, err := b.client.Get(ctx, prefix, ahead...)
		if err != nil {
			return fmt.Errorf("look who is ahead: %w", err)
		}
		if len(r.Kvs) == 0 {
			break
		}
		if err := b.gone(ctx, string(r.Kvs[0].Key), r.Header.Revision); err != nil {
			return err
		}
	}
	r, err := b.client.Get(ctx, c.key)
	if err != nil {
		return fmt.Errorf("look for the own key: %w", err)
	}
	if len(r.Kvs) == 0 {
		return concurrency.ErrSessionExpired // as Mutex.Lock says in this case
	}
	return nil
}

// newUUID is a random UUID (version 4).
func newUUID() string {
	var u [16]byte
	rand.Read(u[:]) // never fails
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}
