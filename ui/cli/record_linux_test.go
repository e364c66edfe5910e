package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/watcher/recording"
)

// TestReplayOnATerminal: the console shows the lock of a recording that is years
// old, says what it is, and how it ended.
func TestReplayOnATerminal(t *testing.T) {
	name := filepath.Join(t.TempDir(), "old.rec")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	err = recording.NewRecorder(file, recording.Options{}).Write(model.Batch{Events: []model.Event{
		model.LoadStarted{At: at, Rev: 5},
		model.Listed{At: at, Rev: 5, KVs: []model.KV{{Key: "/jobs/a/1f", CreateRev: 3, ModRev: 3, Version: 1, Lease: 0x1f}}, Done: 1, Total: 1},
		model.Loaded{At: at, Rev: 5},
		model.Watching{At: at, Rev: 5},
	}})
	if err != nil || file.Close() != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(locktop(t), "replay", name)
	cmd.Env = cleanEnv(t.TempDir())
	term := onTerminal(t, cmd)
	for _, want := range []string{"old.rec", "2020-01-01", "/jobs/a", "End of recording"} {
		until(t, want, func() bool { return strings.Contains(term.text(), want) })
	}
	term.master.WriteString("q")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// TestGoingBackInARecording: the whole console shows the moment, under the recording's own
// times, and goes on from there.
func TestGoingBackInARecording(t *testing.T) {
	t.Parallel()
	name := threeHolders(t)
	cmd := exec.Command(locktop(t), "replay", name, "--speed", "1000")
	cmd.Env = append(cleanEnv(t.TempDir()), "TZ=UTC")
	term := onTerminal(t, cmd)
	seen := 0 // of the output, when the last keys were pressed
	press := func(keys string) {
		seen = len(term.text())
		term.master.WriteString(keys)
	}
	shows := func(what string, words ...string) {
		t.Helper()
		until(t, what, func() bool {
			text := term.text()[seen:]
			return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) })
		})
	}
	shows("the end", "as of 2026-01-02 03:04:14", "ended")
	command := func(text string) {
		t.Helper()
		press(":")
		shows("the line of commands", "lock NAME")
		press(text)
		shows("what was typed", text)
		press("\r")
	}
	command("at 03:04:09")
	shows("a time that was typed", "as of 2026-01-02 03:04:09", "paused")
	for _, row := range []struct{ keys, moment string }{
		{"}", "as of 2026-01-02 03:04:10"},
		{"{", "as of 2026-01-02 03:04:06"},
		{".", "as of 2026-01-02 03:04:07"},
		{",", "as of 2026-01-02 03:04:06"},
	} {
		press(row.keys)
		shows(row.keys, row.moment)
	}
	command("at 03:59:59")
	shows("a time that is not there", "is not in the recording")
	press("p")
	shows("it goes on to the end", "as of 2026-01-02 03:04:14", "ended")
	term.master.WriteString("q")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
