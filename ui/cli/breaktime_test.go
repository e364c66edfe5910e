package cli

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"locktop/watcher/hostile"
)

// TestBreakWaitsNoLongerThanItWasTold: the keys are listed, and the lease is never read.
func TestBreakWaitsNoLongerThanItWasTold(t *testing.T) {
	t.Parallel()
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xc1, 10, hostile.Key("/l", 0xa1, 5))
	s.Alter(func(method string, answer any) any {
		if method == "LeaseTimeToLive" {
			return nil
		}
		return answer
	})
	cmd := exec.Command(locktop(t), "break", "/l", "--dry-run", "--endpoints", s.Addr, "--command-timeout", "300ms")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // its code is looked at
	if code := cmd.ProcessState.ExitCode(); code != exitBad || out.Len() > 0 || !strings.Contains(errs.String(), "did not answer within 300ms") {
		t.Errorf("exit %d, printed %q, said %q", code, &out, &errs)
	}
}
