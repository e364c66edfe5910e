package cli

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal that answers nothing it is asked.
type terminal struct {
	master *os.File
	mu     sync.Mutex
	seen   strings.Builder
}

// onTerminal starts a command with a terminal of 100x30 as its only stream.
func onTerminal(t *testing.T, cmd *exec.Cmd) *terminal {
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
	term := &terminal{master: master}
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

func (p *terminal) text() string {
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

func TestTheConsoleEndsWhileTheLabStarts(t *testing.T) {
	tmp := t.TempDir()
	cmd := exec.Command(locktop(t), "demo")
	cmd.Env = cleanEnv(tmp)
	term := onTerminal(t, cmd)
	until(t, "the console is there", func() bool { return strings.Contains(term.text(), "\x1b[?1049h") })
	term.master.WriteString("q")
	cmd.Wait()
	checkNothingLeft(t, tmp)
}
