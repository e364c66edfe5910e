package process

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ProcAttr is how a contender is started: in a process group of its own, so that
// ctrl-c at the terminal is not for it. If the lab dies, the end of its standard
// input is what ends it.
func ProcAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// Apart is how a process is started that outlives the one that starts it.
func Apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// KillMarked kills nothing: this system does not show the environment of a process.
func KillMarked(string) {}

// States of a process: SSTOP and SZOMB of sys/proc.h.
const (
	stopped = 4
	zombie  = 5
)

// StartTime returns when a process was started, in a form that only compares. It
// fails if there is no such process, or only what is left of it for its parent.
func StartTime(pid int) (string, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return "", fmt.Errorf("read when process %d started: %w", pid, err)
	}
	if info.Proc.P_stat == zombie {
		return "", fmt.Errorf("read when process %d started: it has ended", pid)
	}
	t := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", t.Sec, t.Usec), nil
}

// AwaitEnd waits until a child has ended, and leaves what is left of it: until somebody
// waits for it, its number and that of its group belong to nobody else.
func AwaitEnd(pid int) error {
	queue, err := unix.Kqueue()
	if err != nil {
		return fmt.Errorf("wait for the end of process %d: %w", pid, err)
	}
	defer unix.Close(queue)
	end := []unix.Kevent_t{{Filter: unix.EVFILT_PROC, Flags: unix.EV_ADD | unix.EV_ONESHOT, Fflags: unix.NOTE_EXIT}}
	unix.SetKevent(&end[0], pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	for {
		_, err := unix.Kevent(queue, end, make([]unix.Kevent_t, 1), nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil && !errors.Is(err, unix.ESRCH): // that is one that has ended already
			return fmt.Errorf("wait for the end of process %d: %w", pid, err)
		default:
			return nil
		}
	}
}

// GroupLives says whether a process of the group runs.
func GroupLives(group int) bool {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", group)
	if err != nil {
		return false
	}
	for _, p := range all {
		if p.Proc.P_stat != zombie {
			return true
		}
	}
	return false
}

// Waits are empty: this system does not say for how long a thread had no processor.
func Waits(int) map[int]time.Duration { return nil }

// isPaused says whether a process has stopped, by its entry in the system's table as
// there is no waitid in the library for this system. The error is [os.ErrProcessDone]
// if it has ended.
func isPaused(pid int) (bool, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || info.Proc.P_stat == zombie {
		return false, os.ErrProcessDone
	}
	return info.Proc.P_stat == stopped, nil
}
