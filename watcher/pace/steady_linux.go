package pace

import (
	"time"

	"golang.org/x/sys/unix"
)

// running is for how long the machine has run, asleep or not.
func running() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(t.Nano())
}
