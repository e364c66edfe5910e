package pace

import (
	"context"
	"time"
)

// Sleep waits for d, or until ctx ends or a kick arrives; kick may be nil.
func Sleep(ctx context.Context, d time.Duration, kick <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-kick:
	case <-ctx.Done():
	}
}

// Poke leaves a token in a channel of capacity one.
func Poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
