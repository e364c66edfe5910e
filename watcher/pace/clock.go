package pace

import (
	"sync/atomic"
	"time"
)

// Clock is the time by which everything is concluded from the span between two events, for
// months. It goes on from what the machine's clock showed when it began, by the time that has
// passed since, also while the machine was suspended: setting the machine's clock by an hour makes
// no hold an hour longer, and a hold over an hour of sleep has that hour.
//
// Two plainer ways keep one half of that. Go's monotonic clock stands still on most systems while
// the machine is suspended (package time, Monotonic Clocks), and no recording holds its readings,
// so what is concluded live would not be what a recording gives. The machine's clock goes on, but
// by it a clock that is set looks like a machine that slept. Linux counts the one without the
// other (elapsed); elsewhere the machine's clock has to do.
type Clock struct {
	began  time.Duration
	showed time.Time
	wall   func() time.Time     // what the machine's clock shows
	runs   func() time.Duration // for how long the machine has run
	set    atomic.Int64         // by how much the machine's was set since, in nanoseconds
}

func newClock(wall func() time.Time, runs func() time.Duration) *Clock {
	return &Clock{began: runs(), showed: wall(), wall: wall, runs: runs}
}

// Now is the time, without a reading of another clock.
func (c *Clock) Now() time.Time { return c.showed.Add(c.runs() - c.began) }

// setLeast is by how much a clock that was set is off: less is its usual drift, of which a moment
// need not move each time that it is told.
const setLeast = time.Second

// Set is by how much the machine's clock was set since this one began, 0 if nobody did. It may
// be called from anywhere.
func (c *Clock) Set() time.Duration {
	if off := c.wall().Sub(c.Now()); (off - time.Duration(c.set.Load())).Abs() > setLeast {
		c.set.Store(int64(off))
	}
	return time.Duration(c.set.Load())
}

// Shown is what the machine's clock would show for a time of this one, as it is set now. It may
// be called from anywhere.
func (c *Clock) Shown(t time.Time) time.Time { return t.Add(c.Set()) }

// Process is the clock of this program, which began with it.
var Process = newClock(func() time.Time { return time.Now().Round(0) }, elapsed)

// Now is the time of [Process].
func Now() time.Time { return Process.Now() }
