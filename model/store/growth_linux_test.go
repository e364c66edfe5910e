package store

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Ten times as much may take ten times as long, a little more for sorting, and no more: what
// grows with the square takes a hundred times as long.
const (
	growthLess  = 300
	growthBound = 30
)

// TestGrowth: what an event costs depends on what it changes, and not on how much hangs on the
// lease, waits for the lock or stands in the cycle that it is about. Processor time is compared
// within one run; other programs do not count.
func TestGrowth(t *testing.T) {
	for _, sh := range shapes {
		t.Run(sh.name, func(t *testing.T) {
			n := growthLess
			if sh.name == manyClients {
				n = 1_000
			}
			var less, more time.Duration
			for range 3 { // a cache that was emptied by others may spoil one
				less, more = sh.takes(n, 3), sh.takes(10*n, 1)
				if more <= growthBound*less {
					return
				}
			}
			t.Errorf("%d of them take %s of the processor and %d take %s, %.0f times as long; want %d at most",
				n, less, 10*n, more, float64(more)/float64(less), growthBound)
		})
	}
}

// takes returns the processor time that the shape takes, the least of some times.
func (sh shape) takes(n, times int) (least time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	for range times {
		s, rest := sh.ready(n)
		runtime.GC()
		began := threadTime()
		play(s, rest)
		if took := threadTime() - began; least == 0 || took < least {
			least = took
		}
	}
	return least
}

// threadTime is how long this thread has had the processor.
func threadTime() time.Duration {
	var at unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &at); err != nil {
		panic(err)
	}
	return time.Duration(at.Nano())
}
