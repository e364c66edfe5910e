//go:build slow

package cli

import (
	"os/exec"
	"testing"
)

// TestTheCourseOnATerminal: the path stands in the language of the locale, a lesson begins by a
// key, and who leaves it is back on the path.
func TestTheCourseOnATerminal(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	cmd := exec.Command(locktop(t), "learn")
	cmd.Env = append(cleanEnv(tmp), "LC_ALL=zh_CN.UTF-8", "XDG_STATE_HOME="+tmp+"-state")
	term := onTerminal(t, cmd)
	at := term.sees(t, 0, "租约和续租")
	term.press("\r")
	at = term.sees(t, at, "n 开始")
	term.press("n")
	at = term.sees(t, at, "n 继续")
	term.press("q")
	at = term.sees(t, at, "租约和续租")
	term.press("q")
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit %d: %s", code, plain(term.text()[at:]))
	}
	checkNothingLeft(t, tmp)
}
