package runner

import (
	"strings"
	"testing"

	"locktop/chaos/drill"
)

// TestASuiteThatWasCutOffIsNotHeld: of what was not run nobody knows.
func TestASuiteThatWasCutOffIsNotHeld(t *testing.T) {
	held := Report{Drill: &drill.Drill{Name: "a"}, Rounds: []Run{{Verdict: drill.Held}}}
	violated := Report{Drill: &drill.Drill{Name: "b"}, Rounds: []Run{{Verdict: drill.Violated}}}
	for _, r := range []struct {
		suite  Suite
		want   drill.Verdict
		errors string
		text   string
		reason string
	}{
		{Suite{Reports: []Report{held}}, drill.Held, `errors="0"`, "1 drill: 1 held\n", "all were run, and held"},
		{Suite{Reports: []Report{held}, NotRun: []string{"c"}}, drill.Unknown, `errors="1"`, "2 drills: 1 held, 1 not run (c)\n", "one was not run"},
		{Suite{Reports: []Report{held, violated}, NotRun: []string{"c"}}, drill.Violated, `errors="1"`, "3 drills: 1 held, 1 violated (b), 1 not run (c)\n", "one was violated before it was cut off"},
		{Suite{}, drill.Unknown, `errors="0"`, "0 drills: none was run\n", "nothing was asked"},
	} {
		if got := r.suite.Verdict(); got != r.want {
			t.Errorf("%s: %s, want %s", r.reason, got, r.want)
		}
		var b strings.Builder
		if err := r.suite.JUnit(&b); err != nil || !strings.Contains(b.String(), r.errors) {
			t.Errorf("%s: want %s (%v) in\n%s", r.reason, r.errors, err, b.String())
		}
		b.Reset()
		if err := r.suite.Text(&b); err != nil || b.String() != r.text {
			t.Errorf("%s: %v: %q, want %q", r.reason, err, b.String(), r.text)
		}
		b.Reset()
		if err := r.suite.JSON(&b); err != nil || !strings.Contains(b.String(), `"verdict": "`+string(r.want)) {
			t.Errorf("%s: %v: %s", r.reason, err, b.String())
		}
	}
}
