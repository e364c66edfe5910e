package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/watcher/recording"
)

// TestADamagedRecordingIsNoAnswer: what came before the damage is printed, its place is
// named, and the exit code is 2.
func TestADamagedRecordingIsNoAnswer(t *testing.T) {
	at := time.Unix(100, 0)
	var file bytes.Buffer
	r := recording.NewRecorder(&file, recording.Options{})
	for i, events := range [][]model.Event{
		{model.Requested{At: at, Prefixes: []string{"/l/"}}, model.LoadStarted{At: at, Prefix: "/l/", Rev: 5}, model.Loaded{At: at, Prefix: "/l/", Rev: 5}},
		{model.Committed{At: at, Rev: 6, Changes: []model.Change{{KV: model.KV{Key: "/l/a/a1", CreateRev: 6, ModRev: 6, Version: 1, Lease: 0xa1}}}}},
		{model.Committed{At: at, Rev: 7, Changes: []model.Change{{KV: model.KV{Key: "/l/a/a2", CreateRev: 7, ModRev: 7, Version: 1, Lease: 0xa2}}}}},
	} {
		if err := r.Write(model.Batch{Events: events}); err != nil {
			t.Fatal(i, err)
		}
	}
	whole := file.Bytes()
	over := bytes.Clone(whole)
	copy(over[len(over)-100:], strings.Repeat("x", 40))
	for _, row := range []struct {
		reason string
		text   []byte
		code   int
		out    string
		says   string
	}{
		{"a whole one", whole, exitOK, "a2", ""},
		{"40 bytes are overwritten", over, exitBad, "a1", "the recording is damaged: bytes "},
		{"it is cut short", whole[:len(whole)-30], exitBad, "a1", "the recording is damaged: bytes "},
	} {
		name := filepath.Join(t.TempDir(), "r")
		if err := os.WriteFile(name, row.text, 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := ranTo(t, "replay", name, "-o", "jsonl")
		if code != row.code || !strings.Contains(out, row.out) || !strings.Contains(errs, row.says) || (row.says == "") != (errs == "") {
			t.Errorf("%s: exit %d, want %d and %q:\n%s%s", row.reason, code, row.code, row.says, out, errs)
		}
	}
}
