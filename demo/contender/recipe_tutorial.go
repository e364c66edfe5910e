package contender

import (
	"context"
	"fmt"
	"strings"

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
