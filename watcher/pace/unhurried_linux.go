package pace

import "syscall"

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
