package cli

import (
	"os"
	"os/exec"
	"path/filepath"
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
