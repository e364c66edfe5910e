package pace

import (
	"time"

	"golang.org/x/sys/unix"
)

// elapsed is for how long the machine has run, suspended or not. Where a sandbox refuses that it is
// what the machine's clock shows, as on other systems.
func elapsed() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_BOOTTIME, &t); err != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(t.Nano())
}
