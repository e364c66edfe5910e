//go:build linux || darwin

package demo

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// Signals by which contenders are paused, continued and asked to end.
var (
	sigPause    os.Signal = syscall.SIGSTOP
	sigContinue os.Signal = syscall.SIGCONT
	sigStop     os.Signal = syscall.SIGTERM
)

// lockFile takes the lock of an open file for this process, and says false if
// another one has it. The system gives it back when the process ends, however.
func lockFile(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return true, nil
}

// isOurs says whether a file belongs to the user who runs this.
func isOurs(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// signalGroup sends s to a process and to what it has started, if it leads a group.
// The error is [os.ErrProcessDone] if it has ended.
func signalGroup(p *os.Process, s os.Signal) error {
	if err := p.Signal(syscall.Signal(0)); err != nil {
		return err
	}
	return syscall.Kill(-p.Pid, s.(syscall.Signal))
}
