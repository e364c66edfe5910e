//go:build slow

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestEveryWayOutOfTheDemoTidiesUp: the reader who leaves is one.
func TestEveryWayOutOfTheDemoTidiesUp(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	tmp := t.TempDir()
	for script, reason := range map[string]string{
		`"$LOCKTOP" demo --members 1 2>/dev/null | head -n 2`:                                             "standard output is gone",
		`"$LOCKTOP" demo --members 1 2>&1 | head -n 1`:                                                    "so is standard error, while it starts",
		`"$LOCKTOP" proxy --endpoints ` + b.endpoint + ` -- sh -c 'while echo y; do :; done' | head -n 1`: "a command that nobody reads",
		`"$LOCKTOP" drill run holder-crash | head -n 1`:                                                   "a drill that nobody reads",
	} {
		t.Run(reason, func(t *testing.T) {
			cmd := exec.Command("sh", "-c", script)
			cmd.Env = append(os.Environ(), "LOCKTOP="+locktop(t), "TMPDIR="+tmp)
			if out, err := cmd.CombinedOutput(); err != nil || len(out) == 0 {
				t.Errorf("%v: %q", err, out)
			}
			until(t, "nothing is left", func() bool {
				left, _ := filepath.Glob(filepath.Join(tmp, "*"))
				return len(left) == 0
			})
			checkNothingLeft(t, tmp)
		})
	}
}
