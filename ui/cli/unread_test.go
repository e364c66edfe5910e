package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/store"
	"locktop/ui/cli/session"
	"locktop/watcher/recording"
)

// TestWhatIsNotRecordedIsNotSaid: a recording that leaves values out, a file or a rotation, knows which
// keys have one, so that a mutex, which has none, is a mutex. Of what has values it does not say what
// only they tell. A recording that has them says what was said live.
func TestWhatIsNotRecordedIsNotSaid(t *testing.T) {
	home(t, "")
	endpoint := member(t)
	c := unbound(t, endpoint)
	for _, name := range []string{"boss-1", "boss-2"} {
		l, err := c.Grant(within(t), 600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Put(within(t), fmt.Sprintf("/jobs-lock/e/%x", l.ID), name, clientv3.WithLease(l.ID)); err != nil {
			t.Fatal(err)
		}
	}
	held(t, endpoint, "/jobs-lock/m", "/jobs-lock/m")

	dir, s := t.TempDir(), store.New()
	whole, bare, folder := filepath.Join(dir, "whole.rec"), filepath.Join(dir, "bare.rec"), filepath.Join(dir, "past")
	r, err := recording.OpenRotation(recording.RotationOptions{Dir: folder, Keep: time.Hour, MaxBytes: recording.LeastBytes, Mask: recording.Mask{Drop: true},
		Lock: func(*os.File) (bool, error) { return true, nil }, Tell: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	var files [2]bytes.Buffer
	writers := [2]*recording.Recorder{recording.NewRecorder(&files[0], recording.Options{}), recording.NewRecorder(&files[1], recording.Options{Mask: recording.Mask{Drop: true}})}
	tap := func(src model.Source) model.Source {
		return session.Tap(src, func(b model.Batch, err error) {
			if err != nil {
				return
			}
			for _, w := range writers {
				if err := w.Write(b); err != nil {
					t.Error(err)
				}
			}
			s.Apply(b)
			r.Write(b, s.Checkpoint)
		})
	}
	code, live, errs := inProcess(t, tap, patient([]string{"ls", "--prefix", "/jobs-lock/", "-o", "json"}, endpoint)...)
	if code != exitOK {
		t.Fatalf("exit %d: %s", code, errs)
	}
	for i, name := range []string{whole, bare} {
		if err := writers[i].Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, files[i].Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}

	type claim struct {
		Value    *string
		Identity struct{ Text *string }
	}
	said := func(text, lock string) string {
		var doc struct {
			Locks []struct {
				Name, Recipe     string
				RecipeConfidence string   `json:"recipe_confidence"`
				RecipeEvidence   []string `json:"recipe_evidence"`
				Holders, Waiters []claim
			}
		}
		if err := json.Unmarshal([]byte(text), &doc); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		for _, l := range doc.Locks {
			if l.Name != lock {
				continue
			}
			if len(l.Holders) != 1 || len(l.Waiters) != 1 {
				t.Fatalf("%s: %d hold, %d wait", lock, len(l.Holders), len(l.Waiters))
			}
			value := "null"
			if h := l.Holders[0]; h.Value != nil {
				value = fmt.Sprintf("%q", *h.Value)
			}
			return fmt.Sprintf("%s %s, value %s, named %t: %s", l.Recipe, l.RecipeConfidence, value, l.Holders[0].Identity.Text != nil, strings.Join(l.RecipeEvidence, ", "))
		}
		t.Fatalf("no %s in %s", lock, text)
		return ""
	}
	const (
		election = `election strong, value "boss-1", named true: every claim is named by its lease in hex, every claim has a value, the path speaks of locks or leaders`
		mutex    = `mutex strong, value "", named false: every claim is named by its lease in hex, no claim has a value, the path speaks of locks or leaders`
		unknown  = `mutex-or-election strong, value null, named false: every claim is named by its lease in hex, the path speaks of locks, the values were not seen, and only they would tell more`
	)
	for _, row := range []struct{ reason, file, election, mutex string }{
		{"live", "", election, mutex},
		{"with values", whole, election, mutex},
		{"without values: none is none", bare, unknown, mutex},
		{"a rotation, as serve writes it", folder, unknown, mutex},
	} {
		t.Run(row.reason, func(t *testing.T) {
			if row.file == "" {
				if e, m := said(live, "/jobs-lock/e"), said(live, "/jobs-lock/m"); e != row.election || m != row.mutex {
					t.Errorf("%s\n%s", e, m)
				}
				return
			}
			for _, lock := range []struct{ name, want string }{{"/jobs-lock/e", row.election}, {"/jobs-lock/m", row.mutex}} {
				for _, args := range [][]string{{"ls", "-o", "json"}, {"describe", lock.name, "-o", "json"}} {
					code, out, errs := inProcess(t, nil, append(args, "--recording", row.file)...)
					if code != exitOK {
						t.Fatalf("%q: exit %d: %s", args, code, errs)
					}
					if got := said(out, lock.name); got != lock.want {
						t.Errorf("%q of %s: %s\nwant %s", args, lock.name, got, lock.want)
					}
				}
				code, out, errs := inProcess(t, nil, "describe", lock.name, "-o", "wide", "--recording", row.file)
				unread := lock.want == unknown
				if code != exitOK || strings.Contains(out, model.ValueUnread) != unread || strings.Contains(out, model.NamesUnread) != (row.election == unknown) {
					t.Errorf("describe: exit %d: %s%s", code, out, errs)
				}
			}
			_, out, errs := inProcess(t, nil, "doctor", "--recording", row.file)
			if strings.Contains(out, string(model.CodeLongHeld)) {
				t.Errorf("doctor: %s%s", out, errs)
			}
		})
	}
}
