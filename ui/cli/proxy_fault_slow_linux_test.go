//go:build slow

package cli

import (
	"os"
	"strings"
	"testing"
)

// TestFaultsWithoutHands: what was asked for is done at its time, and a run in which it was not
// does not end well.
func TestFaultsWithoutHands(t *testing.T) {
	t.Parallel()
	b := newCLIOn(t, installedServer(t))
	const sleeps = "sleep 1; echo done"
	for _, r := range []struct {
		flags  []string
		script string
		code   int
		out    string
		errs   []string
		reason string
	}{
		{[]string{"--armed", "--fault", "pause@100ms+700ms"}, sleeps, 0, "done\n", []string{"Paused sh", "its time was up"}, "a pause that ends"},
		{[]string{"--armed", "--fault", "cut@50ms+50ms", "--fault", "kill@200ms"}, sleeps, 137, "", []string{"Cut off sh", "Killed sh", "sh ended: killed"}, "two, and the end that they bring is passed on"},
		{[]string{"--armed", "--fault", "pause@1h", "--fault", "stop@100ms"}, "trap 'exit 0' TERM; sleep 5 & wait", 2, "", []string{"not done: pause sh at 1h0m0s: it ended before"}, "less was tried than was asked for"},
		{[]string{"--armed", "--fault", "pause@1h"}, "exit 7", 7, "", []string{"not done: pause sh", "sh ended: exit 7"}, "its own failure comes first"},
		{[]string{"--fault", "pause@1s"}, sleeps, 2, "", []string{"want --armed"}, "nobody allowed it"},
		{[]string{"--armed", "--fault", "isolate@1s"}, sleeps, 2, "", []string{`--fault "isolate@1s": "isolate": want one of pause, `}, "members are not ours"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			tmp := t.TempDir()
			code, out, errs := behind(t, tmp, append([]string{"--endpoints", b.endpoint}, r.flags...), "sh", "-c", r.script)
			if code != r.code || out != r.out {
				t.Errorf("exit %d, %q; want %d, %q", code, out, r.code, r.out)
			}
			for _, want := range r.errs {
				if !strings.Contains(errs, want) {
					t.Errorf("it does not say %q", want)
				}
			}
			if t.Failed() {
				t.Log(errs)
			}
			if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
}
