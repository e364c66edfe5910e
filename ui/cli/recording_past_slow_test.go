//go:build slow

package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/model"
	"locktop/ui/cli/session"
	"locktop/watcher/recording"
)

// TestARecordingAnswersAsTheClusterDid: what a command was told is recorded, and the same
// command asked of the recording says the same, byte by byte.
func TestARecordingAnswersAsTheClusterDid(t *testing.T) {
	t.Setenv("LOCKTOP_PREFIX", "/none/") // of a cluster: it means nothing to a recording
	endpoint := member(t)
	c := unbound(t, endpoint)
	if _, err := c.Put(within(t), "/jobs/lock-a/notes", "foreign"); err != nil {
		t.Fatal(err)
	}
	held(t, endpoint, "/jobs/lock-a", "/jobs/lock-b")
	held(t, endpoint, "/jobs/lock-a")
	for i, row := range []struct {
		args []string
		code int
	}{
		{[]string{"ls"}, exitOK},
		{[]string{"ls", "-o", "json"}, exitOK},
		{[]string{"ls", "-o", "csv", "--leases", "none"}, exitOK},
		{[]string{"ls", "-o", "json", "--for", "500ms"}, exitOK},
		{[]string{"describe", "/jobs/lock-a"}, exitOK},
		{[]string{"describe", "/jobs/lock-a", "-o", "jsonl"}, exitOK},
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

// withoutObserved is an answer without what says how it was come by.
func withoutObserved(t *testing.T, text string) (rest string, at string) {
	t.Helper()
	begin := strings.Index(text, "  \"observed\": {")
	if begin < 0 {
		text, _, _ = strings.Cut(text, "One look does not tell") // a recording is more than one look
		return text, ""
	}
	end := begin + strings.Index(text[begin:], "\n  },")
	var doc struct{ Observed struct{ At string } }
	if err := json.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return text[:begin] + text[end:], doc.Observed.At
}
