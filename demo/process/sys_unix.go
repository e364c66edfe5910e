//go:build linux || darwin

package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// pausedWithin is what a process has to stop when it is paused. One that the system
// keeps in a call of its own does so only after it.
const pausedWithin = 5 * time.Second

// Signals by which contenders are paused, continued and asked to end.
var (
	SigPause    os.Signal = syscall.SIGSTOP
	SigContinue os.Signal = syscall.SIGCONT
	SigStop     os.Signal = syscall.SIGTERM
)

// LockFile takes the lock of an open file for this process, and says false if
// another one has it. The system gives it back when the process ends, however.
func LockFile(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return true, nil
}

// IsOurs says whether a file belongs to the user who runs this.
func IsOurs(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// SignalGroup sends s to a process and to what it has started, if it leads a group.
// The error is [os.ErrProcessDone] if it has ended.
func SignalGroup(p *os.Process, s os.Signal) error {
	if err := p.Signal(syscall.Signal(0)); err != nil {
		return err
	}
	err := syscall.Kill(-p.Pid, s.(syscall.Signal))
	if errors.Is(err, syscall.ESRCH) { // just now
		return os.ErrProcessDone
	}
	return err
}

// PauseGroup pauses a process and what it has started, if it leads a group, and
// returns when the system says that the process does not run any more: a signal is
// only sent when kill returns, and what is busy on another processor runs on for a
// moment, long enough to answer a request. The error is [os.ErrProcessDone] if it has
// ended; after any error nothing is paused.
func PauseGroup(p *os.Process) error {
	err := SignalGroup(p, SigPause)
	if err != nil {
		return err
	}
	if err = AwaitPaused(p.Pid); err != nil {
		_ = SignalGroup(p, SigContinue) // takes back a stop that is still to come, too
	}
	return err
}

// AwaitPaused waits until a child that was sent [SigPause] has stopped, with all of its
// threads.
func AwaitPaused(pid int) error {
	for end := time.Now().Add(pausedWithin); ; time.Sleep(time.Millisecond) {
		is, err := isPaused(pid)
		if is || err != nil {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("process %d was told to stop and runs on after %v", pid, pausedWithin)
		}
	}
}
