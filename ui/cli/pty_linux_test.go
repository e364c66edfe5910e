package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ptyTerminal is a pseudo-terminal that answers nothing it is asked.
type ptyTerminal struct {
	master *os.File
	mu     sync.Mutex
	seen   strings.Builder
}

// onTerminal starts a command with a terminal of 100x30 as its only stream.
func onTerminal(t *testing.T, cmd *exec.Cmd) *ptyTerminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	t.Cleanup(func() { master.Close() })
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		err = unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 100})
	}
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer slave.Close()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	start(t, cmd)
	term := &ptyTerminal{master: master}
	go func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := master.Read(buf)
			term.mu.Lock()
			term.seen.Write(buf[:n])
			term.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	return term
}

func (p *ptyTerminal) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen.String()
}

func cleanEnv(tmp string) []string {
	env := []string{"TERM=xterm-256color", "LANG=C.UTF-8", "TMPDIR=" + tmp}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); name != "CI" && name != "TERM" && name != "NO_COLOR" && name != "LANG" && name != "TMPDIR" {
			env = append(env, kv)
		}
	}
	return env
}

func TestPlainCommandsAskTheTerminalNothing(t *testing.T) {
	cmd := exec.Command(locktop(t), "version")
	cmd.Env = cleanEnv(t.TempDir())
	term := onTerminal(t, cmd)
	until(t, "version is printed", func() bool { return strings.Contains(term.text(), "etcd client") })
	if strings.Contains(term.text(), "\x1b") {
		t.Errorf("a plain command wrote escape sequences: %q", term.text())
	}
}

func TestTheConsoleEndsByKeyAndLeavesTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"q", "\x03"} {
		t.Run(fmt.Sprintf("%q", key), func(t *testing.T) {
			tmp := t.TempDir()
			cmd := exec.Command(locktop(t), "demo")
			cmd.Env = cleanEnv(tmp)
			term := onTerminal(t, cmd)
			until(t, "the queues are on the screen", func() bool { return strings.Contains(term.text(), "/demo/billing") })
			term.master.WriteString(key)
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				t.Errorf("exit %d", code)
			}
			checkNothingLeft(t, tmp)
			for seq, what := range map[string]string{"\x1b[?1049l": "leaves the alternate screen", "\x1b[?25h": "shows the cursor", "\x1b[?1002l": "gives the mouse back"} {
				if !strings.Contains(term.text(), seq) {
					t.Errorf("never %s", what)
				}
			}
		})
	}
}

// TestATerminalThatNobodyReads: one that was stopped, or whose connection is cut, does not keep a
// console that is told to end, nor its lab.
func TestATerminalThatNobodyReads(t *testing.T) {
	tmp := t.TempDir()
	cmd := exec.Command(locktop(t), "demo", "--members", "1")
	cmd.Env = cleanEnv(tmp)
	term := onTerminal(t, cmd)
	until(t, "the queues are on the screen", func() bool { return strings.Contains(term.text(), "/demo/billing") })
	term.mu.Lock() // from here on nobody reads
	unlock := sync.OnceFunc(term.mu.Unlock)
	defer unlock()
	cols, stuck := 100, 0
	until(t, "the terminal is full", func() bool {
		cols = 100 + (cols+1)%50 // each is a whole frame
		if err := unix.IoctlSetWinsize(int(term.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: uint16(cols)}); err != nil {
			t.Fatal(err)
		}
		stuck++
		if !writes(t, cmd.Process.Pid) {
			stuck = 0
		}
		return stuck == 20
	})
	ended := make(chan struct{})
	go func() { defer close(ended); _ = cmd.Wait() }()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
	case <-time.After(time.Minute):
		_ = cmd.Process.Kill()
		unlock()
		<-ended
		t.Error("it does not end")
	}
	checkNothingLeft(t, tmp)
}

// writes says whether a process is about to write to its standard output.
func writes(t *testing.T, pid int) bool {
	t.Helper()
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/syscall", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range threads {
		text, err := os.ReadFile(thread) // a thread may end
		if err == nil && strings.HasPrefix(string(text), fmt.Sprintf("%d 0x1 ", unix.SYS_WRITE)) {
			return true
		}
	}
	return false
}

func TestTheConsoleEndsWhileTheLabStarts(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	cmd := exec.Command(locktop(t), "demo")
	cmd.Env = cleanEnv(tmp)
	term := onTerminal(t, cmd)
	until(t, "the console is there", func() bool { return strings.Contains(term.text(), "\x1b[?1049h") })
	term.master.WriteString("q")
	cmd.Wait()
	checkNothingLeft(t, tmp)
}
