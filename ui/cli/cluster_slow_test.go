//go:build slow

package cli

import (
	"os/exec"
	"strings"
	"testing"

	"locktop/watcher/hostile"
)

// TestEventsNamesAnotherCluster: a run that goes on says that it is another cluster, and
// invents nothing between the two.
func TestEventsNamesAnotherCluster(t *testing.T) {
	t.Parallel()
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/l/a", 1, 5))
	cmd := exec.Command(locktop(t), "events", "--prefix", "/l/", "--endpoints", s.Addr)
	out, errs := lines(t, cmd)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	until(t, "it watches", func() bool { return s.Watches() > 0 })
	s.Become(0xbb, 90, hostile.Key("/l/a", 2, 50))
	line := untilLine(t, out, "another cluster answers (id bb instead of aa) at "+s.Addr)
	if strings.Contains(line, "nothing was missed") || errs.Len() > 0 {
		t.Errorf("%s; %s", line, errs)
	}
}
