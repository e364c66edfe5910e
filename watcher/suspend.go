package watcher

import (
	"context"
	"sync"
	"time"

	"locktop/watcher/pace"
)

// suspendDetector notices that this program did not run for a while: it was stopped, its machine
// was asleep, or others had the processor. What was asked before that says nothing of
// afterwards, and what happened meanwhile is learnt late.
type suspendDetector struct {
	mu    sync.Mutex
	beat  time.Time     // when the program was last seen to run
	shown time.Time     // the same by the clock that nobody sets
	woke  time.Time     // when it last came back
	slept time.Duration // what nobody was told of yet
}

const (
	beatEvery = 500 * time.Millisecond
	asleep    = beatEvery + 2*time.Second // between two beats
)

// run beats until ctx ends.
func (d *suspendDetector) run(ctx context.Context) {
	t := time.NewTicker(beatEvery)
	defer t.Stop()
	for ctx.Err() == nil {
		d.look(time.Now(), pace.Now())
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
}

// look compares with the last beat. The monotonic clock stands still while a machine
// sleeps, the other one goes on, and on some systems it may be set: the longer of the two counts.
func (d *suspendDetector) look(now, shown time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.beat.IsZero() {
		if gap := max(now.Sub(d.beat), shown.Sub(d.shown)); gap >= asleep {
			d.woke, d.slept = now, d.slept+gap
		}
	}
	d.beat, d.shown = now, shown
}

// sleptSince says whether the program did not run for a while since then.
func (d *suspendDetector) sleptSince(t time.Time) bool {
	d.look(time.Now(), pace.Now())
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.woke.After(t)
}

// take returns how long the program did not run since it was asked last.
func (d *suspendDetector) take() time.Duration {
	d.look(time.Now(), pace.Now())
	d.mu.Lock()
	defer d.mu.Unlock()
	slept := d.slept
	d.slept = 0
	return slept
}
