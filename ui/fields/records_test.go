package fields

import "testing"

func TestNoCellIsAFormula(t *testing.T) {
	for _, r := range []struct{ text, want, reason string }{
		{"", "", "nothing"}, {"/jobs/a", "/jobs/a", "what is harmless stays"},
		{"=1+1", "'=1+1", "a formula"}, {"+1", "'+1", "so is a sum"}, {"-1", "'-1", "text, though it looks like a number"},
		{"@SUM(A1)", "'@SUM(A1)", "a function of old"}, {"＝1", "'＝1", "in full width"},
		{"\t=1", `\t=1`, "a tab is escaped, so nothing is cut off before the sign"}, {"\r=1", `\r=1`, "nor is a return"},
		{"'=1", "''=1", "so that one ' can be taken away again"}, {"a=1", "a=1", "a sign within"},
	} {
		if got := Plain(r.text); got != r.want {
			t.Errorf("%s: %q, want %q", r.reason, got, r.want)
		}
	}
}
