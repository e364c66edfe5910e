package cli

import (
	"os"
	"testing"

	"locktop/chaos/drill"
	"locktop/demo/drills"
)

const drillRuns = "../../demo/testdata/runs.jsonl"

// TestTenRunsOfEachDrillHeld, of those that the table of demo/DRILLS.md is made of.
func TestTenRunsOfEachDrillHeld(t *testing.T) {
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
}
