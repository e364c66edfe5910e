package page

import (
	"strings"
	"testing"

	"locktop/model/text"
)

// TestFilters: words in any order over all texts, an expression between slashes, either
// inverted; what is no expression hides nothing and is said.
func TestFilters(t *testing.T) {
	texts := []string{"/jobs/billing", "two act", "election", "stale-holder", "c5", "/jobs/billing/694d"}
	for _, tt := range []struct {
		filter string
		keeps  bool
		bad    string
		reason string
	}{
		{"", true, "", "nothing is asked for"},
		{"!", true, "", "nothing is inverted"},
		{"billing", true, "", "the name"},
		{"BILLING", false, "", "capitals are told apart once there is one"},
		{"two act", true, "", "the state"},
		{"c5 elect", true, "", "every word, wherever it stands"},
		{"c5 mutex", false, "", "one of them is missing"},
		{"694d", true, "", "a key"},
		{"stale-h", true, "", "a finding's code"},
		{"!c5", false, "", "inverted"},
		{"!c6", true, "", "inverted"},
		{"/^c[0-9]$/", true, "", "an expression holds against each text"},
		{"/^c[6-9]$/", false, "", "and this one against none"},
		{"!/^c[6-9]$/", true, "", "inverted"},
		{"/Billing$/", false, "", "capitals in an expression"},
		{"/jobs/", true, "", "a path that looks like an expression finds the same"},
		{"/a(/", true, "missing closing )", "no expression: it hides nothing, and is said"},
		{"/", true, "", "the first character of a path"},
		{"c[", false, "", "without slashes it is text"},
	} {
		keep := matcher(tt.filter)
		if got := keep == nil || keep(texts...); got != tt.keeps {
			t.Errorf("%q (%s): keeps %v", tt.filter, tt.reason, got)
		}
		if got := text.English(badFilter(tt.filter)); (got == "") != (tt.bad == "") || !strings.Contains(got, tt.bad) {
			t.Errorf("%q (%s): said %q, want %q", tt.filter, tt.reason, got, tt.bad)
		}
	}
}
