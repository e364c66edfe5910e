package cli

import (
	"strings"
	"testing"

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
		{"for a ticket", []string{"-o", "md"}, []string{"# locktop report", "| /jobs/billing | election |", "hidden-2"}, []string{"s3cret"}},
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
		for _, want := range row.has {
			if !strings.Contains(out, want) {
				t.Errorf("%s: no %q in\n%s", row.reason, want, out)
			}
		}
		for _, no := range row.lacks {
			if strings.Contains(out, no) {
				t.Errorf("%s: %q in\n%s", row.reason, no, out)
			}
		}
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
