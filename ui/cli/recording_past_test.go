package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/modeltest"
	"locktop/watcher/recording"
)

// inProcess runs a command here, so that what it is told can be looked at.
func inProcess(t *testing.T, tap func(model.Source) model.Source, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return inProcessUntil(t.Context(), tap, args...)
}

// wantsText says what is missing of some texts in an output, and which of others is there.
func wantsText(t *testing.T, reason, out string, has, lacks []string) {
	t.Helper()
	for _, want := range has {
		if !strings.Contains(out, want) {
			t.Errorf("%s: no %q in\n%s", reason, want, out)
		}
	}
	for _, no := range lacks {
		if strings.Contains(out, no) {
			t.Errorf("%s: %q in\n%s", reason, no, out)
		}
	}
}

// inProcessUntil does so until ctx ends.
func inProcessUntil(ctx context.Context, tap func(model.Source) model.Source, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	e := &env{}
	e.streams, e.wrap = streams{in: strings.NewReader(""), out: &out, err: &errs, stdout: &out}, tap
	root := e.rootCmd()
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(ctx)
	code = exitWith(ctx, cmd, &errs, err, nil)
	return code, out.String(), errs.String()
}

// stored writes a story into a file.
func stored(t *testing.T, events ...model.Event) string {
	t.Helper()
	var out bytes.Buffer
	r := recording.NewRecorder(&out, recording.Options{})
	for _, e := range events {
		if err := r.Write(model.Batch{Events: []model.Event{e}}); err != nil {
			t.Fatal(err)
		}
	}
	name := filepath.Join(t.TempDir(), "story.rec")
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// threeHolders is a lock that goes from hand to hand: revision 101 to 105, second 1 to 9.
func threeHolders(t *testing.T) string {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/l/a1", "", 0xa1)
	h.Put(2, "/l/b2", "", 0xb2)
	h.Put(3, "/l/c3", "", 0xc3)
	h.Del(5, "/l/a1")
	h.Del(7, "/l/b2")
	h.Read(9, 0xc3, 60, 59)
	return stored(t, h.Events...)
}

func TestAMomentOfARecording(t *testing.T) {
	home(t, "")
	name := threeHolders(t)
	stamp := func(sec float64) string { return modeltest.At(sec).Local().Format(time.RFC3339Nano) }
	for _, row := range []struct {
		reason string
		at     string
		code   int
		want   string
	}{
		{"the first holds", stamp(4), exitOK, "/l/a1"},
		{"to the very moment", stamp(5), exitOK, "/l/b2"},
		{"a nanosecond before it", modeltest.At(5).Add(-1).Local().Format(time.RFC3339Nano), exitOK, "/l/a1"},
		{"a time of day", modeltest.At(6).Local().Format("15:04:05"), exitOK, "/l/b2"},
		{"with its date", modeltest.At(6).Local().Format(time.DateTime), exitOK, "/l/b2"},
		{"a revision", "104", exitOK, "/l/b2"},
		{"the revision before", "103", exitOK, "/l/a1"},
		{"the last revision", "105", exitOK, "/l/c3"},
		{"the end", "", exitOK, "/l/c3"},
		{"the very end", stamp(9), exitOK, "/l/c3"},
		{"the very beginning", stamp(0), exitOK, ""},
		{"before it began", stamp(-1), exitBad, "is not in the recording: it goes from "},
		{"after it ended", stamp(9.5), exitBad, "03:04:14.000"},
		{"a revision before the first list", "99", exitBad, "revision 99 is not in the recording"},
		{"a revision that was not reached", "106", exitBad, "revisions 100 to 105"},
		{"no time", "yesterday", exitBad, `--at "yesterday": want a time`},
		{"no revision", "-5", exitBad, `--at "-5": want a time`},
		{"a time of day that it does not have", modeltest.At(-60).Local().Format("15:04:05"), exitBad, "is not in the recording"},
	} {
		args := []string{"ls", "-o", "json", "--leases", "none", "--recording", name}
		if row.at != "" {
			args = append(args, "--at", row.at)
		}
		code, out, errs := inProcess(t, nil, args...)
		var doc lsJSON
		_ = json.Unmarshal([]byte(out), &doc)
		got := errs
		if code == exitOK {
			got = ""
			if len(doc.Locks) > 0 {
				got = doc.Locks[0].Holders[0].Key
			}
		}
		if code != row.code || !strings.Contains(got, row.want) || row.want == "" && got != "" {
			t.Errorf("%s: exit %d, want %d, %q, want %q", row.reason, code, row.code, got, row.want)
		}
	}
	for _, command := range []string{"doctor", "events"} {
		if code, out, errs := inProcess(t, nil, command, "--recording", name, "--at", "106"); code != exitBad || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d: %q %q", command, code, out, errs)
		}
	}
}

func TestEventsUpToAMoment(t *testing.T) {
	home(t, "")
	name := threeHolders(t)
	_, all, _ := inProcess(t, nil, "events", "--recording", name, "-o", "jsonl")
	_, some, _ := inProcess(t, nil, "events", "--recording", name, "-o", "jsonl", "--at", modeltest.At(6).Local().Format(time.RFC3339))
	_, replay, _ := inProcess(t, nil, "replay", name, "-o", "jsonl")
	if strings.Count(all, `"handover"`) != 2 || strings.Count(some, `"handover"`) != 1 || replay != all {
		t.Errorf("all:\n%s\nup to 6 s:\n%s\nreplay:\n%s", all, some, replay)
	}
}

