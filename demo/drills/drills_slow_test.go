//go:build slow

package drills_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"locktop/chaos/drill"
	"locktop/demo/drills"
)

// atOnce is how many drills run at a time: they wait more than they work.
const atOnce = 4

// TestDrills: each drill, run by the program as a person would, ends with a verdict that it held, and
// leaves nothing behind.
func TestDrills(t *testing.T) {
	program := filepath.Join(t.TempDir(), "locktop")
	if out, err := exec.Command("go", "build", "-o", program, "locktop").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	t.Run("all", func(t *testing.T) {
		turn := make(chan struct{}, atOnce)
		mine := filepath.Join(t.TempDir(), "mine.yaml") // what "drill new" writes
		if err := os.WriteFile(mine, []byte(drill.Sample("mine", mine)), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, name := range append(drills.Names(), mine) {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				turn <- struct{}{}
				defer func() { <-turn }()
				tmp := t.TempDir()
				cmd := exec.Command(program, "drill", "run", name)
				cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "XDG_STATE_HOME="+tmp+"-state") // beside what has to be tidied up
				out, err := cmd.CombinedOutput()
				if err != nil || strings.Contains(string(out), "panic:") {
					t.Errorf("%v\n%s", err, out)
				}
				if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
			})
		}
	})
}
