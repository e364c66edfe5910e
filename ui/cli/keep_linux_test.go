package cli

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// TestADrillIsRecorded: what the contenders believed, what the proxy saw and what was done
// are in the recording, and it can be asked like a cluster.
func TestADrillIsRecorded(t *testing.T) {
	state := t.TempDir()
	code, out, errs := program(t, state, "drill", "run", "holder-pause")
	m := regexp.MustCompile(`recorded: locktop replay '(.*)'`).FindStringSubmatch(errs)
	if m == nil || !strings.HasPrefix(m[1], filepath.Join(state+"-state", "locktop", "recordings")) {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	text, err := os.ReadFile(m[1])
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range []string{"committed", "belief", "acted", "fault-on", "lease-owner", "contender", "lease-read"} {
		if !bytes.Contains(text, []byte(`"event":"`+event+`"`)) {
			t.Errorf("no %s in the recording", event)
		}
	}
	if info, err := os.Stat(m[1]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	code, out, errs = program(t, state, "events", "--recording", m[1], "-o", "wide")
	if code != exitOK || !strings.Contains(out, "got ") {
		t.Errorf("events: exit %d, %s%s", code, out, errs)
	}
	if code, page, errs := program(t, state, "report", "--recording", m[1]); code != exitOK || !strings.Contains(page, "What was done, and by whom") {
		t.Errorf("report: exit %d, %s", code, errs)
	}
}

// TestALabThatIsKilledLeavesItsRecording: all but the last second of it.
func TestALabThatIsKilledLeavesItsRecording(t *testing.T) {
	state := t.TempDir()
	cmd := exec.Command(locktop(t), "demo", "--members", "1")
	cmd.Env = append(os.Environ(), "TMPDIR="+state, "XDG_STATE_HOME="+state)
	start(t, cmd)
	var file string
	until(t, "handovers are recorded", func() bool {
		files, _ := filepath.Glob(filepath.Join(state, "locktop", "recordings", "lab-*.rec"))
		if len(files) == 0 {
			return false
		}
		file = files[0]
		text, _ := os.ReadFile(file)
		return bytes.Count(text, []byte(`"deleted":true`)) > 2
	})
	killed := time.Now()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	code, out, errs := program(t, state, "ls", "--recording", file, "-o", "json")
	_, at := withoutObserved(t, out)
	end, err := time.Parse(time.RFC3339Nano, at)
	if code != exitOK || err != nil || killed.Sub(end) > time.Second {
		t.Errorf("exit %d: the recording ends %s before the end, %v: %s", code, killed.Sub(end), err, errs)
	}
}

func TestTheOldestRecordingsMakeRoom(t *testing.T) {
	dir := t.TempDir()
	for i := range 5 {
		name := filepath.Join(dir, fmt.Sprintf("lab-%d.rec", i))
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if at := time.Unix(int64(1000+i), 0); os.Chtimes(name, at, at) != nil {
			t.Fatal(name)
		}
	}
	other := filepath.Join(dir, "mine.txt")
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := dropOldest(dir, 2); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if want := []string{filepath.Join(dir, "lab-3.rec"), filepath.Join(dir, "lab-4.rec"), other}; strings.Join(left, " ") != strings.Join(want, " ") {
		t.Errorf("left %v, want %v", left, want)
	}
}
