package cli

import (
	"os/exec"
	"strings"
	"testing"
)

func TestDiscoverShowsProgressAndEndsByKey(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	b.claim("/jobs/a", b.lease(60))
	cmd := exec.Command(locktop(t), "discover", "--rps", "1", "--endpoints", b.endpoint)
	cmd.Env = cleanEnv(t.TempDir())
	term := onTerminal(t, cmd)
	until(t, "the progress is shown", func() bool { return strings.Contains(term.text(), "\r0 of 1 keys") })
	term.master.WriteString("\x03")
	cmd.Wait()
	until(t, "what was found", func() bool { return strings.Contains(term.text(), "This is only a part: ended after 0 of 1 keys") })
	if code := cmd.ProcessState.ExitCode(); code != exitFailed {
		t.Errorf("exit %d: want 1, the answer is not whole", code)
	}
}
