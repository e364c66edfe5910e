package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestRecordAndReplay(t *testing.T) {
	t.Parallel()
	b := newCLI(t)
	l := b.lease(600)
	b.put("/jobs/a/"+l, "top secret", l)
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
				_, err := os.Stat(file)
				return err == nil && bytes.Contains(recordedText(t, file), []byte(`"event":"watching"`))
			})
			waiter := b.claim("/jobs/a", b.lease(600))
			until(t, "the claim is recorded", func() bool {
				_, err := os.Stat(file)
				return err == nil && bytes.Contains(recordedText(t, file), []byte(waiter))
			})
			b.del(waiter)
			cmd.Process.Signal(os.Interrupt)
			if err := cmd.Wait(); err != nil || !strings.Contains(errs.String(), "recorded ") {
				t.Errorf("%v: %s", err, errs.String())
			}
			text, err := os.ReadFile(file)
			if has := bytes.Contains(recordedText(t, file), []byte("top secret")); err != nil || has != r.secret {
				t.Errorf("%v: the value is there: %v, want %v", err, has, r.secret)
			}
			if r.secret != strings.Contains(errs.String(), "--no-values leaves them out") {
				t.Errorf("it said %q", errs.String())
			}
			if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v: %v, want 0600", err, info.Mode())
			}
			code, _, refused := b.run("", "record", file, "--for", "1ms")
			if again, _ := os.ReadFile(file); code != exitBad || !strings.Contains(refused, "nothing is overwritten") || !bytes.Equal(again, text) {
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

func TestReplayRefuses(t *testing.T) {
	no, empty := filepath.Join(t.TempDir(), "no.rec"), filepath.Join(t.TempDir(), "empty.rec")
	if err := errors.Join(os.WriteFile(no, []byte("hello\n"), 0o600), os.WriteFile(empty, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct {
		args   []string
		want   string
		reason string
	}{
		{[]string{"replay"}, "replay needs a file name", "no file"},
		{[]string{"replay", "/none/x"}, "cannot read the recording", "no such file"},
		{[]string{"replay", no}, "not a recording of locktop", "another file"},
		{[]string{"replay", empty}, "not a recording of locktop: the file is empty", "a recording that could not be written"},
		{[]string{"replay", no, "--speed", "0.5"}, "want 1 to 10000", "the clock of the screen would outrun it"},
		{[]string{"replay", no, "--speed", "NaN"}, "want 1 to 10000", "no number"},
		{[]string{"replay", no, "-o", "xml"}, `unknown format "xml" (table, wide, json, jsonl, csv)`, "no such format"},
		{[]string{"record"}, "record needs a file name", "no file"},
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
