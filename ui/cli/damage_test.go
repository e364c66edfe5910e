package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/watcher/hostile"
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

// TestARecordingOfTwoClustersSaysSo: it goes on, and its end is exit code 2.
func TestARecordingOfTwoClustersSaysSo(t *testing.T) {
	t.Parallel()
	for _, other := range []bool{false, true} {
		s := hostile.Start(t, "127.0.0.1:0")
		s.Become(0xaa, 10, hostile.Key("/l/a", 1, 5))
		done := make(chan struct{})
		go func() {
			defer close(done)
			for s.Watches() == 0 && t.Context().Err() == nil {
				time.Sleep(10 * time.Millisecond) // until it watches
			}
			if other {
				s.Become(0xbb, 90, hostile.Key("/l/a", 2, 50))
			}
		}()
		code, _, errs := ranTo(t, "record", filepath.Join(t.TempDir(), "r"), "--prefix", "/l/", "--for", "5s", "--endpoints", s.Addr)
		<-done
		if want := map[bool]int{false: exitOK, true: exitBad}[other]; code != want || strings.Contains(errs, "of more than one cluster: another cluster answers (id bb instead of aa)") != other {
			t.Errorf("another cluster: %v, exit %d: %s", other, code, errs)
		}
	}
}
