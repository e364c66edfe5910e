package cli

import (
	"os"
	"strings"
	"testing"

	"locktop/demo/lockset"
	"locktop/ui/cli/experiment"
)

// TestTheExperimentsPage holds the table of the published experiment against its rows.
func TestTheExperimentsPage(t *testing.T) {
	file, err := os.Open("../../demo/testdata/lockset.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := readResults[lockSetRow](file)
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	if err := experiment.Table(&table, bare(rows)); err != nil {
		t.Fatal(err)
	}
	old, err := os.ReadFile(drillPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(old), "| Fault | Fence |")
	_, after, ended := strings.Cut(rest, "\n\n")
	if !ok || !ended {
		t.Fatalf("%s has no table of the experiment", drillPage)
	}
	document(t, drillPage, before+table.String()+"\n"+after)
}

// TestTheExperimentSaysHowLong: before it begins, and by the runs that are left.
func TestTheExperimentSaysHowLong(t *testing.T) {
	code, out, errs := run(t, "drill", "run", lockset.Name, "--dry-run", "--repeat", "2")
	if code != 0 || !strings.Contains(out, "18 runs, about 40 min in all") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}
