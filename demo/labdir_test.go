package demo

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"locktop/demo/labtest"
	"locktop/demo/process"

	"github.com/google/go-cmp/cmp"
)

// idler starts a process that does nothing, to be found by a sweep.
func idler(t *testing.T) procRecord {
	t.Helper()
	cmd := exec.Command(os.Args[0], asIdler)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	labtest.NewLineReader(out)()
	start, err := process.StartTime(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	return procRecord{pid: cmd.Process.Pid, start: start, name: "c1"}
}

func alive(p procRecord) bool {
	start, err := process.StartTime(p.pid)
	return err == nil && start == p.start
}

func TestSweep(t *testing.T) {
	ownTemp(t)
	mine, other := idler(t), idler(t)
	now := time.Now()
	mkdir := func(name string) string {
		path := filepath.Join(os.TempDir(), dirPrefix+name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}

	living, err := newLabDir()
	if err != nil {
		t.Fatal(err)
	}
	dead := mkdir("dead")
	write(filepath.Join(dead, lockName), "")
	reused := other
	reused.start = "1"
	if err := (&labDir{path: dead}).record([]procRecord{mine, reused}); err != nil {
		t.Fatal(err)
	}
	young := mkdir("young")
	old := mkdir("old")
	if err := os.Chtimes(old, now.Add(-time.Hour), now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	link := filepath.Join(os.TempDir(), dirPrefix+"link")
	if err := os.Symlink(elsewhere, link); err != nil {
		t.Fatal(err)
	}

	if diff := cmp.Diff([]string{dead, old}, sweep(now)); diff != "" {
		t.Errorf("swept: -want +got\n%s", diff)
	}
	tests := []struct {
		path   string
		left   bool
		reason string
	}{
		{living.path, true, "its lock is held"},
		{dead, false, "its lock is free"},
		{young, true, "it may be in the making"},
		{old, false, "it was never finished"},
		{link, true, "it is no directory"},
		{elsewhere, true, "it is none of ours"},
	}
	for _, tt := range tests {
		if exists(tt.path) != tt.left {
			t.Errorf("%s: left is %v, because %s", tt.path, !tt.left, tt.reason)
		}
	}
	if alive(mine) {
		t.Error("the dead lab's contender still runs")
	}
	if !alive(other) {
		t.Error("a process was killed that only has the number of a contender")
	}
	if err := living.remove(); err != nil || exists(living.path) {
		t.Errorf("it was not removed: %v", err)
	}
}

func TestReadRecordSkipsNonsense(t *testing.T) {
	path := filepath.Join(t.TempDir(), pidsName)
	if err := os.WriteFile(path, []byte("12 34 c1\nx y z\n1 1 init\n-5 1 c2\n\n56 78 c3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []procRecord{{12, "34", "c1"}, {56, "78", "c3"}}
	if diff := cmp.Diff(want, readRecord(path), cmp.AllowUnexported(procRecord{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
