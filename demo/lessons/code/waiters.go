package code

import (
	"context"
	"errors"
	"time"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// lockSoon waits for the lock for 10 s at most, or closes s.
func lockSoon(ctx context.Context, s *concurrency.Session) (
	*concurrency.Mutex, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	go func() { <-s.Done(); cancel() }() // no lease: wait no longer

	m := concurrency.NewMutex(s, "/orders")
	if err := m.Lock(ctx); err != nil {
		// The claim may stand, though Lock failed. Close deletes it:
		return nil, errors.Join(err, s.Close())
	}
	return m, nil // from now on watch s.Done()
}
