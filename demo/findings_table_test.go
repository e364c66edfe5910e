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
	"locktop/model"
	"locktop/model/diagnose"
)

var updateFindings = flag.Bool("update", false, "write model/FINDINGS.md anew")

const findingsTable = "../model/FINDINGS.md"

// notFound says of the codes that no rule finds why that is.
var notFound = map[model.Code]string{
	model.CodeOverloadReject:       "needs the members' own metrics: late renewals alone are keepalive-stalled",
	model.CodeProxyKeepalive:       "looks like a client that died one TTL later: who renewed it is known to the path only",
	model.CodeDeadSessionLoop:      "looks like a client that does not want the lock: its requests leave nothing in etcd, and the proxy reports only those that are refused for lack of rights",
	model.CodeLockOverrunsDeadline: "looks like a dead waiter",
	model.CodeCompactedWait:        "looks like a waiter that gave up: when etcd was compacted is not watched",
	model.CodeKeepaliveUnread:      "does no harm to the lock; readings are too rare to count renewals",
	model.CodeHalfOpenTCP:          "looks like any other stall",
	model.CodeRenewRace:            "looks like a normal end of the lease: the proxy does not report the answers to renewals",
	model.CodeExternalRevoke:       "looks like an owner that closes its session: the journal calls it ended early, and is certain of our own acts",
	model.CodeExternalDelete:       "looks like a normal unlock: the journal is certain of our own acts, and of what the proxy saw",
}

// TestFindingsTable makes the table of what is found, and by what that is proven,
// from the stories that TestFindings plays.
func TestFindingsTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What is found\n\n" +
		"Made by `go test ./demo -run TestFindingsTable -update`; do not edit. Each row of a code that is found is\n" +
		"proven by `TestFindings`: the situation on the left is built and found, its healthy neighbour on the right\n" +
		"is built and nothing untrue is said of it, at any time. A drill named on the left expects it too.\n\n" +
		"| Code | Needs | At best from etcd alone | Detected by | Silent on |\n|---|---|---|---|---|\n")
	for _, e := range diagnose.Catalogue() {
		tableRow(t, &b, e)
	}
	for code := range notFound {
		if _, ok := diagnose.Explain(code); !ok {
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
	for _, name := range DrillNames() {
		data, err := DrillFile(name)
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

func tableRow(t *testing.T, b *strings.Builder, e diagnose.Entry) {
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
		found = append(found, "named as what else it may be by "+strings.Join(beside, ", "))
	}
	var needs []string
	for _, n := range e.Needs {
		needs = append(needs, string(n))
	}
	best := "—"
	if e.Needs[0] == diagnose.NeedsEtcd {
		best = string(e.Confidence)
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", e.Code, strings.Join(needs, ", "), best,
		strings.Join(found, "; "), strings.Join(alike, "; "))
}
