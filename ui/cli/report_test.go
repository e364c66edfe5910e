package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/modeltest"
)

// aSecret is a lock whose claims have values.
func aSecret() *modeltest.History {
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/jobs/billing/a1", "s3cret-host-a", 0xa1)
	h.Put(2, "/jobs/billing/b2", "s3cret-host-b", 0xb2)
	h.Put(2, "/jobs/other/c3", "s3cret-host-a", 0xc3)
	h.Read(3, 0xa1, 60, 59)
	h.Read(3, 0xb2, 60, 59)
	h.Read(3, 0xc3, 60, 59)
	h.Add(model.Acted{At: modeltest.At(4), Outcome: model.Outcome{At: modeltest.At(4), By: "ada", Done: true, Rev: 104,
		Action: model.Action{Kind: model.RevokeLease, Lock: "/jobs/billing", Key: "/jobs/billing/a1", Lease: 0xa1}, Now: model.KV{Key: "/jobs/billing/a1", Value: "s3cret-host-a"}}})
	h.End(4, 0xa1)
	return h
}

func TestReportOfARecording(t *testing.T) {
	home(t, "")
	name := stored(t, aSecret().Events...)
	for _, row := range []struct {
		reason string
		args   []string
		has    []string
		lacks  []string
	}{
		{"a page", nil, []string{"<!doctype html>", "/jobs/billing", "/jobs/other", "hidden-1", "ada", "masked", "locktop replay"}, []string{"s3cret"}},
		{"with values", []string{"--values"}, []string{"s3cret-host-a", "shown as they are"}, []string{"hidden-1"}},
		{"for a ticket", []string{"-o", "md"}, []string{"# locktop report", "| /jobs/billing | election? |", "hidden-2"}, []string{"s3cret"}},
		{"for programs", []string{"-o", "json"}, []string{`"schema": 1`, `"total_wait": 2`, `"by": "ada"`, `"values": "masked"`}, []string{"s3cret"}},
		{"for Perfetto", []string{"-o", "perfetto"}, []string{`"traceEvents"`, `"ph":"X"`}, []string{"s3cret"}},
		{"one lock", []string{"--lock", "/jobs/other"}, []string{"/jobs/other", "locktop describe"}, []string{"/jobs/billing"}},
		{"as of a moment", []string{"--at", "101", "-o", "json"}, []string{`"/jobs/billing"`}, []string{"/jobs/other"}},
		{"without names", []string{"--mask-names"}, []string{"names masked", "/n1/n2", "Names and values of keys are masked"}, []string{"s3cret", "jobs", "billing", "ada", name}},
		{"one lock without names", []string{"--mask-names", "--lock", "/jobs/other", "-o", "md"}, []string{"/n1/n3"}, []string{"/n1/n2", "jobs"}},
	} {
		code, out, errs := inProcess(t, nil, append([]string{"report", "--recording", name}, row.args...)...)
		if code != exitOK {
			t.Errorf("%s: exit %d: %s", row.reason, code, errs)
		}
		wantsText(t, row.reason, out, row.has, row.lacks)
	}
}

func TestReportRefuses(t *testing.T) {
	home(t, "")
	name := stored(t, aSecret().Events...)
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"--recording", name, "--for", "5s"}, "--for has no meaning"},
		{[]string{"--recording", name, "--values", "--mask-names"}, "contradict each other"},
		{[]string{"--recording", name, "-o", "csv"}, `unknown format "csv" (html, md, json, perfetto)`},
		{[]string{"--recording", name, "--at", "5000"}, "is not in the recording"},
		{[]string{"--mask-names", "--prefix", "/jo"}, "does not end with a slash"},
		{[]string{"--at", "5"}, "--recording FILE"},
	} {
		code, out, errs := inProcess(t, nil, append([]string{"report"}, row.args...)...)
		if code != exitBad || !strings.Contains(errs, row.want) || out != "" {
			t.Errorf("%v: exit %d, %q, want %q", row.args, code, errs, row.want)
		}
	}
}

// TestReportOfACluster: the page says what could not be seen, and what can.
func TestReportOfACluster(t *testing.T) {
	home(t, "")
	endpoint := member(t)
	held(t, endpoint, "/jobs/a", "/jobs/b")
	code, out, errs := inProcess(t, nil, patient([]string{"report", "--for", "300ms", "--prefix", "/jobs/", "-o", "md"}, endpoint)...)
	if code != exitOK || !strings.Contains(out, "No problems on 2 locks") || !strings.Contains(out, "locktop doctor --endpoints '"+endpoint+"' --prefix '/jobs/' --for 300ms") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// TestReportTellsWhatWasDoneByAnotherRun: a break stands in the audit log, and in no
// recording of "locktop record".
func TestReportTellsWhatWasDoneByAnotherRun(t *testing.T) {
	home(t, "")
	h := modeltest.New()
	h.Loaded(0)
	h.Put(1, "/jobs/billing/a1", "", 0xa1)
	h.Put(2, "/jobs/billing/b2", "", 0xb2)
	h.End(30, 0xa1)
	h.Add(model.Watching{At: modeltest.At(50), Rev: h.Rev})
	name := stored(t, h.Events...)
	line := func(at float64, user string, rev int64, lease, result string) string {
		return fmt.Sprintf(`{"time":%q,"step":"outcome","user":%q,"endpoint":"h1:2379","kind":"revoke lease","lease":%q,"action":"revoke lease %s","lock":"/jobs/billing","keys":[{"key":"/jobs/billing/a1","create_revision":101}],`+
			`"dry_run":false,"etcdctl":"etcdctl lease revoke %s","outcome":"Revoked lease %s (1 key)","result":%q,"revision":%d}`+"\n", modeltest.At(at).Format(time.RFC3339Nano), user, lease, lease, lease, lease, result, rev)
	}
	own, _, err := auditLogFile()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(own), 0o700); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(t.TempDir(), "bob.jsonl")
	for file, text := range map[string]string{
		own: line(29.9, "ada", h.Rev, "a1", "done") + line(30, "mallory", h.Rev, "c3", "done") + line(30, "mallory", h.Rev+1, "a1", "done") + line(30, "mallory", h.Rev, "a1", "not-done") +
			line(40, "late", h.Rev, "b2", "done"),
		other: line(30.1, "bob", h.Rev, "a1", "done"),
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		reason string
		args   []string
		has    []string
		lacks  []string
	}{
		{"what was seen to be done, of your own journal", nil, []string{"Lock broken", "revoked by ada", "ada: Revoked lease a1", "1 lock was broken by hand"}, []string{"mallory", "late", "bob"}},
		{"of another one", []string{"--actions", other}, []string{"revoked by bob"}, []string{"ada"}},
		{"names are masked there, too", []string{"--mask-names"}, []string{"Lock broken"}, []string{"ada", "billing"}},
		{"before it", []string{"--at", "102"}, nil, []string{"ada"}},
	} {
		code, out, errs := inProcess(t, nil, append([]string{"report", "--recording", name, "-o", "md"}, row.args...)...)
		if code != exitOK {
			t.Errorf("%s: exit %d: %s", row.reason, code, errs)
		}
		wantsText(t, row.reason, out, row.has, row.lacks)
	}
	if code, _, errs := inProcess(t, nil, "report", "--recording", name, "--actions", "/no/such/file"); code != exitBad || !strings.Contains(errs, "--actions") {
		t.Errorf("a file that is not there: exit %d: %s", code, errs)
	}
}
