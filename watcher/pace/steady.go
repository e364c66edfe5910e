package pace

import (
	"sync/atomic"
	"time"
)

// Steady is a clock that nobody sets. It goes on from what the machine's clock showed when it
// began, also while the machine sleeps; where the system has no such clock (all but Linux) it is
// the machine's own. Who concludes from the time between two events, for months, asks this one:
// by the other one a clock that is set by an hour makes a hold of a second one of an hour.
type Steady struct {
	began  time.Duration
	showed time.Time
	wall   func() time.Time     // what the machine's clock shows
	runs   func() time.Duration // for how long the machine has run
	set    atomic.Int64         // by how much the machine's was set since, in nanoseconds
}

// NewSteady begins a clock.
func NewSteady() *Steady {
	return newSteady(func() time.Time { return time.Now().Round(0) }, running)
}

func newSteady(wall func() time.Time, runs func() time.Duration) *Steady {
	return &Steady{began: runs(), showed: wall(), wall: wall, runs: runs}
}

// Now is the time, without a reading of another clock.
func (s *Steady) Now() time.Time { return s.showed.Add(s.runs() - s.began) }

// setLeast is by how much a clock that was set is off: less is its usual drift, of which a moment
// need not move each time that it is told.
const setLeast = time.Second

// Set is by how much the machine's clock was set since this one began, 0 if nobody did. It may
// be called from anywhere.
func (s *Steady) Set() time.Duration {
	if off := s.wall().Sub(s.Now()); (off - time.Duration(s.set.Load())).Abs() > setLeast {
		s.set.Store(int64(off))
	}
	return time.Duration(s.set.Load())
}

// Shown is what the machine's clock would show for a time of this one, as it is set now. It may
// be called from anywhere.
func (s *Steady) Shown(t time.Time) time.Time { return t.Add(s.Set()) }

// Clock is the steady clock of this program, which began with it: all that is concluded from the
// time between two events asks this one.
var Clock = NewSteady()

// Now is the time of [Clock].
func Now() time.Time { return Clock.Now() }
