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

// complain says of every try that failed: how many there are is what is wrong with
// [RecipeSingle].
func (a *attempt) complain(ctx context.Context) error {
	a.failed(quote(triedInVain))
	return a.watchKey(ctx)
}

func (a *attempt) spin(ctx context.Context) error {
	process.Sleep(ctx, nil, spinMin+time.Duration(a.rng.Int64N(int64(spinMax-spinMin))))
	return ctx.Err()
}

// putKey puts the key of the lock's name. Its unlock does not ask whose key it is.
func (a *attempt) putKey(ctx context.Context) (claim, error) { return a.putWith(ctx, a.leaseID()) }

// putWith is putKey with that lease.
func (a *attempt) putWith(ctx context.Context, lease clientv3.LeaseID) (claim, error) {
	rev, ok, err := a.put(ctx, a.lock, a.value, lease)
	if err == nil && !ok {
		a.seen, err = rev, errTaken
	}
	return claim{key: a.lock, lease: model.LeaseID(lease), token: rev, release: a.deleteByName(a.lock)}, err
}

// putFresh is putKey with a lease of this try alone, which stays behind where it fails.
func (a *attempt) putFresh(ctx context.Context) (claim, error) {
	lease, err := grant(ctx, a.client, a.ttl)
	if err != nil {
		return claim{}, err
	}
	return a.putWith(ctx, lease)
}

// putAsOwner does as Layotto's components/lock/etcd: each try grants a lease, which
// nobody renews.
func (a *attempt) putAsOwner(ctx context.Context) (claim, error) {
	c, err := a.putFresh(ctx)
	c.release = a.deleteOwn
	return c, err
}

// deleteOwn deletes the lock's key if its value says that it is ours.
func (a *attempt) deleteOwn(ctx context.Context) error {
	r, err := a.client.Txn(ctx).If(clientv3.Compare(clientv3.Value(a.lock), "=", a.value)).
		Then(clientv3.OpDelete(a.lock)).Else(clientv3.OpGet(a.lock)).Commit()
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

// byUUID is the claim of recipes that name the key by chance.
func (a *attempt) byUUID() claim {
	c := a.keyless()
	c.key = a.lock + "/" + newUUID()
	c.release = a.deleteByName(c.key)
	return c
}

// order is how a queue made by hand looks for the keys before its own.
type order struct {
	bare  bool // by a prefix without the slash at its end
	byMod bool // by mod revision, which each write of a key moves
}

func (a *attempt) queue(ctx context.Context) (claim, error) {
	if a.order.bare {
		return a.queueWithoutSlash(ctx)
	}
	return a.inQueue(ctx, a.lock+"/")
}

// queueWithoutSlash counts the keys of locks whose names only begin like its own, too.
func (a *attempt) queueWithoutSlash(ctx context.Context) (claim, error) {
	return a.inQueue(ctx, a.lock)
}

// inQueue puts the claim's key, and waits for the older ones of a prefix.
func (a *attempt) inQueue(ctx context.Context, prefix string) (claim, error) {
	mine := a.claim
	rev, _, err := a.put(ctx, mine.key, "", a.leaseID())
	if err == nil {
		mine.token = rev
		mine.proclaim = func(ctx context.Context, value string) error {
			_, err := a.client.Put(ctx, mine.key, value, clientv3.WithLease(a.leaseID()))
			return err
		}
		err = a.firstInLine(ctx, mine, prefix)
	}
	if err != nil {
		return claim{}, undo(mine.release, err)
	}
	return mine, nil
}

// firstInLine waits until no key of the prefix is older than c, and looks if c is
// still there: a lease that ended takes a waiter out without a word.
func (a *attempt) firstInLine(ctx context.Context, c claim, prefix string) error {
	ahead, until := append(clientv3.WithLastCreate(), clientv3.WithMaxCreateRev(c.token-1)), a.gone
	if a.order.byMod { // who sorts so looks again at each event
		ahead, until = append(clientv3.WithLastRev(), clientv3.WithMaxModRev(c.token-1)), a.changed
	}
	for {
		r, err := a.client.Get(ctx, prefix, ahead...)
		if err != nil {
			return fmt.Errorf("look who is ahead: %w", err)
		}
		if len(r.Kvs) == 0 {
			break
		}
		if err := until(ctx, string(r.Kvs[0].Key), r.Header.Revision+1); err != nil {
			return err
		}
	}
	r, err := a.client.Get(ctx, c.key)
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
