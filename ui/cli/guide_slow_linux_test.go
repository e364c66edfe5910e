//go:build slow

package cli

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestTheGuidePlaysItsStepsOnALab: who only presses n sees each of the five steps happen.
func TestTheGuidePlaysItsStepsOnALab(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	cmd := exec.Command(locktop(t), "demo")
	cmd.Env = cleanEnv(tmp)
	term := onTerminal(t, cmd)
	wrote := 0 // what was on the terminal before the step began counts for no later one
	says := func(what string) bool { return strings.Contains(term.text()[wrote:], what) }
	sees := func(what string) {
		t.Helper()
		until(t, "the guide says "+what, func() bool { return says(what) })
	}
	for _, step := range []struct{ title, seen string }{
		{"a handover", "first come, first served"},
		{"pause the holder", "Two programs act: etcd gave "},
		{"let it wake", " It was wrong for "}, // it noticed, or its work was over before it heard: the guide says which
		{"a deadlock", " wait for each other. Both renew, so no lease ends."},
		{"move the leader", " leads now. No lock moved, and every lease has its full time again."},
	} {
		sees(" " + step.title + " ")
		until(t, "n is offered, or not needed: a lock changes hands by itself", func() bool { return says("do it for me") || says(step.seen) })
		if !says(step.seen) {
			term.master.WriteString("n")
		}
		sees(step.seen)
		wrote = len(term.text())
		term.master.WriteString("n")
	}
	sees("You saw order, lease, handover, false belief, and what no lock can promise.")
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	checkNothingLeft(t, tmp)
}
