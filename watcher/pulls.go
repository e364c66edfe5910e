package watcher

import (
	"context"
	"sync"
	"time"
)

// pulls knows whether anybody calls Next. Requests that nobody waits for are
// not made.
type pulls struct {
	grace time.Duration

	mu   sync.Mutex
	busy bool
	last time.Time
	woke chan struct{}
}

func newPulls(grace time.Duration) *pulls {
	return &pulls{grace: grace, woke: make(chan struct{})}
}

// begin notes a call of Next. It says false if there is one already.
func (p *pulls) begin() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busy {
		return false
	}
	p.busy = true
	close(p.woke)
	p.woke = make(chan struct{})
	return true
}

func (p *pulls) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy = false
	p.last = time.Now()
}

// wait returns at once while somebody pulls or did a moment ago.
func (p *pulls) wait(ctx context.Context) error {
	p.mu.Lock()
	active := p.busy || !p.last.IsZero() && time.Since(p.last) < p.grace
	woke := p.woke
	p.mu.Unlock()
	if active {
		return ctx.Err()
	}
	select {
	case <-woke:
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// sleep waits for d, or until ctx ends or a kick arrives; kick may be nil.
func sleep(ctx context.Context, d time.Duration, kick <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-kick:
	case <-ctx.Done():
	}
}

// poke leaves a token in a channel of capacity one.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
