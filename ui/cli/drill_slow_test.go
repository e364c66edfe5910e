//go:build slow

package cli

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestDrillVerdicts runs small drills to every exit code that there is.
func TestDrillVerdicts(t *testing.T) {
	t.Parallel()
	rows := []struct {
		file   string
		code   int
		want   []string
		reason string
	}{
		{"turns", 0, []string{"turns: held", "run 1, seed 7: held after", "at most 10 s  (lock /short, cause released, within 10s)"}, "all was as expected"},
		{"impossible", 1, []string{"impossible: violated", " s, at least 3600 s  (", "held      one-holder"}, "the number and the bound are named"},
		{"timeout", 3, []string{"timeout: unknown", "step 1 (line 8): waited 1s for 9 keys on /short, but there were "}, "it did not get that far"},
		{"least", 3, []string{"least: unknown", "not meaningful: 6 acquisitions, the drill wants 100000"}, "too little happened"},
	}
	for _, r := range rows {
		t.Run(r.file, func(t *testing.T) {
			tmp := t.TempDir()
			code, out, errs := program(t, tmp, "drill", "run", filepath.Join("testdata", r.file+".yaml"))
			if code != r.code {
				t.Errorf("%s: exit %d, want %d\n%s%s", r.reason, code, r.code, out, errs)
			}
			for _, want := range r.want {
				if !strings.Contains(out, want) {
					t.Errorf("%s: no %q in\n%s%s", r.reason, want, out, errs)
				}
			}
			checkNothingLeft(t, tmp)
		})
	}
}

func TestDrillReportsSeedAndRepeat(t *testing.T) {
	t.Parallel()
	tmp, to := t.TempDir(), t.TempDir()
	asJSON, asXML := filepath.Join(to, "r.json"), filepath.Join(to, "r.xml")
	code, out, errs := program(t, tmp, "drill", "run", "testdata/turns.yaml", "--repeat", "2", "--seed", "40", "--timeline",
		"--report", asJSON, "--report", asXML)
	if code != 0 || !strings.Contains(out, "run 2, seed 41: held") || !strings.Contains(out, "timeline:") {
		t.Fatalf("exit %d\n%s%s", code, out, errs)
	}
	r := readReport(t, asJSON)
	if r.Schema != 1 || r.Drill != "turns" || r.Verdict != "held" || r.Defect != nil || len(r.Runs) != 2 {
		t.Fatalf("%+v", r)
	}
	for i, run := range r.Runs {
		if run.Seed != uint64(40+i) || run.Verdict != "held" || run.Took <= 0 || run.Reason != nil || len(run.Expectations) != 3 || len(run.Timeline) == 0 || len(run.Events) == 0 {
			t.Errorf("run %d: %+v", i+1, run)
			continue
		}
		e := run.Expectations[2]
		if e.Name != "handover" || e.Bound == nil || *e.Bound != 10 || e.Measured == nil || e.Unit == nil || *e.Unit != "seconds" || e.Samples < 3 || len(e.Evidence) == 0 {
			t.Errorf("run %d: %+v", i+1, e)
		}
		if ev := run.Events[0]; ev.Kind == "" || ev.Lock != "/short" || ev.At == "" || ev.Text == "" {
			t.Errorf("run %d: the first event is %+v", i+1, ev)
		}
	}
	var suites struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Suites   []struct {
			Name  string                         `xml:"name,attr"`
			Cases []struct{ Name, Class string } `xml:"testcase"`
		} `xml:"testsuite"`
	}
	text, err := os.ReadFile(asXML)
	if err == nil {
		err = xml.Unmarshal(text, &suites)
	}
	if err != nil || suites.Tests != 9 || suites.Failures != 0 || len(suites.Suites) != 3 || len(suites.Suites[1].Cases) != 4 || len(suites.Suites[2].Cases) != 1 { // the last is of all runs
		t.Errorf("%v, %+v", err, suites)
	}
	checkNothingLeft(t, tmp)
}

func TestASeriesGoesOnWhereItWas(t *testing.T) {
	t.Parallel()
	tmp, results := t.TempDir(), filepath.Join(t.TempDir(), "runs.jsonl")
	lines := func() []string {
		text, err := os.ReadFile(results)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	run := func(file, repeat string) (int, string) {
		code, out, errs := program(t, tmp, "drill", "run", "testdata/"+file, "--results", results, "--repeat", repeat)
		return code, out + errs
	}
	if code, out := run("turns.yaml", "1"); code != 0 || len(lines()) != 1 {
		t.Fatalf("exit %d, %d lines: %s", code, len(lines()), out)
	}
	if code, out := run("turns.yaml", "1"); code != 0 || len(lines()) != 1 || !strings.Contains(out, "1 of 1 runs are in "+results+" already (held 1×)") || strings.Contains(out, "after") {
		t.Errorf("again: exit %d, %d lines: %s", code, len(lines()), out)
	}
	if code, out := run("turns.yaml", "2"); code != 0 || len(lines()) != 2 || !strings.Contains(out, "seed 8: held") || strings.Contains(out, "seed 7") {
		t.Errorf("one more: exit %d, %d lines: %s", code, len(lines()), out)
	}
	if code, _ := run("impossible.yaml", "1"); code != 1 || len(lines()) != 3 {
		t.Errorf("violated: exit %d, %d lines", code, len(lines()))
	}
	if code, out := run("impossible.yaml", "1"); code != 1 || len(lines()) != 3 {
		t.Errorf("a violation in the file counts: exit %d, %d lines: %s", code, len(lines()), out)
	}
	code, table, errs := program(t, tmp, "drill", "table", results)
	if code != 0 || !regexp.MustCompile("(?m)^\\| `turns` \\| – \\| held 2× \\| [0-9.]+ s \\| [0-9.]+ s \\| [0-9.]+ s \\|$").MatchString(table) ||
		!strings.Contains(table, "| `impossible` | – | violated 1× |") {
		t.Errorf("exit %d: %s%s", code, table, errs)
	}
}
