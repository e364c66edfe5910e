//go:build slow

package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktop/demo/etcdtest"
	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/ui/cli/session"
	"locktop/ui/report"
	"locktop/watcher/recording"

	"pgregory.net/rapid"
)

// TestServeRecords: what was wrong while nobody looked is answered from the folder, also that
// nothing was seen while the server was away. Nobody else may write there, and a kill leaves
// it whole.
func TestServeRecords(t *testing.T) {
	t.Parallel()
	etcd, endpoint := etcdtest.Run(t, require(t, "etcd"), "http")
	state, dir := t.TempDir(), filepath.Join(t.TempDir(), "past")
	blocked(t, endpoint, "/jobs/lock-stuck")
	s := serveOn(t, endpoint, "--record", dir)
	ask := func(args ...string) (int, string, string) {
		return program(t, state, append(args, "--recording", dir)...)
	}
	until(t, "the finding is recorded", func() bool {
		code, out, _ := ask("doctor")
		return code == exitFailed && strings.Contains(out, "/jobs/lock-stuck")
	})
	if _, text := s.get("/metrics", ""); !strings.Contains(text, "locktop_recording_up 1\n") || !strings.Contains(text, `locktop_recording_info{dir="`+dir+`"} 1`) {
		t.Errorf("metrics:\n%s", ours(text))
	}
	code, out, errs := program(t, state, "serve", "--endpoints", endpoint, "--listen", "127.0.0.1:0", "--record", dir)
	if code != exitBad || !strings.Contains(errs, "another locktop records into this folder") {
		t.Errorf("a second one: exit %d: %s%s", code, out, errs)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, f := range files {
		if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f, info.Mode(), err)
		}
		if text, err := os.ReadFile(f); strings.HasSuffix(f, ".rec") && (err != nil || len(text) == 0 || bytes.Contains(recordedText(t, f), []byte(`"value"`))) {
			t.Errorf("%s: %v, it is empty or holds values", f, err)
		}
	}
	etcd.Stop()
	until(t, "the loss is recorded", func() bool {
		code, out, errs := ask("ls")
		return code == exitBad && strings.Contains(out, "/jobs/lock-stuck") && strings.Contains(errs, "/jobs/")
	})
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // killed
	if code, out, errs := ask("ls"); code != exitBad || !strings.Contains(out, "/jobs/lock-stuck") || strings.Contains(errs, "damaged") {
		t.Errorf("after the kill: exit %d: %s%s", code, out, errs)
	}
}

// TestAnyMomentOfARotationIsWhatWasLive: whatever happened, and over how many files.
func TestAnyMomentOfARotationIsWhatWasLive(t *testing.T) {
	t.Parallel()
	folder, files := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		h := modeltest.Draw(t)
		dir, err := os.MkdirTemp(folder, "")
		if err != nil {
			t.Fatal(err)
		}
		rotationOf(t, dir, h.Events)
		logs, _ := filepath.Glob(filepath.Join(dir, "*.rec"))
		files = max(files, len(logs))
		for range 3 {
			live, at := store.New(), time.Time{}
			n := rapid.IntRange(1, len(h.Events)).Draw(t, "events")
			for i, e := range h.Events {
				if i >= n && e.When().After(at) {
					break
				}
				live.Apply(model.Batch{Events: []model.Event{e}})
				if e.When().After(at) {
					at = e.When()
				}
			}
			live.Apply(model.Batch{Events: []model.Event{model.Tick{At: at}}})
			e := &env{}
			e.err = io.Discard
			past, err := e.openPast(t.Context(), pastFlags{file: dir, at: at.Format(time.RFC3339Nano)}, recording.Pace{})
			if err == nil {
				err = past.Pull(t.Context(), session.Pull{})
			}
			if err != nil {
				t.Fatal(err)
			}
			if got, want := printedOf(t, past.State), printedOf(t, live); got != want {
				t.Fatalf("at %s\n--- live\n%s--- recorded\n%s", at, want, got)
			}
			if err := past.close(); err != nil {
				t.Fatal(err)
			}
		}
	})
	if files < 3 {
		t.Errorf("no history took more than %d files", files)
	}
}

// printedOf is what ls and doctor print of a state.
func printedOf(t rapid.TB, s *store.Store) string {
	t.Helper()
	var b bytes.Buffer
	err := report.Locks(&b, s.View, s.Locks(), report.Observation{At: s.Now()}, "json")
	if err == nil {
		err = report.Diagnoses(&b, s.StoriesOf(nil), "wide")
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
