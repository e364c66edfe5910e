package pace

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// running is for how long the machine has run, asleep or not. The system is asked without a word
// to Go's scheduler, which would wake a thread that watches over the call: of a program that is
// mostly idle and reads the clock often, that was a tenth of its time.
func running() time.Duration {
	var t unix.Timespec
	if _, _, errno := unix.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_BOOTTIME, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(t.Nano())
}
