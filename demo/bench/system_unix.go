//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// peak returns the peak memory of a process that has ended, in MiB.
func peak(s *os.ProcessState) float64 {
	u, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // bytes there, KiB elsewhere
		return float64(u.Maxrss) / (1 << 20)
	}
	return float64(u.Maxrss) / (1 << 10)
}
