package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzProfiles reads files of profiles: what is wrong with one is said without its values.
func FuzzProfiles(f *testing.F) {
	for _, text := range []string{"p:\n  endpoints: [a:1]\n  user: root\n", "p: {label: \"\\x1b[2J\"}", "- 1", "p:\n  prefix: &a [*a]\n", "\xff", "p: !!binary aGk="} {
		f.Add(text)
	}
	const secret = "hunter2sEcReT"
	f.Fuzz(func(t *testing.T, text string) {
		file := filepath.Join(t.TempDir(), "profiles.yaml")
		if err := os.WriteFile(file, []byte(text+"\nq:\n  password: "+secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := readProfiles(t.Context(), file); err != nil && strings.Contains(err.Error(), secret) {
			t.Fatalf("%v", err)
		}
	})
}
