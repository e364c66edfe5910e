package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/history"
	"locktop/ui/cli/session"
	"locktop/watcher/recording"
)

// inProcess runs a command here, so that what it is told can be looked at.
func inProcess(t *testing.T, tap func(model.Source) model.Source, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	return inProcessUntil(t.Context(), tap, args...)
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

// withoutObserved is an answer without what says how it was come by.
func withoutObserved(t *testing.T, text string) (rest string, at string) {
	t.Helper()
	begin := strings.Index(text, "  \"observed\": {")
	if begin < 0 {
		return text, ""
	}
	end := begin + strings.Index(text[begin:], "\n  },")
	var doc struct{ Observed struct{ At string } }
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return text[:begin] + text[end:], doc.Observed.At
}

// TestARecordingAnswersAsTheClusterDid: what a command was told is recorded, and the same
// command asked of the recording says the same, byte by byte.
func TestARecordingAnswersAsTheClusterDid(t *testing.T) {
	home(t, "")
	t.Setenv("LOCKTOP_PREFIX", "/none/") // of a cluster: it means nothing to a recording
	endpoint := member(t)
	c := unbound(t, endpoint)
	if _, err := c.Put(within(t), "/jobs/a/notes", "foreign"); err != nil {
		t.Fatal(err)
	}
	held(t, endpoint, "/jobs/a", "/jobs/b")
	held(t, endpoint, "/jobs/a")
	for i, row := range []struct {
		args []string
		code int
	}{
		{[]string{"ls"}, exitOK},
		{[]string{"ls", "-o", "json"}, exitOK},
		{[]string{"ls", "-o", "csv", "--leases", "none"}, exitOK},
		{[]string{"ls", "-o", "json", "--for", "500ms"}, exitOK},
		{[]string{"describe", "/jobs/a"}, exitOK},
		{[]string{"describe", "/jobs/a", "-o", "jsonl"}, exitOK},
		{[]string{"doctor"}, exitFailed},
		{[]string{"doctor", "-o", "json", "--for", "500ms"}, exitFailed},
		{[]string{"doctor", "-o", "wide"}, exitFailed},
		{[]string{"events", "-o", "jsonl", "--for", "1s"}, exitOK},
	} {
		t.Run(strings.Join(row.args, " "), func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "x.rec")
			var file *os.File
			var r *recording.Recorder
			listed := make(chan struct{})
			first := sync.OnceFunc(func() { close(listed) })
			tap := func(src model.Source) model.Source { // it may look twice, and answers by the last look
				var err error
				if file, err = os.Create(name); err != nil {
					t.Fatal(err)
				}
				r = recording.NewRecorder(file, recording.Options{})
				return session.Tap(src, func(b model.Batch, err error) {
					if err == nil && r.Write(b) != nil {
						t.Error("not written")
					}
					for _, e := range b.Events {
						if _, ok := e.(model.Loaded); ok {
							first()
						}
					}
				})
			}
			if row.args[0] == "events" { // something has to happen
				go func() {
					<-listed
					held(t, endpoint, fmt.Sprintf("/jobs/e%d", i))
				}()
			}
			code, live, errs := inProcess(t, tap, patient(append([]string{"--prefix", "/jobs/"}, row.args...), endpoint)...)
			if code != row.code {
				t.Fatalf("live: exit %d, want %d: %s%s", code, row.code, live, errs)
			}
			live, at := withoutObserved(t, live)
			if end, err := time.Parse(time.RFC3339Nano, at); err == nil { // a command that observes looks at the clock when it answers
				err := r.Write(model.Batch{Events: []model.Event{model.Tick{At: end}}})
				if err != nil {
					t.Fatal(err)
				}
			}
			if err := file.Close(); err != nil {
				t.Fatal(err)
			}
			again := slices.DeleteFunc(slices.Clone(row.args), func(a string) bool { return a == "--for" || strings.HasSuffix(a, "ms") || a == "1s" })
			if again = append(again, "--recording", name); at != "" {
				again = append(again, "--at", at)
			}
			code, past, errs := inProcess(t, nil, again...)
			past, _ = withoutObserved(t, past)
			if code != row.code || past != live || live == "" {
				t.Errorf("exit %d, want %d\n--- live\n%s--- recording\n%s%s", code, row.code, live, past, errs)
			}
		})
	}
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
	h := history.New()
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
	stamp := func(sec float64) string { return history.At(sec).Local().Format(time.RFC3339Nano) }
	for _, row := range []struct {
		reason string
		at     string
		code   int
		want   string
	}{
		{"the first holds", stamp(4), exitOK, "/l/a1"},
		{"to the very moment", stamp(5), exitOK, "/l/b2"},
		{"a nanosecond before it", history.At(5).Add(-1).Local().Format(time.RFC3339Nano), exitOK, "/l/a1"},
		{"a time of day", history.At(6).Local().Format("15:04:05"), exitOK, "/l/b2"},
		{"with its date", history.At(6).Local().Format(time.DateTime), exitOK, "/l/b2"},
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
		{"a time of day that it does not have", history.At(-60).Local().Format("15:04:05"), exitBad, "is not in the recording"},
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
	_, some, _ := inProcess(t, nil, "events", "--recording", name, "-o", "jsonl", "--at", history.At(6).Local().Format(time.RFC3339))
	_, replay, _ := inProcess(t, nil, "replay", name, "-o", "jsonl")
	if strings.Count(all, `"handover"`) != 2 || strings.Count(some, `"handover"`) != 1 || replay != all {
		t.Errorf("all:\n%s\nup to 6 s:\n%s\nreplay:\n%s", all, some, replay)
	}
}

// TestDoctorDoesNotSayWellOfWhatARecordingLacks: its neighbour says well of what is there.
func TestDoctorDoesNotSayWellOfWhatARecordingLacks(t *testing.T) {
	home(t, "")
	seen := func(read bool, more ...model.Event) []model.Event {
		h := history.New()
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
		{"the watch was lost", seen(true, model.Lost{At: history.At(3), Reason: model.LostDisconnect, Detail: "no answer"}), exitBad, "no answer"},
		{"the last proof is too old", seen(true, model.Tick{At: history.At(30)}), exitBad, "the cluster did not answer"},
		{"and one that is not", seen(true, model.Watching{At: history.At(29), Rev: 102}, model.LeaseRead{At: history.At(30), ID: 0xa1, Granted: 60, Remaining: 59, Term: 2, Rev: 102}), exitOK, ""},
		{"nothing was listed", []model.Event{model.Tick{At: history.At(1)}}, exitBad, "no list of keys"},
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
		{[]string{"ls", "--prefix", "/l"}, "--prefix has no meaning"},
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
	if code, _, errs := inProcess(t, nil, "ls", "--at", "5"); code != exitBad || !strings.Contains(errs, "--recording FILE") {
		t.Errorf("--at alone: exit %d, %q", code, errs)
	}
}
