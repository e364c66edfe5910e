package lesson

import (
	"testing"
	"time"
)

// TestWords: a wait reads as a sentence, with its bound once.
func TestWords(t *testing.T) {
	rows := []struct {
		step          Step
		took          time.Duration
		present, past string
	}{
		{Step{Kind: StepWait, Text: "a to hold /l", Met: "a holds /l", Within: 10 * time.Second}, 0, "waiting for a to hold /l, at most 10s", "a holds /l"},
		{Step{Kind: StepWait, Text: "a to hold /l", Met: "a holds /l", Within: 10 * time.Second}, 3 * time.Second, "waiting for a to hold /l, at most 10s", "a holds /l (after 3s)"},
		{Step{Kind: StepWait, Text: "a to hold /l", Met: "a holds /l"}, time.Second, "waiting for a to hold /l", "a holds /l (after 1s)"},
		{Step{Kind: StepWait, Within: 10 * time.Second}, 10 * time.Second, "letting it run for 10s", "let it run for 10s"},
		{Step{Kind: StepDo, Text: "pause a"}, 0, "", "pause a"},
	}
	for _, r := range rows {
		if got := r.step.past(r.took); got != r.past {
			t.Errorf("got %q, want %q", got, r.past)
		}
		if r.present != "" && r.step.present() != r.present {
			t.Errorf("got %q, want %q", r.step.present(), r.present)
		}
	}
}
