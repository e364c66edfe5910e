//go:build slow

package cli

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"locktop/watcher/hostile"
)

// TestEveryObservationEndsWithWhatWasNotSeen: a watch on which nothing happens and one that hangs
// are both silent. Every command that observes for a time asks at its end, in every format.
func TestEveryObservationEndsWithWhatWasNotSeen(t *testing.T) {
	slots := make(chan struct{}, 6)
	formats := []string{"table", "wide", "json", "jsonl", "csv"}
	for _, r := range []struct {
		command string
		formats []string
		silent  string // the silent watch must not be taken for this
	}{
		{"events", formats, ""},
		{"record DIR/rec", nil, ""},
		{"record DIR/rec --no-values", nil, ""},
		{"record DIR/rec --mask-names", nil, ""},
		{"top", []string{"table", "json", "csv"}, ""},
		{"report", []string{"html", "md", "json", "perfetto"}, ""},
		{"doctor", []string{"table", "json"}, "No problems on "},
		{"ls", []string{"table", "json"}, ""},
		{"describe /l/a", []string{"table", "json"}, ""},
	} {
		if r.formats == nil {
			r.formats = []string{""}
		}
		for _, format := range r.formats {
			t.Run(r.command+" "+format, func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				for _, silent := range []bool{false, true} {
					s, dir := silentWatch(t, silent), t.TempDir()
					args := strings.Fields(strings.Replace(r.command, "DIR", dir, 1) + " --for 2s --prefix /l/ --command-timeout 3s --endpoints " + s.Addr)
					if format != "" {
						args = append(args, "-o", format)
					}
					cmd := exec.Command(locktop(t), args...)
					cmd.Env = append(cleanEnv(dir), "HOME="+dir)
					var out, errs bytes.Buffer
					cmd.Stdout, cmd.Stderr = &out, &errs
					start(t, cmd)
					until(t, "it watches", func() bool { return s.Watches() > 0 })
					if silent {
						s.Become(0xaa, 11, hostile.Key("/l/a", 0xa2, 6)) // the lock changed hands
					}
					_ = cmd.Wait() // its code is looked at
					said := strings.Contains(errs.String(), "not all could be seen at "+s.Addr)
					if code := cmd.ProcessState.ExitCode(); silent != (code == exitBad) || silent != said || silent && r.silent != "" && strings.Contains(out.String(), r.silent) {
						t.Errorf("%v, and the watch is silent: %v\n%s%s", cmd.ProcessState, silent, &out, &errs)
					}
				}
			})
		}
	}
}
