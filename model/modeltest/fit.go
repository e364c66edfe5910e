package modeltest

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Fit wants text that a terminal shows as it is, line by line.
func Fit(t testing.TB, text string) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if !utf8.ValidString(line) {
			t.Errorf("no UTF-8: %q", line)
		}
		for _, r := range line {
			if !unicode.IsPrint(r) {
				t.Errorf("%U in %q", r, line)
				break
			}
		}
	}
}

// FitJSON wants JSON whose bytes a terminal does not obey.
func FitJSON(t testing.TB, js []byte) {
	t.Helper()
	if !utf8.Valid(js) || !json.Valid(js) {
		t.Errorf("no JSON: %q", js)
	}
	for _, r := range string(js) {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%U in JSON: %q", r, js)
			break
		}
	}
}
