package drill

import "testing"

// TestTextsThatLackALanguageAreCounted: those of a step and of a question, each once.
func TestTextsThatLackALanguageAreCounted(t *testing.T) {
	both, english := Text{"en": "a", "zh": "甲"}, Text{"en": "a"}
	ask := &Question{Text: english, After: both, Options: []Option{{Text: both}, {Text: english, Why: both}}}
	for _, r := range []struct {
		reason       string
		steps        []Step
		lang         string
		lacking, all int
	}{
		{"a drill that says nothing lacks nothing", []Step{{Start: "a"}}, "zh", 0, 0},
		{"a text in both", []Step{{Say: both}}, "zh", 0, 1},
		{"a text in English alone", []Step{{Say: english}, {Say: both}}, "zh", 1, 2},
		{"a question, with its answers", []Step{{Ask: ask}}, "zh", 2, 5},
		{"English is always there", []Step{{Say: english}, {Ask: ask}}, "en", 0, 6},
	} {
		if lacking, all := (&Drill{Steps: r.steps}).Untold(r.lang); lacking != r.lacking || all != r.all {
			t.Errorf("%s: %d of %d, want %d of %d", r.reason, lacking, all, r.lacking, r.all)
		}
	}
}