// TestDoctorDoesNotSayWellOfWhatARecordingLacks: its neighbour says well of what is there.
func TestDoctorDoesNotSayWellOfWhatARecordingLacks(t *testing.T) {
	home(t, "")
	seen := func(read bool, more ...model.Event) []model.Event {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, "/l/a1", "", 0xa1)
		h.Put(1, "/l/b2", "", 0xb2)
		if read {
			h.Read(2, 0xa1, 60, 59)
			h.Read(2, 0xb2, 60, 59)
		}
		return append(h.Events, more...)
	}
	for _, row := range []struct {
		reason string
		events []model.Event
		code   int
		want   string
	}{
		{"all was seen and read", seen(true), exitOK, ""},
		{"the head of a queue was never read", seen(false), exitBad, "the readings of 1 lease"},
		{"the watch was lost", seen(true, model.Lost{At: modeltest.At(3), Reason: model.LostDisconnect, Detail: model.Say("quote", "no answer")}), exitBad, "no answer"},
		{"the last proof is too old", seen(true, model.Tick{At: modeltest.At(30)}), exitBad, "the cluster did not answer"},
		{"and one that is not", seen(true, model.Watching{At: modeltest.At(29), Rev: 102}, model.LeaseRead{At: modeltest.At(30), ID: 0xa1, Granted: 60, Remaining: 59, Term: 2, Rev: 102}), exitOK, ""},
		{"nothing was listed", []model.Event{model.Tick{At: modeltest.At(1)}}, exitBad, "no list of keys"},
	} {
		code, out, errs := inProcess(t, nil, "doctor", "--recording", stored(t, row.events...))
		if code != row.code || !strings.Contains(errs, row.want) || strings.HasPrefix(out, "No problems on") != (row.code == exitOK) {
			t.Errorf("%s: exit %d, want %d and %q:\n%s%s", row.reason, code, row.code, row.want, out, errs)
		}
	}
}

// recordedText is what a recording says so far, whether it has ended or not.
func recordedText(t *testing.T, file string) []byte {
	t.Helper()
	in, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	z, err := gzip.NewReader(in)
	if err == io.EOF {
		return nil // nothing was recorded yet
	} else if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	return text
}

// TestATornEndIsCutOff: what comes before is answered, and that there was more is said. A
// moment before it lacks nothing.
func TestATornEndIsCutOff(t *testing.T) {
	home(t, "")
	name := threeHolders(t)
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, text[:len(text)-20], 0o600); err != nil { // of the last reading
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		code int
		out  string
		errs string
	}{
		{[]string{"ls"}, exitBad, "/l/c3", "the recording is damaged: bytes "},
		{[]string{"describe", "/l"}, exitBad, "/l/c3", "the recording is damaged: bytes "},
		{[]string{"report", "-o", "md"}, exitBad, "**Not seen:** all keys", "the recording is damaged: bytes "},
		{[]string{"ls", "--at", "105"}, exitBad, "", "the recording is damaged: bytes "}, // what follows it is not known
		{[]string{"ls", "--at", "104"}, exitOK, "/l/b2", ""},
	} {
		if row.args[0] == "ls" {
			row.args = append(row.args, "-o", "csv")
		}
		code, out, errs := inProcess(t, nil, append(row.args, "--recording", name)...)
		if code != row.code || !strings.Contains(out, row.out) || !strings.Contains(errs, row.errs) || row.errs == "" && errs != "" {
			t.Errorf("%v: exit %d, want %d, %q and %q\n%s%s", row.args, code, row.code, row.out, row.errs, out, errs)
		}
	}
}

func TestARecordingTakesNoFlagsOfACluster(t *testing.T) {
	home(t, "")
	name := threeHolders(t)
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"ls", "--endpoints", "x:1"}, "--endpoints has no meaning"},
		{[]string{"top", "--from", "tomorrow"}, `--from "tomorrow": want a time`},
		{[]string{"events", "--at", "5", "--to", "6"}, "--to and --at are the same moment"},
		{[]string{"doctor", "--for", "1s"}, "--for has no meaning"},
		{[]string{"doctor", "--lease-lists"}, "--lease-lists has no meaning"},
		{[]string{"describe", "/l", "--lease-budget", "5"}, "--lease-budget has no meaning"},
		{[]string{"events", "--since-revision", "all"}, "--since-revision has no meaning"},
		{[]string{"discover"}, "--recording has no meaning"},
		{[]string{"describe", "/none"}, `there is no lock "/none" at ` + name},
	} {
		code, _, errs := inProcess(t, nil, append(row.args, "--recording", name)...)
		if code != exitBad || !strings.Contains(errs, row.want) {
			t.Errorf("%v: exit %d, %q, want %q", row.args, code, errs, row.want)
		}
	}
	if code, _, errs := inProcess(t, nil, "ls", "--lock", "/l"); code != exitBad || !strings.Contains(errs, "--lock is for a recording") {
		t.Errorf("--lock alone: exit %d, %q", code, errs)
	}
	if code, _, errs := inProcess(t, nil, "ls", "--at", "5"); code != exitBad || !strings.Contains(errs, "--recording FILE") {
		t.Errorf("--at alone: exit %d, %q", code, errs)
	}
}
