package cli

import (
	"strings"
	"testing"
)

// TestDidYouMean: who mistypes a command, a drill, a lesson or a lock is told what is near, and
// nothing where nothing is.
func TestDidYouMean(t *testing.T) {
	home(t, "")
	endpoint := member(t)
	held(t, endpoint, "/jobs/billing")
	for _, r := range []struct {
		reason string
		args   []string
		want   string // "": nothing is near
	}{
		{"a letter too many in a command", []string{"lss"}, `did you mean "ls"?`},
		{"two letters turned round", []string{"dcotor"}, `did you mean "doctor"?`},
		{"a command of a command", []string{"drill", "chek"}, `did you mean "check"?`},
		{"a drill", []string{"drill", "run", "ghost-leadr"}, `did you mean "ghost-leader"?`},
		{"a lesson", []string{"learn", "paus"}, `did you mean "pause"?`},
		{"a lock that is beside", patient([]string{"describe", "/jobs/biling"}, endpoint), `did you mean "/jobs/billing"?`},
		{"a lock to break", patient([]string{"break", "/jobs/biling", "--dry-run"}, endpoint), `did you mean "/jobs/billing"?`},
		{"a finding", []string{"explain", "orphen-key"}, `did you mean "orphan-key"?`},
		{"how a recipe begins", []string{"explain", "vitess"}, `did you mean "vitess-lock" or "vitess-election"?`},
		{"a part of some findings", []string{"explain", "waiter"}, `did you mean "ghost-waiter" or "dead-waiter" or "starving-waiter"?`},
		{"no finding is like that", []string{"explain", "qqqqqqqq"}, ""},
		{"nothing of a name reaches the terminal", []string{"explain", "a\x1b[2J"}, ""},
		{"nothing is like that", []string{"frobnicate"}, ""},
		{"no lock is like that", patient([]string{"describe", "/jobs/mail"}, endpoint), ""},
	} {
		code, out, errs := run(t, r.args...)
		if code != exitBad || r.want == "" && strings.Contains(errs, "did you mean") || !strings.Contains(errs, r.want) || strings.Contains(errs, "\x1b") {
			t.Errorf("%s: %q: exit %d: %s%s, want %q", r.reason, r.args, code, out, errs, r.want)
		}
	}
}
