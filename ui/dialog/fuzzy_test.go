package dialog

import (
	"strings"
	"testing"
)

// TestFuzzyOrder: what a person means comes before what only has the letters.
func TestFuzzyOrder(t *testing.T) {
	for _, r := range []struct {
		pattern, better, worse, reason string
	}{
		{"quit", "quit", "quit the room", "the whole before a part"},
		{"bil", "/jobs/billing", "/batch/mail", "one piece before letters with gaps"},
		{"job", "/cron/job7", "/ajobs", "the beginning of a word before its middle"},
		{"loc", "lock NAME", "unlock", "the beginning of all before the middle"},
		{"a", "/a", "/a/very/long/name/of/a/lock", "short before long"},
		{"killc1", "kill c1", "kill some 1", "a blank that was not typed"},
		{"kill c1", "kill c1", "", "a blank that was typed"},
		{"行", "/銀行/決済", "/銀/決済", "letters of more than a byte"},
		{"pause", "Pause c2", "p a u s e", "capitals are letters"},
	} {
		better, _, _ := fuzzy(r.better, r.pattern)
		worse, _, _ := fuzzy(r.worse, r.pattern)
		if better <= worse {
			t.Errorf("%s: %q gives %q %d and %q %d", r.reason, r.pattern, r.better, better, r.worse, worse)
		}
	}
	for _, r := range []struct{ pattern, text, reason string }{
		{"xyz", "/jobs/billing", "not its letters"},
		{"gnillib", "/jobs/billing", "not in this order"},
		{"bg", "break the lock, or all that are marked: shows what goes", "too far apart to be meant"},
	} {
		if score, _, _ := fuzzy(r.text, r.pattern); score != 0 {
			t.Errorf("%s: %q fits %q", r.reason, r.text, r.pattern)
		}
	}
}

// TestLettersInAreWhatWasTyped: the pieces are all of the part, and each second one was typed.
func TestLettersInAreWhatWasTyped(t *testing.T) {
	for _, r := range []struct{ text, pattern, want, reason string }{
		{"/jobs/Billing", "bil", "|Bil", "in one piece, as it is written"},
		{"/batch/mail", "bil", "|b|atch/ma|il", "in pieces, around what lies between"},
		{"/銀行/決済", "銀済", "|銀|行/決|済", "letters of more than a byte"},
	} {
		_, from, to := fuzzy(r.text, r.pattern)
		if got := strings.Join(lettersIn(r.text[from:to], r.pattern), "|"); got != r.want {
			t.Errorf("%s: %q, want %q", r.reason, got, r.want)
		}
	}
}
