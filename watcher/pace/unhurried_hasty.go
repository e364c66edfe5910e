//go:build unix && !linux

package pace

import "syscall"

// tellFrom: on other systems what little comes is told as well.
func tellFrom(syscall.RawConn, int) error { return nil }

func readRaw(fd uintptr, b []byte) (n int) { n, _ = syscall.Read(int(fd), b); return n }

func writeRaw(fd uintptr, b []byte) (n int) { n, _ = syscall.Write(int(fd), b); return n }
