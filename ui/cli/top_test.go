package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/model"
	"locktop/model/modeltest"
)

// aQueueOnRecord is one lock that two wait for, one after the other.
func aQueueOnRecord(t *testing.T) string {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/jobs/a/a1", "", 0xa1)
	h.Put(1, "/jobs/b/b1", "", 0xb1)
	h.Put(2, "/jobs/b/b2", "", 0xb2)
	h.Put(3, "/jobs/b/b3", "", 0xb3)
	h.Add(model.Watching{At: modeltest.At(5), Rev: h.Rev})
	h.Del(11, "/jobs/b/b1")
	h.Del(21, "/jobs/b/b2")
	h.Add(model.Watching{At: modeltest.At(21), Rev: h.Rev})
	return stored(t, h.Events...)
}

func TestTopOfARecording(t *testing.T) {
	home(t, "")
	name := aQueueOnRecord(t)
	for _, row := range []struct {
		reason string
		args   []string
		code   int
		want   string
	}{
		{"the lock that was waited for stands first", []string{"--recording", name, "-o", "csv"}, exitOK, "/jobs/b,"},
		{"as of a moment: what was waited by then", []string{"--recording", name, "--at", modeltest.At(11).Local().Format(time.RFC3339), "-o", "json"}, exitOK, `"total_wait": 17`},
		{"all of it", []string{"--recording", name, "-o", "json"}, exitOK, `"total_wait": 27`},
		{"a time has no meaning for what is over", []string{"--recording", name, "--for", "5s"}, exitBad, "--for has no meaning"},
		{"waits take time", []string{"--for", "0s"}, exitBad, "want more than 0"},
		{"and not for ever", []string{"--for", "25h"}, exitBad, "want 0 to 24h"},
		{"a moment of no recording", []string{"--at", "5"}, exitBad, "--recording FILE"},
	} {
		code, out, errs := inProcess(t, nil, append([]string{"top"}, row.args...)...)
		if code != row.code || !strings.Contains(out+errs, row.want) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", row.reason, code, row.code, row.want, out, errs)
		}
		if _, first, _ := strings.Cut(out, "\n"); strings.Contains(row.reason, "stands first") && !strings.HasPrefix(first, row.want) {
			t.Errorf("%s: %s", row.reason, out)
		}
	}
}

// On a cluster: what is waited while it looks, and no answer as if all was well where it
// cannot look.
func TestTopOfACluster(t *testing.T) {
	t.Parallel()
	endpoint := member(t)
	c := unbound(t, endpoint)
	for _, key := range []string{"/jobs/b/", "/jobs/b/", "/jobs/a/"} {
		l, err := c.Grant(within(t), 600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Put(within(t), fmt.Sprintf("%s%x", key, l.ID), "", clientv3.WithLease(l.ID)); err != nil {
			t.Fatal(err)
		}
	}
	code, out, errs := program(t, t.TempDir(), "top", "--for", "1s", "-o", "csv", "--endpoints", endpoint)
	_, first, _ := strings.Cut(out, "\n")
	if code != exitOK || !strings.HasPrefix(first, "/jobs/b,") {
		t.Errorf("exit %d: %s\n%s", code, out, errs)
	}
	code, _, errs = program(t, t.TempDir(), "top", "--for", "1s", "--endpoints", "127.0.0.1:1")
	if code != exitBad || errs == "" {
		t.Errorf("nobody there: exit %d, %q", code, errs)
	}
}
