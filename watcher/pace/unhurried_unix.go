//go:build unix

package pace

import "syscall"

const canPeek = true

// readNow reads what has come already, and returns 0 if there is nothing or it cannot be read.
func readNow(c syscall.RawConn, b []byte) (n int) {
	err := c.Read(func(fd uintptr) bool {
		n, _ = syscall.Read(int(fd), b)
		return true // without waiting
	})
	if err != nil {
		return 0
	}
	return max(0, n)
}
