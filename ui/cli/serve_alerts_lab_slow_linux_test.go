//go:build slow

package cli

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// allAlerts are those of the house.
var allAlerts = []string{"LockDeadlock", "LockBlocked", "LockHeldInVain", "LockNobodyHolds", "LockHolderLate", "LockTwoAct", "LockWaitedTooLong", "LockMassLoss", "EtcdNoQuorum", "EtcdUnsound", "LocktopBlind"}

// contenderNamed is the process of a contender of the lab that a process has.
func contenderNamed(t *testing.T, lab int, name string) *os.Process {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		line, err := os.ReadFile(path)
		stat, err2 := os.ReadFile(filepath.Join(filepath.Dir(path), "stat"))
		if err != nil || err2 != nil || !slices.Contains(strings.Split(string(line), "\x00"), "--name="+name) {
			continue // it has ended, or is another
		}
		if f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:])); f[1] != strconv.Itoa(lab) {
			continue // of another lab
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		p, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	t.Fatalf("there is no process of %s", name)
	return nil
}

// TestTwoWhoActAlarm has a real Prometheus look at a lab in which three programs take turns, while
// all is well and no alert fires. Then a holder is stopped, as a machine that hangs stops one: its
// lease ends, another gets the lock, and the first still believes that it has it. What etcd alone
// does not tell is told where programs say what they believe.
func TestTwoWhoActAlarm(t *testing.T) {
	t.Parallel() // it waits most of the time, and longest of all: Go begins with those of the last files, so this is one of them
	require(t, "prometheus")
	tmp := t.TempDir()
	cmd := exec.Command(locktop(t), "demo", "--members", "1", "--contenders", "3", "--metrics", "127.0.0.1:0")
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "HOME="+tmp, "XDG_STATE_HOME="+filepath.Join(tmp, "state"))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var stopped *os.Process
	t.Cleanup(func() {
		if stopped != nil {
			_ = stopped.Signal(syscall.SIGCONT) // it may have ended
		}
		_ = cmd.Process.Signal(syscall.SIGTERM) // the lab takes its programs along
		defer time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
		_ = cmd.Wait()
	})
	urls, took := make(chan string, 1), make(chan string, 100)
	go func() {
		for in := bufio.NewScanner(errs); in.Scan(); {
			if url := regexp.MustCompile(`answering on (http\S+)/metrics`).FindStringSubmatch(in.Text()); url != nil {
				urls <- url[1]
			}
		}
	}()
	go func() {
		for in := bufio.NewScanner(out); in.Scan(); {
			if who := regexp.MustCompile(`  (c\d+) took(?: over)? /demo/billing`).FindStringSubmatch(in.Text()); who != nil {
				select {
				case took <- who[1]:
				default:
				}
			}
		}
		close(took)
	}()
	next := func() string {
		t.Helper()
		select {
		case who, ok := <-took:
			if ok {
				return who
			}
		case <-time.After(2 * time.Minute):
		}
		t.Fatal("nobody takes the lock")
		return ""
	}
	s := &served{t: t, cmd: cmd}
	select {
	case s.url = <-urls:
	case <-time.After(2 * time.Minute):
		t.Fatal("it does not answer")
	}
	firing := alarmed(t, s, func(rules string) string { return rules })
	for end := time.Now().Add(45 * time.Second); time.Now().Before(end); { // longer than any of them waits before it fires
		next()
		calm(t, firing, allAlerts...)
	}
	for len(took) > 0 {
		next()
	}
	holder := next()
	began := time.Now()
	stopped = contenderNamed(t, cmd.Process.Pid, holder)
	if err := stopped.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	a := fires(t, "LockTwoAct", firing, began)
	if a.Labels["lock"] != "/demo/billing" || a.Labels["severity"] != "critical" || !strings.Contains(a.Annotations["summary"], "(stale-holder)") {
		t.Errorf("it says %v %v", a.Labels, a.Annotations)
	}
	calm(t, firing, "LockDeadlock", "LockBlocked", "LockMassLoss", "EtcdNoQuorum", "LocktopBlind")
	if err := stopped.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	stopped = nil
	for end := time.Now().Add(4 * time.Minute); firing("LockTwoAct") != nil; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it fires still, though the program has learnt of its loss")
		}
	}
}
