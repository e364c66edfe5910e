package cli

import (
	"strings"
	"testing"
)

// TestWhatIsHeldForLongIsSaid by a flag, by the environment or in a profile.
func TestWhatIsHeldForLongIsSaid(t *testing.T) {
	home(t, "prod:\n  endpoints: [10.0.0.1:2379]\n  long: [/services/, /leader/]\n  recipes: {/jobs/: \"semaphore:2\"}\n")
	for _, row := range []struct {
		reason string
		args   []string
		env    string
		want   string
	}{
		{"a profile", []string{"config", "--profile", "prod"}, "", "/services/, /leader/"},
		{"and how many permits its semaphores have", []string{"config", "--profile", "prod"}, "", "/jobs/=semaphore:2"},
		{"the environment", []string{"config"}, "/a/,/b/", "/a/, /b/"},
		{"a flag", []string{"config", "--long", "/c/"}, "/a/", "/c/"},
	} {
		t.Setenv("LOCKTOP_LONG", row.env)
		code, out, errs := run(t, row.args...)
		if code != exitOK || !strings.Contains(out, row.want) {
			t.Errorf("%s: exit %d, no %q in\n%s%s", row.reason, code, row.want, out, errs)
		}
	}
}
