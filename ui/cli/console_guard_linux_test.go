package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"golang.org/x/sys/unix"

	"locktop/watcher/hostile"
)

// modes are the settings of a terminal, as stty shows them.
func (p *ptyTerminal) modes(t *testing.T) unix.Termios {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(p.master.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return *state
}

// cooked are the modes of a terminal that nothing has used yet.
func cooked(t *testing.T) unix.Termios {
	cmd := exec.Command("sleep", "100")
	return onTerminal(t, cmd).modes(t)
}

// leftAsItWas checks that the terminal is the shell's again at the moment that the
// program's end is known.
func (p *ptyTerminal) leftAsItWas(t *testing.T, was unix.Termios) {
	t.Helper()
	if d := cmp.Diff(was, p.modes(t)); d != "" {
		t.Errorf("the terminal is not as it was (-was +is):\n%s", d)
	}
	for seq, what := range map[string]string{"\x1b[?1049l": "leaves the alternate screen", "\x1b[?25h": "shows the cursor",
		"\x1b[?1002l": "gives the mouse back", "\x1b[?2004l": "ends bracketed paste"} {
		until(t, what, func() bool { return strings.Contains(p.text(), seq) })
	}
}

// TestACrashLeavesTheTerminalAsItWas: whatever goroutine crashes, the terminal is back
// before the process has ended, and the words of the crash can be read on it.
func TestACrashLeavesTheTerminalAsItWas(t *testing.T) {
	t.Parallel()
	was := cooked(t)
	for name := range crashes {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(cleanEnv(t.TempDir()), crashEnv+"="+name)
			term := onTerminal(t, cmd)
			cmd.Wait()
			term.leftAsItWas(t, was)
			if code := cmd.ProcessState.ExitCode(); code != 2 {
				t.Errorf("exit %d, want that of a crash", code)
			}
			until(t, "the screen that is left says that it crashed, with the trace", func() bool {
				_, after, _ := strings.Cut(term.text(), "\x1b[?1049l")
				_, trace, crashed := strings.Cut(after, "locktop: crashed")
				return crashed && strings.Contains(trace, "goroutine ")
			})
		})
	}
}

// TestTheConsoleCrashes: the program itself, at its worst.
func TestTheConsoleCrashes(t *testing.T) {
	t.Parallel()
	was := cooked(t)
	b := newCLI(t)
	b.claim("/jobs/billing", b.lease(600))
	for sig, reason := range map[syscall.Signal]string{
		syscall.SIGQUIT: "the Go runtime ends the process as on a panic that nobody recovers",
		syscall.SIGKILL: "nothing in the process can tidy up",
	} {
		t.Run(sig.String(), func(t *testing.T) {
			dir := t.TempDir()
			// Below a shell, as always: when the first process of a terminal ends, so does the terminal.
			cmd := exec.Command("sh", "-c", `sh -c 'echo $$ >"$HOME/pid"; exec "$0" "$@"' "$0" "$@"; echo the shell is back; sleep 100`,
				locktop(t), "--endpoints", b.endpoint)
			cmd.Env = append(cleanEnv(dir), "HOME="+dir, "XDG_CONFIG_HOME="+dir)
			term := onTerminal(t, cmd)
			term.says(t, "/jobs/billing")
			if cmp.Equal(was, term.modes(t)) {
				t.Fatal("the console does not use the terminal")
			}
			text, err := os.ReadFile(filepath.Join(dir, "pid"))
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			syscall.Kill(pid, sig)
			term.says(t, "the shell is back")
			if sig == syscall.SIGKILL { // the guard learns of it when the shell does
				until(t, reason, func() bool { return cmp.Equal(was, term.modes(t)) })
			}
			term.leftAsItWas(t, was)
			until(t, "no guard is left: "+reason, func() bool { return running(t) == 0 })
		})
	}
}

// TestTheConsoleOnAServerThatIsNone: an event without a key would crash the client library
// in a goroutine of its own. It is a sentence on the screen, and the console goes on.
func TestTheConsoleOnAServerThatIsNone(t *testing.T) {
	was := cooked(t)
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/l/a", 1, 5))
	cmd, term := consoleOn(t, s.Addr, t.TempDir())
	term.says(t, "/l/a")
	until(t, "it watches", func() bool { return s.Watches() > 0 })
	s.Tell(&pb.WatchResponse{Events: []*mvccpb.Event{{}}})
	term.says(t, s.Addr+" answered Watch")
	term.master.WriteString("q")
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != exitOK {
		t.Errorf("exit %d", code)
	}
	term.leftAsItWas(t, was)
}
