package demo

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
)

var updateFindings = flag.Bool("update", false, "write model/FINDINGS.md anew")

const findingsTable = "../model/FINDINGS.md"

// notFound says of the codes that no rule finds why that is.
var notFound = map[model.Code]string{
	model.CodeOverloadReject:       "needs the members' own metrics: late renewals alone are keepalive-stalled",
	model.CodeProxyKeepalive:       "looks like a client that died one TTL later: who renewed it is known to the path only",
	model.CodeZombieHolder:         "looks like a busy holder",
	model.CodeUnlockLost:           "looks like a busy holder",
	model.CodeForeignKeepalive:     "looks like a busy holder: who renews is known to the proxy only",
	model.CodeGhostWaiter:          "looks like a waiter, then like a busy holder",
	model.CodeMissedDelete:         "looks like a busy holder",
	model.CodeSameSession:          "looks like one owner: there is one key, however many believe that it is theirs",
	model.CodeDeadSessionLoop:      "looks like a client that does not want the lock: its requests leave nothing in etcd",
	model.CodeLockOverrunsDeadline: "looks like a dead waiter",
	model.CodeCompactedWait:        "looks like a waiter that gave up: when etcd was compacted is not watched",
	model.CodeKeepaliveUnread:      "does no harm to the lock; readings are too rare to count renewals",
	model.CodeKeepaliveDenied:      "looks like any other stall: the refusal is seen by the client and the proxy only",
	model.CodeHalfOpenTCP:          "looks like any other stall",
	model.CodeRenewRace:            "looks like a normal end of the lease: needs the proxy",
	model.CodeStaleUnlock:          "looks like a normal unlock: needs the proxy",
	model.CodeExternalRevoke:       "looks like an owner that closes its session: the journal calls it ended early, and is certain of our own acts",
	model.CodeExternalDelete:       "looks like a normal unlock: the journal is certain of our own acts only",
	model.CodeLateDone:             "looks like a normal handover by expiry: needs the proxy or the client",
	model.CodeGhostLeader:          "looks like an election without a candidate: needs the proxy or the client",
	model.CodeRWExpiredWriter:      "looks like a lock that is free: needs the client",
}

// TestFindingsTable makes the table of what is found, and by what that is proven,
// from the stories that TestFindings plays.
func TestFindingsTable(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What is found\n\n" +
		"Made by `go test ./demo -run TestFindingsTable -update`; do not edit. Each row of a code that is found is\n" +
		"proven by `TestFindings`: the situation on the left is built and found, its healthy neighbour on the right\n" +
		"is built and nothing untrue is said of it, at any time.\n\n" +
		"| Code | Needs | At best from etcd alone | Detected by | Silent on |\n|---|---|---|---|---|\n")
	for _, e := range model.Catalogue() {
		tableRow(t, &b, e)
	}
	for code := range notFound {
		if _, ok := model.Explain(code); !ok {
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

func tableRow(t *testing.T, b *strings.Builder, e model.Entry) {
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
	if len(beside) > 0 {
		found = append(found, "named as what else it may be by "+strings.Join(beside, ", "))
	}
	var needs []string
	for _, n := range e.Needs {
		needs = append(needs, string(n))
	}
	best := "—"
	if e.Needs[0] == model.NeedsEtcd {
		best = string(e.Confidence)
	}
	fmt.Fprintf(b, "| `%s` | %s | %s | %s | %s |\n", e.Code, strings.Join(needs, ", "), best,
		strings.Join(found, "; "), strings.Join(alike, "; "))
}
