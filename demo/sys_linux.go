package demo

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// procAttr is how a contender is started: in a process group of its own, so that
// ctrl-c at the terminal is not for it, and killed by the system as soon as the
// thread that started it ends.
func procAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// startTime returns when a process was started, in a form that only compares. It
// fails if there is no such process, or only what is left of it for its parent.
func startTime(pid int) (string, error) {
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
