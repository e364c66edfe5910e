package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryModuleHasALicence shows that what has none does not pass in silence, and that
// the same words are printed once.
func TestEveryModuleHasALicence(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("a/LICENSE", "Do what you like.\n")
	write("b/COPYING.md", "Do what\n  you like.")
	write("b/inner/NOTICE", "By somebody.")
	write("b/inner/license.go", "package inner")
	write("c/readme", "Do what you like.")
	in := func(name, pkg string) linked {
		return linked{module: name + " v1", root: filepath.Join(dir, name), dir: filepath.Join(dir, name, pkg)}
	}
	text, err := compose([]linked{in("a", ""), in("b", "inner"), in("a", "x"), in("b", "")})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(text, "you like") != 1 || strings.Count(text, "By somebody.") != 1 || strings.Contains(text, "package inner") ||
		!strings.Contains(text, "  - a v1\n  - b v1\n") {
		t.Error(text)
	}
	if _, err := compose([]linked{in("a", ""), in("c", "")}); err == nil || !strings.Contains(err.Error(), "c v1") {
		t.Errorf("a module without a licence: %v", err)
	}
}
