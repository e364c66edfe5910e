package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"locktop/demo/etcdtest"
	"locktop/demo/process"
	"locktop/model"
	"locktop/model/fold"
	"locktop/model/history"
	"locktop/ui/cli/session"
	"locktop/ui/report"
	"locktop/watcher/recording"
	"locktop/watcher/recording/ring"
)

// ringOf writes a history into a folder of several files, as serve does.
func ringOf(t rapid.TB, dir string, events []model.Event) {
	t.Helper()
	r, err := ring.Open(ring.Options{Dir: dir, Keep: time.Hour, MaxBytes: 1 << 20, PieceBytes: 2 << 10, Lock: process.LockFile,
		Tell: func(line string) { t.Error(line) }})
	if err != nil {
		t.Fatal(err)
	}
	s := fold.NewState()
	for _, e := range events {
		b := model.Batch{Events: []model.Event{e}}
		s.Apply(b)
		r.Write(b, s.Beginning)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// printedOf is what ls and doctor print of a state.
func printedOf(t rapid.TB, s *fold.State) string {
	t.Helper()
	var b bytes.Buffer
	err := report.Locks(&b, s, s.Locks(), report.Observation{At: s.Now()}, "json")
	if err == nil {
		err = report.Diagnoses(&b, s.Told(), "wide")
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestAnyMomentOfTheRingIsWhatWasLive: whatever happened, and over how many files.
func TestAnyMomentOfTheRingIsWhatWasLive(t *testing.T) {
	home(t, "")
	folder, files := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		h := history.Draw(t)
		dir, err := os.MkdirTemp(folder, "")
		if err != nil {
			t.Fatal(err)
		}
		ringOf(t, dir, h.Events)
		logs, _ := filepath.Glob(filepath.Join(dir, "*.log"))
		files = max(files, len(logs))
		for range 3 {
			live, at := fold.NewState(), time.Time{}
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
			past, err := e.openPast(t.Context(), pastFlags{dir, at.Format(time.RFC3339Nano)}, recording.Pace{})
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

// TestCommandsAskAFolder: each that asks a recording takes the folder of a ring, of which it
// asks the stretch in which the moment is.
func TestCommandsAskAFolder(t *testing.T) {
	home(t, "")
	dir := t.TempDir()
	early, late := history.New(), history.New()
	early.Loaded(0)
	early.Put(1, "/l/a1", "", 0xa1)
	early.Put(2, "/l/b2", "", 0xb2)
	early.Del(5, "/l/a1")
	late.Rev = 200
	late.Loaded(60)
	late.Put(61, "/m/c3", "", 0xc3)
	ringOf(t, dir, early.Events)
	ringOf(t, dir, late.Events)
	stamp := func(sec float64) string { return history.At(sec).Local().Format(time.RFC3339Nano) }
	for _, r := range []struct {
		args   []string
		code   int
		want   string
		errs   string
		reason string
	}{
		{[]string{"ls", "-o", "csv", "--recording", dir}, exitOK, "/m/c3", "holds 2 stretches of time", "the last one, and there is another"},
		{[]string{"ls", "-o", "csv", "--recording", dir, "--at", stamp(3)}, exitOK, "/l/a1", "", "a moment of the first"},
		{[]string{"ls", "-o", "csv", "--recording", dir, "--at", "103"}, exitOK, "/l/b2", "", "a revision of the first"},
		{[]string{"ls", "-o", "csv", "--recording", dir, "--at", "201"}, exitOK, "/m/c3", "", "a revision of the second"},
		{[]string{"describe", "/l", "--recording", dir, "--at", stamp(3)}, exitOK, "/l/a1", "", "one lock"},
		{[]string{"doctor", "--recording", dir, "--at", stamp(61)}, exitOK, "No problems on 1 lock", "", "a moment of the second"},
		{[]string{"events", "-o", "jsonl", "--recording", dir, "--at", stamp(5)}, exitOK, `"handover"`, "", "what happened up to then"},
		{[]string{"replay", dir, "-o", "jsonl", "--at", stamp(5)}, exitOK, `"handover"`, "", "the same"},
		{[]string{"report", "-o", "md", "--recording", dir, "--at", stamp(5)}, exitOK, "/l", "", "a page"},
		{[]string{"ls", "--recording", dir, "--at", stamp(30)}, exitBad, "", "is not in the recording: it goes from", "nobody looked then"},
		{[]string{"ls", "--recording", dir, "--at", stamp(-30)}, exitBad, "", "is not in the recording: it goes from", "before all"},
		{[]string{"ls", "--recording", t.TempDir()}, exitBad, "", "nothing of a recording", "a folder of something else"},
		{[]string{"replay", t.TempDir()}, exitBad, "", "nothing of a recording", "the same for the console"},
	} {
		code, out, errs := inProcess(t, nil, r.args...)
		if code != r.code || !strings.Contains(out, r.want) || !strings.Contains(errs, r.errs) || r.errs == "" && errs != "" {
			t.Errorf("%s: %v: exit %d, want %d, %q and %q\n%s%s", r.reason, r.args, code, r.code, r.want, r.errs, out, errs)
		}
	}
}

// TestServeRecords: what was wrong while nobody looked is answered from the folder, also that
// nothing was seen while the server was away. Nobody else may write there, and a kill leaves
// it whole.
func TestServeRecords(t *testing.T) {
	t.Parallel()
	etcd, endpoint := etcdtest.Run(t, require(t, "etcd"), "http")
	state, dir := t.TempDir(), filepath.Join(t.TempDir(), "ring")
	blocked(t, endpoint, "/jobs/stuck")
	s := serveOn(t, endpoint, "--record", dir)
	ask := func(args ...string) (int, string, string) {
		return program(t, state, append(args, "--recording", dir)...)
	}
	until(t, "the finding is recorded", func() bool {
		code, out, _ := ask("doctor")
		return code == exitFailed && strings.Contains(out, "/jobs/stuck")
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
		if text, err := os.ReadFile(f); strings.HasSuffix(f, ".log") && (err != nil || len(text) == 0 || bytes.Contains(recordedText(t, f), []byte(`"value"`))) {
			t.Errorf("%s: %v, it is empty or holds values", f, err)
		}
	}
	etcd.Stop()
	until(t, "the loss is recorded", func() bool {
		code, out, errs := ask("ls")
		return code == exitBad && strings.Contains(out, "/jobs/stuck") && strings.Contains(errs, "/jobs/")
	})
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // killed
	if code, out, errs := ask("ls"); code != exitBad || !strings.Contains(out, "/jobs/stuck") || strings.Contains(errs, "damaged") {
		t.Errorf("after the kill: exit %d: %s%s", code, out, errs)
	}
}
