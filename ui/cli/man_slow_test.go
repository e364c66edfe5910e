//go:build slow

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestTheManualHasNoWarnings(t *testing.T) {
	groff := require(t, "groff")
	file := filepath.Join(t.TempDir(), "locktop.1")
	e := &env{}
	if err := os.WriteFile(file, []byte(manPage(e.rootCmd(), e.shared, thisBuild())), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(groff, "-man", "-Tutf8", "-K", "utf8", "-ww", "-z", file).CombinedOutput()
	if err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}
