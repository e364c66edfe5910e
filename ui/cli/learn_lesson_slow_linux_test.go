//go:build slow

package cli

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// sees waits until something new is on the screen. What stands there already need not
// be painted again, so it says as well where to look on from.
func (p *ptyTerminal) sees(t *testing.T, from int, text string) int {
	t.Helper()
	until(t, "the screen shows "+text, func() bool { return strings.Contains(plain(p.text()[from:]), text) })
	return len(p.text())
}

// press types keys.
func (p *ptyTerminal) press(keys string) { p.master.WriteString(keys) }

// escapes are what moves the cursor and sets colours.
var escapes = regexp.MustCompile("\x1b(\\[[0-9;?]*[a-zA-Z]|[()][A-B]|[=>])")

// plain is what was written without the escape sequences.
func plain(s string) string { return escapes.ReplaceAllString(s, "") }

// lessonOn tells the small drill on a terminal.
func lessonOn(t *testing.T, tmp string, flags ...string) (*exec.Cmd, *ptyTerminal) {
	t.Helper()
	cmd := exec.Command(locktop(t), append([]string{"demo", "--drill", "testdata/turns.yaml"}, flags...)...)
	cmd.Env = cleanEnv(tmp)
	term := onTerminal(t, cmd)
	begin(t, term)
	return cmd, term
}

// begin goes on from the why with which a lesson starts.
func begin(t *testing.T, term *ptyTerminal) {
	t.Helper()
	until(t, "the screen shows how to start", func() bool {
		text := plain(term.text())
		return strings.Contains(text, "n start") || strings.Contains(text, "n 开始")
	})
	term.press("n")
}

func TestALessonIsToldAskedAndJudged(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	cmd, term := lessonOn(t, tmp)
	at := term.sees(t, 0, "Two programs want one lock.")
	term.press("n")
	at = term.sees(t, at, "Who waits?")
	term.press("n")
	at = term.sees(t, at, "to 2 answers")
	term.press("1") // its seed has put the right one first
	at = term.sees(t, at, "Right.")
	term.press("n")
	at = term.sees(t, at, "The shortest drill") // what it is about, once nothing is asked any more
	term.press("n")
	term.sees(t, at, "one-holder")
	if got := plain(term.text()); strings.Contains(got, "broke off") || strings.Contains(got, "violated") {
		t.Errorf("%q", got)
	}
	term.press("q")
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit %d", code)
	}
	checkNothingLeft(t, tmp)
}

func TestALessonIsToldInItsLanguage(t *testing.T) {
	tmp := t.TempDir()
	cmd, term := lessonOn(t, tmp, "--lang", "zh")
	term.sees(t, 0, "没有中文：显示英文")
	at := term.sees(t, 0, "两个程序")
	term.press("n")
	term.sees(t, at, "Who waits?") // what is not translated stays as it is
	term.press("q")
	cmd.Wait()
	checkNothingLeft(t, tmp)
}

// TestALessonIsLeftInTheMiddle leaves it while it waits for the person, and while the
// lab acts.
func TestALessonIsLeftInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, r := range []struct{ file, shows, reason string }{
		{"testdata/turns.yaml", "Two programs want one lock.", "the drill waits for the person"},
		{"testdata/long.yaml", "letting it run", "a contender and a member are stopped"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			tmp := t.TempDir()
			cmd := exec.Command(locktop(t), "demo", "--drill", r.file)
			cmd.Env = cleanEnv(tmp)
			term := onTerminal(t, cmd)
			begin(t, term)
			term.sees(t, 0, r.shows)
			term.press("q")
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				t.Errorf("exit %d", code)
			}
			checkNothingLeft(t, tmp)
		})
	}
}

