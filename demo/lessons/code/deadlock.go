package code

import (
	"context"
	"errors"
	"slices"

	"go.etcd.io/etcd/client/v3/concurrency"
)

// lockAll takes all locks, or closes s. Give it a ctx that ends.
func lockAll(ctx context.Context, s *concurrency.Session,
	names []string) error {
	names = slices.Compact(slices.Sorted(slices.Values(names)))
	for _, name := range names { // the same order in every program
		m := concurrency.NewMutex(s, name)
		if err := m.Lock(ctx); err != nil {
			// Let go of all, and of this claim. Try again later:
			return errors.Join(err, s.Close())
		}
	}
	return nil // from now on watch s.Done()
}
