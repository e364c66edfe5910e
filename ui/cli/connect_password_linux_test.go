package cli

import (
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestThePasswordIsAskedForWithoutShowingIt at a terminal, for a plain command and for
// the console.
func TestThePasswordIsAskedForWithoutShowingIt(t *testing.T) {
	home(t, "")
	endpoint := guarded(t)
	for _, args := range [][]string{{"ls"}, {}} {
		cmd := exec.Command(locktop(t), patient(append(args, "--prefix", "/locks/", "--user", reader), endpoint)...)
		cmd.Env = cleanEnv(t.TempDir())
		term := onTerminal(t, cmd)
		until(t, "the password is asked for", func() bool { return strings.Contains(term.text(), "Password of eve at "+endpoint) })
		until(t, "typing is not shown", func() bool { return !term.echoes(t) })
		term.master.WriteString(secret + "\n")
		until(t, "the locks are there", func() bool { return strings.Contains(term.text(), "/locks/billing") })
		if len(args) == 0 {
			term.master.WriteString("q")
		}
		cmd.Wait()
		if strings.Contains(term.text(), secret) || cmd.ProcessState.ExitCode() != 0 || !term.echoes(t) {
			t.Errorf("%q: exit %d, echo %v, %q", args, cmd.ProcessState.ExitCode(), term.echoes(t), term.text())
		}
	}
}

func TestASignalEndsTheQuestionForThePassword(t *testing.T) {
	home(t, "")
	endpoint := guarded(t)
	cmd := exec.Command(locktop(t), patient([]string{"ls", "--user", reader}, endpoint)...)
	cmd.Env = cleanEnv(t.TempDir())
	term := onTerminal(t, cmd)
	until(t, "typing is not shown", func() bool { return strings.Contains(term.text(), "Password of") && !term.echoes(t) })
	term.master.WriteString("\x03")
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != exitFailed || !term.echoes(t) {
		t.Errorf("exit %d, echo %v", cmd.ProcessState.ExitCode(), term.echoes(t))
	}
}

// echoes says whether the terminal shows what is typed.
func (p *ptyTerminal) echoes(t *testing.T) bool {
	t.Helper()
	s, err := unix.IoctlGetTermios(int(p.master.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return s.Lflag&unix.ECHO != 0
}
