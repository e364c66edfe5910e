package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/findings"
)

// TestEachFailureHasAnAlert walks the catalogue: a code that is an error or a warning is in an alert,
// or the alerts say that none is about it, and why.
func TestEachFailureHasAnAlert(t *testing.T) {
	rules, err := os.ReadFile(filepath.Join(prometheusFiles, "alerts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	asked, none := map[string]int{}, map[string]int{}
	for _, m := range regexp.MustCompile(`code=~?"([a-z|-]+)"`).FindAllSubmatch(rules, -1) {
		for _, code := range strings.Split(string(m[1]), "|") {
			asked[code]++
		}
	}
	for _, m := range regexp.MustCompile(`(?m)^#   ([a-z-]+)  +\S`).FindAllSubmatch(rules, -1) {
		none[string(m[1])]++
	}
	known := map[string]bool{}
	for _, e := range findings.Catalogue() {
		code := string(e.Code)
		known[code] = true
		severe := e.Severity == model.SevError || e.Severity == model.SevWarning
		switch {
		case asked[code] > 0 && none[code] > 0:
			t.Errorf("an alert asks for %s, and it is said that none does", code)
		case severe && asked[code] == 0 && none[code] == 0:
			t.Errorf("%s is an error or a warning, and no alert is about it. Is that meant? Then alerts.yml says so", code)
		case !severe && none[code] > 0:
			t.Errorf("%s is no error and no warning: that no alert is about it need not be said", code)
		}
	}
	for _, codes := range []map[string]int{asked, none} {
		for code := range codes {
			if !known[code] {
				t.Errorf("alerts.yml names %s, which is no finding", code)
			}
		}
	}
	if len(none) == 0 || len(asked) < 20 {
		t.Errorf("read %d codes of alerts, and %d that have none", len(asked), len(none))
	}
}
