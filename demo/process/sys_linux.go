package process

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ProcAttr is how a contender is started: in a process group of its own, so that
// ctrl-c at the terminal is not for it, and killed by the system as soon as the
// thread that started it ends.
func ProcAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// Apart is how a process is started that outlives the one that starts it.
func Apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// markedWithin bounds the hunt for processes with a mark.
const markedWithin = 2 * time.Second

// KillMarked kills every process whose environment has a mark, "NAME=VALUE", as it was
// started with, and waits until there is none: one that is found may just be starting another.
func KillMarked(mark string) {
	for end := time.Now().Add(markedWithin); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		pids := marked([]byte(mark))
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended just now
		}
	}
}

// marked are the processes that live with a mark in their environment, but for this one.
func marked(mark []byte) (pids []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		environ, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err != nil || !bytes.Contains(append([]byte{0}, environ...), slices.Concat([]byte{0}, mark, []byte{0})) {
			continue
		}
		if f := statFields(e.Name()); len(f) > 0 && f[0] != "Z" && f[0] != "X" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// AwaitEnd waits until a child has ended, and leaves what is left of it: until somebody
// waits for it, its number and that of its group belong to nobody else.
func AwaitEnd(pid int) error {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return fmt.Errorf("wait for the end of process %d: %w", pid, err)
		default:
			return nil
		}
	}
}

// GroupLives says whether a process of the group runs.
func GroupLives(group int) bool {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		// State and group are the third and the fifth field (proc_pid_stat(5)).
		if f := statFields(e.Name()); len(f) > 2 && f[2] == strconv.Itoa(group) && f[0] != "Z" && f[0] != "X" {
			return true
		}
	}
	return false
}

// Waits are for how long each thread of a process, and of those that it has started, was ready to run and
// had no processor since it began, as the kernel counts; empty where it does not say, or the process has ended.
func Waits(pid int) map[int]time.Duration {
	all := map[int]time.Duration{}
	addWaits(all, pid)
	return all
}

func addWaits(all map[int]time.Duration, pid int) {
	tasks := fmt.Sprintf("/proc/%d/task/", pid)
	entries, err := os.ReadDir(tasks)
	if err != nil {
		return
	}
	for _, e := range entries {
		thread, _ := strconv.Atoi(e.Name()) // its form says that it is a number
		// The second number are nanoseconds in the queue (Documentation/scheduler/sched-stats.rst).
		data, _ := os.ReadFile(tasks + e.Name() + "/schedstat") // it may have ended just now
		if f := strings.Fields(string(data)); len(f) > 1 {
			n, _ := strconv.ParseInt(f[1], 10, 64)
			all[thread] = time.Duration(n)
		}
		data, _ = os.ReadFile(tasks + e.Name() + "/children")
		for _, child := range strings.Fields(string(data)) {
			if n, err := strconv.Atoi(child); err == nil && all[n] == 0 {
				addWaits(all, n)
			}
		}
	}
}

// statFields are the fields of /proc/PID/stat after the name, which stands in parentheses
// and may hold anything; none if there is no such process.
func statFields(pid string) []string {
	data, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return nil
	}
	return strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
}

// cldStopped is CLD_STOPPED of sigaction(2).
const cldStopped = 5

// StartTime returns when a process was started, in a form that only compares. It
// fails if there is no such process, or only what is left of it for its parent.
func StartTime(pid int) (string, error) {
	// The state is the third field, the start the 22nd (proc_pid_stat(5)).
	f := statFields(strconv.Itoa(pid))
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
