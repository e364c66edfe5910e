//go:build slow

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktop/model/modeltest"
	"locktop/watcher/hostile"
)

// TestTheTerminalIsADoorToo: of a lock, a profile and an endpoint with hostile names nothing
// reaches the title of the window, and nothing is inserted or run by a shell that completes.
func TestTheTerminalIsADoorToo(t *testing.T) {
	nasty := strings.Join(modeltest.Pieces, "")
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/zq/seen", 0xa1, 5), hostile.Key("/zq/x"+nasty, 0xa2, 6), hostile.Key("/zq/x$(touch PWNED)", 0xa3, 7))
	config := t.TempDir()
	if err := os.Mkdir(filepath.Join(config, "locktop"), 0o700); err != nil {
		t.Fatal(err)
	}
	label := strings.ReplaceAll(strings.ToValidUTF8(nasty, "?"), "\x00", "")
	profiles := "p:\n  label: " + yamlOf(label+"$(touch PWNED)") + "\n  endpoints: [" + s.Addr + "]\n" +
		"q:\n  endpoints: [" + yamlOf(label+"`touch PWNED`;touch PWNED") + "]\n"
	if err := os.WriteFile(filepath.Join(config, "locktop", "profiles.yaml"), []byte(profiles), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Run("the title of the window", func(t *testing.T) {
		_, term := consoleOn(t, s.Addr, config, "--profile", "p")
		term.says(t, "/zq/seen")
		term.master.WriteString("q")
		until(t, "the console has ended", func() bool { return strings.Contains(term.text(), "\x1b[?1049l") })
		for _, sequence := range []string{"\x1b]0;", "\x1b]1;", "\x1b]2;", "\x1bP", "\x1bk", "\u009b", "\x9b31m", "\u202e", "\x07x"} {
			if strings.Contains(term.text(), sequence) {
				t.Errorf("it wrote %q", sequence)
			}
		}
	})
	t.Setenv("XDG_CONFIG_HOME", config)
	for _, sh := range shells {
		for _, profile := range []string{"p", "q", "$(touch PWNED)"} {
			t.Run(sh.name+" "+profile, func(t *testing.T) {
				t.Setenv("LOCKTOP_PROFILE", profile)
				endpoint := ""
				if profile != "p" { // a variable stands before a profile
					endpoint = "`touch PWNED`,$(touch PWNED)"
				}
				term, dir := sh.start(t, endpoint)
				for typed, want := range map[string]string{"describe /zq/s": "describe /zq/seen", "describe /zq/x": "describe /zq/x"} {
					if profile != "p" {
						want = typed
					}
					if got := term.complete(t, "locktop "+typed); got != "locktop "+want {
						t.Errorf("%q became %q, want %q", typed, got, want)
					}
				}
				if found, _ := filepath.Glob(filepath.Join(dir, "PWNED*")); len(found) > 0 {
					t.Error("something ran")
				}
			})
		}
	}
}
