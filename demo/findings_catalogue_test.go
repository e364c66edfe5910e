package demo

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktop/chaos/drill"
	"locktop/demo/drills"
	"locktop/model"
	"locktop/model/findings"
)

var updateFindings = flag.Bool("update", false, "write model/FINDINGS.md anew")

const findingsTable = "../model/FINDINGS.md"

// notFound says of the codes that no rule finds why that is.
var notFound = map[model.Code]string{
	model.CodeOverloadReject:       "needs the members' own metrics; late renewals alone are keepalive-stalled",
	model.CodeProxyKeepalive:       "looks like a client that died one TTL later: only the path knows the sender of a renewal",
	model.CodeDeadSessionLoop:      "looks like a client that does not want the lock: its requests leave nothing in etcd, and the proxy reports only requests that are refused for lack of rights",
	model.CodeLockOverrunsDeadline: "looks like a dead waiter",
	model.CodeCompactedWait:        "looks like a waiter that gave up: locktop does not watch compactions",
	model.CodeKeepaliveUnread:      "harms no lock; readings are too rare to count renewals",
	model.CodeHalfOpenTCP:          "looks like any other stall",
	model.CodeRenewRace:            "looks like a normal end of the lease: the proxy does not report the answers to renewals",
	model.CodeExternalRevoke:       "looks like an owner that closes its session: the journal says that the lease ended early, and is certain only of your own acts",
}

// TestFindingsTable makes the table of what is found, and by what that is proven,
// from the stories that TestFindings plays.
func TestFindingsTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Findings\n\n" +
		"Written by `go test ./demo -run TestFindingsTable -update`; do not edit. `locktop explain CODE` explains a finding.\n\n" +
		"`TestFindings` proves each row: it builds the situation in *Detected by* and wants the finding. It also builds the\n" +
		"healthy neighbour in *Silent on* and wants no false word about it at any time. A drill in *Detected by* expects the\n" +
		"finding as well. A dash means that locktop does not detect the code yet, and the row gives the reason.\n\n" +
		"| Code | Needs | At best from etcd alone | Detected by | Silent on |\n|---|---|---|---|---|\n")
	for _, e := range findings.Catalogue() {
		tableRow(t, &b, e)
	}
	for code := range notFound {
		if _, ok := findings.Explain(code); !ok {
			t.Errorf("%s is excused but not in the catalogue", code)
		}
	}
	if *updateFindings {
		if err := os.WriteFile(findingsTable, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(findingsTable)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(b.String(), string(got)); d != "" {
		t.Errorf("run go test ./demo -run TestFindingsTable -update (-stories +file)\n%s", d)
	}
}

// drillsOf returns the built-in drills that expect the finding.
func drillsOf(t *testing.T, code model.Code) []string {
	t.Helper()
	var names []string
	for _, name := range drills.Names() {
		data, err := drills.File(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := drill.Parse(name, data)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(d.Expect, func(x drill.Expectation) bool { return x.Name == "finding" && x.Code == code }) {
			names = append(names, "`"+name+"`")
		}
	}
	return names
}

func tableRow(t *testing.T, b *strings.Builder, e findings.Entry) {
	t.Helper()
	var found, alike, beside []string
	for _, st := range stories() {
		if st.code == e.Code {
			found = append(found, fmt.Sprintf("%s (%s, %s; %s)", st.found.words, st.severity, st.confidence, st.on))
			alike = append(alike, st.alike.words)
		}
		if by := string(st.code); slices.Contains(st.alternatives, e.Code) && !slices.Contains(beside, by) {
			beside = append(beside, by)
		}
	}
	why, excused := notFound[e.Code]
	if excused == (len(found) > 0) {
		t.Errorf("%s: %d stories, excused: %v; want either", e.Code, len(found), excused)
	}
	if excused {
		found, alike = []string{"— " + why}, []string{"—"}
	}
	if by := drillsOf(t, e.Code); len(by) > 0 {
		found = append(found, "on a whole lab by the drill "+strings.Join(by, ", "))
	}
	if len(beside) > 0 {
		found = append(found, "an alternative of "+strings.Join(beside, ", "))
	}
	var needs []string
	for _, n := range e.Needs {
		needs = append(needs, string(n))
	}
	best := "—"
	if e.Needs[0] == findings.NeedsEtcd {
		best = string(e.Confidence)
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", e.Code, strings.Join(needs, ", "), best,
		strings.Join(found, "; "), strings.Join(alike, "; "))
}
