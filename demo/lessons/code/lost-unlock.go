package code

import (
	"context"
	"errors"
	"time"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// free ends a lock of the session s, which has no other.
func free(ctx context.Context, s *concurrency.Session,
	m *concurrency.Mutex) error {
	// Also after ctx has ended:
	last, stop := context.WithTimeout(
		context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	err := m.Unlock(last)
	if err == nil {
		return nil
	}
	// Done or not done: nobody can tell. Close revokes the lease, and
	// renews no more: the claim goes now, or a TTL later.
	return errors.Join(err, s.Close())
}
