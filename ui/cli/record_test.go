package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/fold"
	"locktop/watcher"
)

func TestRecordAndReplay(t *testing.T) {
	b := newCLI(t)
	l := b.lease("600")
	b.ctl("put", "--lease="+l, "/jobs/a/"+l, "top secret")
	for _, r := range []struct {
		name   string
		args   []string
		secret bool
	}{{"whole", nil, true}, {"without values", []string{"--no-values"}, false}} {
		t.Run(r.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.rec")
			cmd := exec.Command(locktop(t), append([]string{"record", file, "--endpoints", b.endpoint}, r.args...)...)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			start(t, cmd)
			until(t, "the list is recorded", func() bool {
				text, _ := os.ReadFile(file)
				return bytes.Contains(text, []byte(`"event":"watching"`))
			})
			waiter := b.claim("/jobs/a", b.lease("600"))
			until(t, "the claim is recorded", func() bool {
				text, _ := os.ReadFile(file)
				return bytes.Contains(text, []byte(waiter))
			})
			b.ctl("del", waiter)
			cmd.Process.Signal(os.Interrupt)
			if err := cmd.Wait(); err != nil || !strings.Contains(errs.String(), "recorded ") {
				t.Errorf("%v: %s", err, errs.String())
			}
			text, err := os.ReadFile(file)
			if has := bytes.Contains(text, []byte("top secret")); err != nil || has != r.secret {
				t.Errorf("%v: the value is there: %v, want %v", err, has, r.secret)
			}
			if r.secret != strings.Contains(errs.String(), "--no-values leaves them out") {
				t.Errorf("it said %q", errs.String())
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v: %v, want 0600", err, info.Mode())
			}
			code, _, refused := b.run("", "record", file, "--for", "1ms")
			if again, _ := os.ReadFile(file); code != exitBad || !strings.Contains(refused, "overwrites nothing") || !bytes.Equal(again, text) {
				t.Errorf("a second recording into the file: exit %d, %s", code, refused)
			}
			code, out, refused := program(t, t.TempDir(), "replay", file, "-o", "jsonl")
			if code != exitOK || !strings.Contains(out, `"kind":"queued"`) {
				t.Errorf("replay: exit %d, %s%s", code, out, refused)
			}
			for line := range strings.Lines(out) {
				if !json.Valid([]byte(line)) {
					t.Errorf("no JSON: %q", line)
				}
			}
		})
	}
}

func TestRecordingIsBounded(t *testing.T) {
	batch := model.Batch{Events: []model.Event{model.Tick{At: time.Unix(1, 0)}}}
	var file bytes.Buffer
	out := &capped{w: &file, left: 500}
	n, err := recordFrom(t.Context(), endless{batch}, fold.NewState(), out, false)
	if !errors.Is(err, errFull) || n == 0 || file.Len() > 500 || int64(file.Len()) != out.written {
		t.Errorf("%d events in %d bytes (%d counted), %v", n, file.Len(), out.written, err)
	}
	p, err := watcher.Replay(&file)
	for range n {
		if err == nil {
			_, err = p.Next(t.Context(), model.Want{})
		}
	}
	if err != nil {
		t.Errorf("what was written is not whole: %v", err)
	}
	if _, err := p.Next(t.Context(), model.Want{}); err != io.EOF {
		t.Errorf("%v behind the last event, want its end", err)
	}
}

// endless says the same again and again.
type endless struct{ b model.Batch }

func (e endless) Next(context.Context, model.Want) (model.Batch, error) { return e.b, nil }

func TestValuesAreLeftOutOfACopy(t *testing.T) {
	batch := model.Batch{Events: []model.Event{
		model.Listed{KVs: []model.KV{{Key: "a", Value: "x"}}},
		model.Committed{Rev: 1, Changes: []model.Change{{KV: model.KV{Key: "a", Value: "x"}}}},
	}}
	without := withoutValues(batch)
	if without.Events[0].(model.Listed).KVs[0].Value+without.Events[1].(model.Committed).Changes[0].KV.Value != "" {
		t.Errorf("values are left: %+v", without)
	}
	if batch.Events[0].(model.Listed).KVs[0].Value+batch.Events[1].(model.Committed).Changes[0].KV.Value != "xx" {
		t.Errorf("who else has the batch has lost its values: %+v", batch)
	}
}

