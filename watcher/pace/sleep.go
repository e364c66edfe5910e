package pace

import (
	"context"
	"time"
)

// Sleep waits for d, or until ctx ends or a token arrives at notified; it may be nil.
func Sleep(ctx context.Context, d time.Duration, notified <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-notified:
	case <-ctx.Done():
	}
}

// Notify leaves a token in a channel of capacity one.
func Notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
