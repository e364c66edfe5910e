package cli

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"locktop/demo/process"
	"locktop/model"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/watcher/recording"
)

// rotationOf writes a history into a folder of several files, as serve does.
func rotationOf(t rapid.TB, dir string, events []model.Event) {
	t.Helper()
	r, err := recording.OpenRotation(recording.RotationOptions{Dir: dir, Keep: time.Hour, MaxBytes: 1 << 20, PieceBytes: 2 << 10, Lock: process.LockFile,
		Tell: func(line string) { t.Error(line) }})
	if err != nil {
		t.Fatal(err)
	}
	s := store.New()
	for _, e := range events {
		b := model.Batch{Events: []model.Event{e}}
		s.Apply(b)
		r.Write(b, s.Checkpoint)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestCommandsAskAFolder: each that asks a recording takes the folder of a rotation, of which it
// asks the stretch in which the moment is.
func TestCommandsAskAFolder(t *testing.T) {
	home(t, "")
	dir := t.TempDir()
	early, late := modeltest.New(), modeltest.New()
	early.Loaded(0)
	early.Put(1, "/l/a1", "", 0xa1)
	early.Put(2, "/l/b2", "", 0xb2)
	early.Del(5, "/l/a1")
	late.Rev = 200
	late.Loaded(60)
	late.Put(61, "/m/c3", "", 0xc3)
	rotationOf(t, dir, early.Events)
	rotationOf(t, dir, late.Events)
	stamp := func(sec float64) string { return modeltest.At(sec).Local().Format(time.RFC3339Nano) }
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
