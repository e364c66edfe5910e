package process

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// ProcAttr is how a contender is started: in a process group of its own, so that
// ctrl-c at the terminal is not for it, and killed by the system as soon as the
// thread that started it ends.
func ProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// cldStopped is CLD_STOPPED of sigaction(2).
const cldStopped = 5

// StartTime returns when a process was started, in a form that only compares. It
// fails if there is no such process, or only what is left of it for its parent.
func StartTime(pid int) (string, error) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", fmt.Errorf("read when process %d started: %w", pid, err)
	}
	// The second field is a name in parentheses, which may hold anything; the state
	// is the third, the start the 22nd (proc_pid_stat(5)).
	rest := string(data)
	f := strings.Fields(rest[strings.LastIndexByte(rest, ')')+1:])
	if len(f) < 20 || f[0] == "Z" || f[0] == "X" {
		return "", fmt.Errorf("read when process %d started: it has ended", pid)
	}
	return f[19], nil
}

// isPaused says whether all threads of a child have stopped. The question
// does not take the child's end away from the goroutine that waits for it. The error is [os.ErrProcessDone] if
// it has ended.
func isPaused(pid int) (bool, error) {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_PID, pid, &info, unix.WSTOPPED|unix.WEXITED|unix.WNOWAIT|unix.WNOHANG, nil)
	switch {
	case errors.Is(err, unix.ECHILD):
		return false, os.ErrProcessDone
	case err != nil && !errors.Is(err, unix.EINTR):
		return false, fmt.Errorf("ask whether process %d has stopped: %w", pid, err)
	case info.Signo == 0: // neither
		return false, nil
	case info.Code != cldStopped:
		return false, os.ErrProcessDone
	}
	return true, nil
}
