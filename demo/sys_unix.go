//go:build linux || darwin

package demo

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
	err := syscall.Kill(-p.Pid, s.(syscall.Signal))
	if errors.Is(err, syscall.ESRCH) { // just now
		return os.ErrProcessDone
	}
	return err
}

// pauseGroup pauses a process and what it has started, if it leads a group, and
// returns when the system says that the process does not run any more: a signal is
// only sent when kill returns, and what is busy on another processor runs on for a
// moment, long enough to answer a request. The error is [os.ErrProcessDone] if it has
// ended; after any error nothing is paused.
func pauseGroup(p *os.Process) error {
	err := signalGroup(p, sigPause)
	if err != nil {
		return err
	}
	if err = awaitPaused(p.Pid); err != nil {
		_ = signalGroup(p, sigContinue) // takes back a stop that is still to come, too
	}
	return err
}

// awaitPaused waits until a child that was sent sigPause has stopped, with all of its
// threads.
func awaitPaused(pid int) error {
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