// proxyOnTerminal runs etcdctl behind a proxy on a terminal, before a cluster that end
// ends.
func proxyOnTerminal(t *testing.T, tmp string, flags ...string) (cmd *exec.Cmd, term *ptyTerminal, end func()) {
	t.Helper()
	require(t, "etcdctl")
	home := t.TempDir()
	cluster, endpoint, _, _, _ := onPort(t, "lab ready", func(port string) *exec.Cmd {
		cmd := demoProgram(t, home)
		cmd.Args = append(cmd.Args, "--members", "1", "--contenders", "0", "--port", port)
		return cmd
	})
	end = sync.OnceFunc(func() {
		cluster.Process.Signal(os.Interrupt)
		cluster.Wait()
	})
	t.Cleanup(end)
	cmd = exec.Command(locktop(t), slices.Concat([]string{"proxy", "--endpoints", endpoint}, flags, []string{"--", "etcdctl", "lock", "/jobs/lock-billing"})...)
	cmd.Env = append(cleanEnv(tmp), "ETCDCTL_API=3", "XDG_STATE_HOME="+filepath.Join(home, "state"))
	return cmd, onTerminal(t, cmd), end
}

// TestTheProxyOnATerminalDoesNothingUnarmed, and says what would allow it.
func TestTheProxyOnATerminalDoesNothingUnarmed(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	cmd, term, end := proxyOnTerminal(t, tmp)
	at := term.sees(t, 0, "/jobs/lock-b")
	term.press("5") // the lab
	at = term.sees(t, at, "contenders")
	for _, key := range []string{"H", "P", "K", "T", "F"} {
		term.press(key)
		at = term.sees(t, at, "--armed")
		term.press("U") // another notice
		at = term.sees(t, at, "no active faults")
	}
	if got := journaled(t, cmd); got != "" {
		t.Errorf("something was done: %s", got)
	}
	term.press("q")
	cmd.Wait()
	end()
	checkNothingLeft(t, tmp)
}

// journaled are the lines of the audit log that a command wrote.
func journaled(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	for _, kv := range slices.Backward(cmd.Env) { // of two the last counts
		if state, ok := strings.CutPrefix(kv, "XDG_STATE_HOME="); ok {
			text, err := os.ReadFile(filepath.Join(state, "locktop", "actions.jsonl"))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
			return string(text)
		}
	}
	return ""
}

// TestTheProxyOnATerminal breaks the connections of a program of one's own, and is
// refused where the cluster is not ours.
func TestTheProxyOnATerminal(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	cmd, term, end := proxyOnTerminal(t, tmp, "--armed")
	at := term.sees(t, 0, "/jobs/lock-b")
	term.press("5") // the lab
	at = term.sees(t, at, "contenders")
	term.press("F")
	at = term.sees(t, at, "faults: contender etcdctl")
	term.press("\x1b")
	at = term.sees(t, at, "client's view")
	term.press("H")
	for _, want := range []string{"really?", "etcdctl, pid ", "/jobs/lock-billing (holds)"} {
		term.sees(t, at, want)
	}
	at = len(term.text())
	until(t, "it is done once it is confirmed", func() bool { // for a moment the dialog takes no key
		term.press("Y")
		return strings.Contains(journaled(t, cmd), `"step":"outcome"`) && strings.Contains(plain(term.text()[at:]), "1 active")
	})
	term.press("\x1b[Z\x1b[Z") // back to the members
	at = term.sees(t, at, "cluster")
	term.press("F")
	at = term.sees(t, at, "faults: member")
	term.sees(t, at-3000, "the members are not ours")
	term.press("\x1b")
	at = term.sees(t, at, "cluster")
	term.press("1")
	at = term.sees(t, at, "Locks")
	term.press("x")
	term.sees(t, at, "the proxy never writes to the cluster")
	term.press("q")
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit %d", code)
	}
	end()
	checkNothingLeft(t, tmp)
	text := journaled(t, cmd)
	for _, want := range []string{`"step":"intent"`, `"step":"outcome"`, `"action":"hold keepalives of etcdctl"`, `"lock":"/jobs/lock-billing"`, `"hits":"etcdctl, pid `, `"done":true`} {
		if !strings.Contains(text, want) {
			t.Errorf("the journal that lasts has no %s:\n%s", want, text)
		}
	}
}
