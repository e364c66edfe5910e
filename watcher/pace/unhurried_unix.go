//go:build unix

package pace

import "syscall"

const canPeek = true

// readNow reads what has come already, and returns 0 if there is nothing or it cannot be read.
func readNow(c syscall.RawConn, b []byte) int { return now(c.Read, readRaw, b) }

// writeNow writes what there is room for, and returns 0 if there is none or it cannot be written.
func writeNow(c syscall.RawConn, b []byte) int { return now(c.Write, writeRaw, b) }

func now(with func(func(fd uintptr) bool) error, call func(fd uintptr, b []byte) int, b []byte) (n int) {
	err := with(func(fd uintptr) bool {
		n = call(fd, b)
		return true // without waiting
	})
	if err != nil {
		return 0
	}
	return max(0, n)
}