// recording is one of three ticks, a second apart, long ago.
func recording(t *testing.T) (*watcher.Player, time.Time) {
	t.Helper()
	first := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	var file bytes.Buffer
	r := watcher.Record(&file)
	for i := range 3 {
		if err := r.Write(model.Batch{Events: []model.Event{model.Tick{At: first.Add(time.Duration(i) * time.Second)}}}); err != nil {
			t.Fatal(err)
		}
	}
	p, err := watcher.Replay(&file)
	if err != nil {
		t.Fatal(err)
	}
	return p, first
}

func TestTape(t *testing.T) {
	p, first := recording(t)
	src := &tape{Source: p, speed: 20, asIfNow: true}
	var at []time.Time
	begun := time.Now()
	for {
		b, err := src.Next(t.Context(), model.Want{})
		if err != nil {
			if !errors.Is(err, errTapeEnd) || !src.ended {
				t.Errorf("it ended with %v", err)
			}
			break
		}
		at = append(at, b.Events[0].When())
	}
	if took := time.Since(begun); took < 100*time.Millisecond {
		t.Errorf("two seconds at twenty times the speed took %s, want 100 ms at least", took)
	}
	if len(at) != 3 || at[0].Before(begun) || at[2].Sub(at[0]) != 2*time.Second || !src.first.Equal(first) {
		t.Errorf("%v, first %v: want times from now on, as far apart as they were", at, src.first)
	}
}

func TestTapeThatIsInterruptedLosesNothing(t *testing.T) {
	p, _ := recording(t)
	src := &tape{Source: p, speed: 1}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := src.Next(ended, model.Want{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
	if _, err := src.Next(t.Context(), model.Want{}); err != nil {
		t.Errorf("the first batch is lost: %v", err)
	}
}

func TestEveryTimeOfAnEventIsMoved(t *testing.T) {
	at := time.Unix(100, 0)
	got := moved(model.Committed{At: at, Rev: 3, Changes: []model.Change{{KV: model.KV{Key: "a"}}}}, time.Hour)
	if d := cmp.Diff(model.Event(model.Committed{At: at.Add(time.Hour), Rev: 3, Changes: []model.Change{{KV: model.KV{Key: "a"}}}}), got); d != "" {
		t.Error(d)
	}
	if got := moved(model.Tick{}, time.Hour); !got.When().IsZero() {
		t.Errorf("%v: a time that is not there stays so", got)
	}
}

func TestReplayRefuses(t *testing.T) {
	no := filepath.Join(t.TempDir(), "no.rec")
	if err := os.WriteFile(no, []byte("hello\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct {
		args   []string
		want   string
		reason string
	}{
		{[]string{"replay"}, "wants one file's name", "no file"},
		{[]string{"replay", "/none/x"}, "cannot read the recording", "no such file"},
		{[]string{"replay", no}, "not a recording of locktop", "another file"},
		{[]string{"replay", no, "--speed", "0.5"}, "want 1 to 10000", "the clock of the screen would outrun it"},
		{[]string{"replay", no, "--speed", "NaN"}, "want 1 to 10000", "no number"},
		{[]string{"replay", no, "-o", "xml"}, "want table, wide, json, jsonl or csv", "no such format"},
		{[]string{"record"}, "wants one file's name", "no file"},
		{[]string{"record", "x", "--for", "-1s"}, "--for -1s", "not before it began"},
		{[]string{"record", "x", "--max-size", "0"}, "--max-size 0", "nothing fits"},
	} {
		var out, errs strings.Builder
		code := Main(r.args, strings.NewReader(""), &out, &errs)
		if code != exitBad || !strings.Contains(errs.String(), r.want) || strings.Count(errs.String(), "\n") != 1 {
			t.Errorf("%v: exit %d, %q, want %q: %s", r.args, code, errs.String(), r.want, r.reason)
		}
	}
}
