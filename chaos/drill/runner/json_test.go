package runner

import (
	"bytes"
	"encoding/json"
	"testing"
)

// TestJSONIsFitForATerminal: the title of a suite is its author's, and a program's words are the program's.
func TestJSONIsFitForATerminal(t *testing.T) {
	for _, tt := range []struct{ title, written, reason string }{
		{"a \u202e b", `"a \u202e b"`, "it would reorder the line"},
		{"a \x7f b", `"a \u007f b"`, "a terminal obeys DEL"},
		{"a \u009b b", `"a \u009b b"`, "a terminal takes it for the beginning of a sequence"},
		{"a < b, 锁", `"a < b, 锁"`, "what a person can read stays"},
	} {
		var out bytes.Buffer
		if err := (Suite{Title: tt.title}).JSON(&out); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(out.Bytes(), []byte(`"suite": `+tt.written)) {
			t.Errorf("want %s, since %s:\n%s", tt.written, tt.reason, &out)
		}
		var read struct{ Suite string }
		if err := json.Unmarshal(out.Bytes(), &read); err != nil || read.Suite != tt.title {
			t.Errorf("a parser reads %q (%v), want %q", read.Suite, err, tt.title)
		}
	}
}
