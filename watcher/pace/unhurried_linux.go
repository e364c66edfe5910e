package pace

import (
	"syscall"
	"unsafe"
)

// tellFrom has the system tell of what comes on a connection only once it is so many bytes, or
// the end. What has come can be read all the same. A Unix socket does not heed it.
func tellFrom(c syscall.RawConn, least int) error {
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT, least)
	})
	if err == nil {
		err = failed
	}
	return err
}

// These calls never wait, so Go's scheduler need not hear of them: see running.

func readRaw(fd uintptr, b []byte) int { return callRaw(syscall.SYS_READ, fd, b) }

func writeRaw(fd uintptr, b []byte) int { return callRaw(syscall.SYS_WRITE, fd, b) }

func callRaw(call, fd uintptr, b []byte) int {
	n, _, errno := syscall.RawSyscall(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return 0
	}
	return int(n)
}
