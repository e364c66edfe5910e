package course

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestProgressThatIsNoFileIsSetAside, and not waited for: nobody writes into that pipe.
func TestProgressThatIsNoFileIsSetAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lessons.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "is not a regular file") {
		t.Errorf("%v", err)
	}
	if p, err := Load(path); err != nil || p.Lessons == nil {
		t.Errorf("the second time: %v, %v", p, err)
	}
}
