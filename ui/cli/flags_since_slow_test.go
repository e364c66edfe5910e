//go:build slow

package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// TestEventsSinceARevision: what happened before one looked has no time, in any format,
// and in a recording as well.
func TestEventsSinceARevision(t *testing.T) {
	t.Parallel()
	locktop(t)
	endpoint := member(t)
	since := handedOn(t, unbound(t, endpoint), 4)
	for _, revision := range []string{"all", fmt.Sprint(since)} {
		code, out, errs := program(t, t.TempDir(), patient([]string{"events", "--prefix", "/jobs/", "--since-revision", revision, "--for", "3s", "-o", "jsonl"}, endpoint)...)
		if code != exitOK {
			t.Fatalf("exit %d: %s%s", code, out, errs)
		}
		handovers := 0
		for line := range strings.Lines(out) {
			var e struct {
				At   *string
				Kind string
				Gap  *float64
				Text string
			}
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("%v: %s", err, line)
			}
			if e.Kind == "handover" {
				handovers++
			}
			if past := e.Kind == "handover" || e.Kind == "queued" || e.Kind == "acquired"; past != (e.At == nil) || past && e.Gap != nil {
				t.Errorf("at %v, gap %v: %s", e.At, e.Gap, line)
			}
		}
		if handovers != 4 {
			t.Errorf("since %s: %d handovers, want 4:\n%s", revision, handovers, out)
		}
	}
	file := filepath.Join(t.TempDir(), "r")
	if code, out, errs := program(t, t.TempDir(), patient([]string{"record", file, "--since-revision", "all", "--for", "3s"}, endpoint)...); code != exitOK {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	for format, want := range map[string]string{"table": "earlier       ", "wide": "earlier             ", "csv": "\n,"} {
		code, out, errs := program(t, t.TempDir(), "replay", file, "-o", format)
		if n := strings.Count(out, want); code != exitOK || n < 4 || strings.Count(out, " took over /jobs/a from ") != 4 {
			t.Errorf("%s: exit %d, %d times %q in\n%s%s", format, code, n, want, out, errs)
		}
	}
}

func TestHistoryThatCannotBeHad(t *testing.T) {
	t.Parallel()
	locktop(t)
	endpoint := member(t)
	c := unbound(t, endpoint)
	handedOn(t, c, 2)
	if _, err := c.Compact(within(t), 5); err != nil {
		t.Fatal(err)
	}
	code, out, errs := program(t, t.TempDir(), patient([]string{"events", "--since-revision", "2", "--for", "3s"}, endpoint)...)
	if code != exitOK || !strings.Contains(out, "revision 2 is compacted: the first one that can be had is 5\n") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	rows := []struct {
		args         []string
		want, reason string
	}{
		{[]string{"events", "--since-revision", "yesterday"}, `--since-revision "yesterday": want a revision from 1 on, or all`, "etcd keeps no times"},
		{[]string{"events", "--since-revision", "0"}, "want a revision from 1 on", "etcd's first is 1"},
		{[]string{"record", filepath.Join(t.TempDir(), "r"), "--since-max", "0"}, "want 1 to 1000000 revisions", "no history is no --since-revision"},
		{[]string{"--since-revision", "all"}, `"locktop events --since-revision all" prints the history`, "one look has no history"},
		{[]string{"ls", "--since-revision", "all"}, "--since-revision has no meaning for locktop ls", "nor has ls"},
	}
	for _, r := range rows {
		if code, out, errs := run(t, append(r.args, "--endpoints", endpoint)...); code != exitBad || out != "" || !strings.Contains(errs, r.want) || strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: exit %d: %s%s", r.reason, code, out, errs)
		}
	}
}

// handedOn lets /jobs/a go from hand to hand n times, and returns the revision before.
func handedOn(t *testing.T, c *clientv3.Client, n int) (since int64) {
	t.Helper()
	last := ""
	for i := range n + 1 {
		l, err := c.Grant(within(t), 600)
		if err != nil {
			t.Fatal(err)
		}
		key := fmt.Sprintf("/jobs/a/%x", l.ID)
		r, err := c.Put(within(t), key, "", clientv3.WithLease(l.ID))
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			since = r.Header.Revision
		} else if _, err := c.Delete(within(t), last); err != nil {
			t.Fatal(err)
		}
		last = key
	}
	return since
}
