package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestASuiteIsCheckedFirst: a mistake in any of its runs is told before the first begins.
func TestASuiteIsCheckedFirst(t *testing.T) {
	file := filepath.Join(t.TempDir(), "survive.yaml")
	for _, r := range []struct{ text, want, reason string }{
		{"", "survive.yaml is empty: want title and runs", "an empty file"},
		{"runs:\n  - {drill: holder-crash}\n---\nruns:\n  - {drill: same-session}\n", "survive.yaml:4: a second document begins here, and would be skipped", "runs that would be left out"},
		{"runs: []\n", "has 0 runs: want 1 to 200", "no runs"},
		{"runs:\n  - {drill: holder-crash}\ncolour: red\n", "field colour not found", "a key that there is not"},
		{"runs:\n  - {repeat: 3}\n", "run 1: it names no drill", "no drill"},
		{"runs:\n  - {drill: all}\n", "run 1: a suite names its drills one by one", "all of them"},
		{"runs:\n  - {drill: no-such}\n", `run 1: "no-such" is neither a built-in drill`, "a drill that there is not"},
		{"runs:\n  - {drill: holder-crash, colour: red}\n", `run 1: line 2: there is no "colour": want drill, as, `, "a flag that there is not"},
		{"runs:\n  - {drill: holder-crash, report: x}\n", `there is no "report"`, "one report is of all"},
		{"runs:\n  - {drill: holder-crash, repeat: 0}\n", "run 1: --repeat 0: want 1 to 1000", "a number that is out of bounds"},
		{"runs:\n  - {drill: holder-crash, repeat: many}\n", `invalid argument "many"`, "no number"},
		{"runs:\n  - {drill: holder-crash, belief: 'stdout:/x/=idle'}\n", "it is for programs of your own (--as)", "a flag that has no meaning here"},
		{"runs:\n  - {drill: holder-crash}\n  - {drill: same-session, as: ./worker}\n", "run 2: same-session cannot be asked of this program", "one that cannot be asked, behind one that can"},
		{"runs:\n  - {drill: holder-crash, as: ./no-such}\n", `run 1: --as: "./no-such" cannot be run: no such file`, "a program that there is not"},
		{"runs:\n  - {drill: no-such}\n  - {drill: holder-crash, repeat: 0}\n", "run 2: --repeat 0", "all mistakes at once"},
	} {
		if err := os.WriteFile(file, []byte(r.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if code, out, errs := run(t, "drill", "suite", file); code != exitBad || !strings.Contains(errs, r.want) || out != "" {
			t.Errorf("%s: exit %d, want 2 and %q: %s%s", r.reason, code, r.want, out, errs)
		}
	}
	if err := os.WriteFile(file, []byte("title: t\nruns:\n  - {drill: holder-crash, repeat: 3}\n  - {drill: holder-pause, as: [a=sh, b=sh], lock: /app/x}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := run(t, "drill", "suite", file, "--dry-run"); code != 0 || out != "holder-crash: 3 runs\nholder-pause: 1 run\n" {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}
