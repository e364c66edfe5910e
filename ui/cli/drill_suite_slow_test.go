//go:build slow

package cli

import (
	"encoding/json"
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestASuiteIsAsGoodAsItsWorst: one report of all its drills, and the worst exit code.
func TestASuiteIsAsGoodAsItsWorst(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	file := filepath.Join(tmp, "survive.yaml")
	turns, err := filepath.Abs("testdata/turns.yaml")
	if err != nil {
		t.Fatal(err)
	}
	least := strings.Replace(turns, "turns.yaml", "least.yaml", 1)
	for _, r := range []struct {
		runs                  string
		code                  int
		verdict, lines        string
		tests, errors, drills int
		reason                string
	}{
		{"  - {drill: " + turns + ", repeat: 2, seed: 5}\n", 0, "held", "turns: held in 2 of 2 runs\n\n", 9, 0, 1, "all held, and together"},
		{"  - {drill: " + turns + "}\n  - {drill: " + least + "}\n", 3, "unknown", "\n2 drills: 1 held, 1 unknown (least)\n", 6, 1, 2, "one says nothing"},
	} {
		if err := os.WriteFile(file, []byte("title: what it survives\nruns:\n"+r.runs), 0o600); err != nil {
			t.Fatal(err)
		}
		xmlFile, jsonFile := filepath.Join(tmp, "r.xml"), filepath.Join(tmp, "r.json")
		code, out, errs := program(t, t.TempDir(), "drill", "suite", file, "--report", xmlFile, "--report", jsonFile)
		if code != r.code || !strings.HasSuffix(out, r.lines) {
			t.Fatalf("%s: exit %d, want %d: %s%s", r.reason, code, r.code, out, errs)
		}
		var report struct {
			Schema         int
			Suite, Verdict string
			NotRun         []string `json:"not_run"`
			Drills         []struct{ Drill, Verdict string }
		}
		data, err := os.ReadFile(jsonFile)
		if err != nil || json.Unmarshal(data, &report) != nil || report.Schema != 1 || report.Suite != "what it survives" || report.Verdict != r.verdict || len(report.Drills) != r.drills || report.NotRun == nil {
			t.Errorf("%s: %+v (%v)", r.reason, report, err)
		}
		var junit struct {
			Tests  int `xml:"tests,attr"`
			Errors int `xml:"errors,attr"`
		}
		data, err = os.ReadFile(xmlFile)
		if err != nil || xml.Unmarshal(data, &junit) != nil || junit.Tests != r.tests || junit.Errors != r.errors {
			t.Errorf("%s: %+v (%v), want %d tests and %d errors", r.reason, junit, err, r.tests, r.errors)
		}
	}
}
