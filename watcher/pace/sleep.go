package pace

import (
	"context"
	"math/rand/v2"
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

// Uneven is d give or take an eighth. Whoever asks in a rhythm sees nothing of a fault that has one like
// it: of a member that stands still for most of each second.
func Uneven(d time.Duration) time.Duration { return d - d/8 + rand.N(d/4+1) }

// Notify leaves a token in a channel of capacity one.
func Notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
