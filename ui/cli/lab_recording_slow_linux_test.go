//go:build slow

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
	t.Parallel()
	state := t.TempDir()
	code, out, errs := program(t, state, "drill", "run", "holder-pause")
	m := regexp.MustCompile(`recorded: locktop replay '(.*)'`).FindStringSubmatch(errs)
	if m == nil || !strings.HasPrefix(m[1], filepath.Join(state+"-state", "locktop", "recordings")) {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	text := recordedText(t, m[1])
	for _, event := range []string{"committed", "belief", "acted", "fault-on", "lease-owner", "contender", "lease-read", "drill-began", "drill-step", "drill-judged", "drill-over"} {
		if !bytes.Contains(text, []byte(`"event":"`+event+`"`)) {
			t.Errorf("no %s in the recording", event)
		}
	}
	if info, err := os.Stat(m[1]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	code, out, errs = program(t, state, "events", "--recording", m[1], "-o", "wide")
	for _, want := range []string{"took over ", "drill holder-pause began: ", "step 6: pause a", "drill over: "} {
		if code != exitOK || !strings.Contains(out, want) {
			t.Errorf("events: exit %d, no %q in %s%s", code, want, out, errs)
		}
	}
	code, page, errs := program(t, state, "report", "--recording", m[1])
	for _, want := range []string{"What was done, and by whom", "<h2>A paused holder loses the lock and still believes that it holds</h2>", "The drill: ", "a believed for "} {
		if code != exitOK || !strings.Contains(page, want) {
			t.Errorf("report: exit %d, no %q in it: %s", code, want, errs)
		}
	}
}

// TestALabThatIsKilledLeavesItsRecording: all but the last second of it.
func TestALabThatIsKilledLeavesItsRecording(t *testing.T) {
	t.Parallel()
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
		return bytes.Count(recordedText(t, file), []byte(`"deleted":true`)) > 2
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

// TestAConsoleThatIsKilledLeavesItsRecording: what a person asked to be written down begins
// with what was so then, and lacks at most the last second before the console was killed. One
// that is ended says where it is and holds what the screen showed.
func TestAConsoleThatIsKilledLeavesItsRecording(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		reason string
		kill   bool
	}{{"it is killed", true}, {"it is ended by the command, and the console goes on", false}} {
		state := t.TempDir()
		cmd := exec.Command(locktop(t), "demo", "--members", "1")
		cmd.Env = append(cleanEnv(state), "TMPDIR="+state, "XDG_STATE_HOME="+state)
		term := onTerminal(t, cmd)
		seen := term.sees(t, 0, "/demo/report")
		record := func() {
			t.Helper()
			for _, x := range []struct{ keys, shows string }{{":", "lock NAME"}, {"record", ":record"}} { // each is read by itself
				seen = len(term.text())
				term.press(x.keys)
				seen = term.sees(t, seen, x.shows)
			}
			term.press("\r")
		}
		record()
		seen = term.sees(t, seen, "REC")
		files, _ := filepath.Glob(filepath.Join(state, "locktop", "recordings", "console-*.rec"))
		if len(files) != 1 {
			t.Fatalf("%s: recordings %v", row.reason, files)
		}
		if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", row.reason, info.Mode(), err)
		}
		until(t, "handovers are recorded", func() bool { return bytes.Count(recordedText(t, files[0]), []byte(`"deleted":true`)) > 2 })
		if !row.kill {
			record()
			seen = term.sees(t, seen, "recorded: locktop replay")
			term.press("q")
			term.sees(t, seen, "recorded: locktop replay") // the lab's own
		}
		ended := time.Now()
		if row.kill {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		_ = cmd.Wait() // killed
		code, out, errs := program(t, state, "ls", "--recording", files[0], "-o", "json")
		text, at := withoutObserved(t, out)
		end, err := time.Parse(time.RFC3339Nano, at)
		if code != exitOK || err != nil || row.kill && ended.Sub(end) > time.Second || !strings.Contains(text, `"/demo/report"`) {
			t.Errorf("%s: exit %d, it ends %s before the end, %v: %s", row.reason, code, ended.Sub(end), err, errs)
		}
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
	if err := dropOldest(dir, "lab", 2); err != nil {
		t.Fatal(err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if want := []string{filepath.Join(dir, "lab-3.rec"), filepath.Join(dir, "lab-4.rec"), other}; strings.Join(left, " ") != strings.Join(want, " ") {
		t.Errorf("left %v, want %v", left, want)
	}
}
