package cli

import (
	"os"
	"strings"
	"testing"

	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
	"locktop/demo/drills"
)

const (
	drillRuns = "../../demo/testdata/runs.jsonl"
	drillPage = "../../demo/DRILLS.md"
)

// TestDrillsPage holds the table of the page against the runs that it is made of:
// ten of every built-in drill, with one verdict.
func TestDrillsPage(t *testing.T) {
	file, err := os.Open(drillRuns)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	runs, err := readResults(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range drills.Names() {
		n := 0
		for _, r := range runs {
			if r.Drill == name && r.Verdict == drill.Held {
				n++
			}
		}
		if n < 10 {
			t.Errorf("%s: %d runs that held are in %s, want ten", name, n, drillRuns)
		}
	}
	var table strings.Builder
	if err := runner.Table(&table, runs); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(drillPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(old), "| Drill |")
	_, after, ended := strings.Cut(rest, "\n\n")
	if !ok || !ended {
		t.Fatalf("%s has no table of drills", drillPage)
	}
	document(t, drillPage, before+table.String()+"\n"+after)
}
