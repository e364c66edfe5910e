package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"locktop/chaos/drill"
	"locktop/demo/drills"
)

// TestANewDrill: what "drill new" writes passes "drill check", and nothing that is there is
// written over.
func TestANewDrill(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	code, out, errs := run(t, "drill", "new", "report-lock")
	if code != 0 || !strings.Contains(out, "drill check report-lock.yaml") {
		t.Fatalf("exit %d: %s%s", code, out, errs)
	}
	if code, out, errs := run(t, "drill", "check", "report-lock.yaml"); code != 0 || out != "report-lock.yaml: nothing is wrong: 2 contenders, 6 steps, 5 expectations\n" {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	if code, out, errs := run(t, "drill", "run", "report-lock.yaml", "--dry-run"); code != 0 || !strings.HasPrefix(out, "report-lock: ") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
	before, err := os.ReadFile("report-lock.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct{ name, want, reason string }{
		{"report-lock", "is left as it is", "the file is there"},
		{"report-lock.yaml", "is left as it is", "by its whole name, too"},
		{"holder-crash", "is built in", "run would take the built-in one"},
		{"all", "is built in", "all means all of them"},
		{"My Drill", "is not a name for a drill", "a name with a blank"},
		{"nowhere/x", "writing the drill", "no such folder"},
	} {
		if code, out, errs := run(t, "drill", "new", r.name); code != exitBad || !strings.Contains(errs, r.want) || out != "" {
			t.Errorf("%s: exit %d: %s%s", r.reason, code, out, errs)
		}
	}
	if after, err := os.ReadFile("report-lock.yaml"); err != nil || string(after) != string(before) {
		t.Errorf("it was written over: %v", err)
	}
	if all, _ := filepath.Glob("*"); len(all) != 1 {
		t.Errorf("files %v: want one", all)
	}
}

// TestCheckADrill: each mistake is told with its line, also those that only the lab knows.
func TestCheckADrill(t *testing.T) {
	t.Chdir(t.TempDir())
	const lab = "title: t\nlab: {contenders: [{name: a, lock: x, manual: true}, {name: b, lock: x}]}\n"
	const text = "{en: x, zh: x}"
	const guide = "title: t\nguide: {end: " + text + ", tasks: [{sees: handover, does: heal, title: " + text + ", why: " + text + ", ask: " + text + ", result: " + text + ", more: " + text + "}]}\n"
	for _, r := range []struct {
		text   string // "" for no file
		code   int
		want   []string
		reason string
	}{
		{lab + "steps: [{tell: {a: lock}}]\nexpect: [fifo]\n", 0, []string{"nothing is wrong: 2 contenders, 1 step, 1 expectation"}, "a short one"},
		{lab + "expect: []\n", 1, []string{"d.yaml:3: expect is empty"}, "nothing is expected"},
		{lab + "expect:\n", 1, []string{"d.yaml:3: expect is empty"}, "nothing is written there"},
		{lab + "steps: [{tell: {a: dance}}]\nexpect: [fifo]\n", 1, []string{`d.yaml:3: there is no word "dance" to tell: want one of abandon, `}, "a word that no contender knows"},
		{"title: t\nlab:\n  contenders:\n    - {name: a, lock: x, recipe: mutexx}\n    - {name: b, lock: x, recipe: spin, workers: 2}\nexpect: [fifo]\n", 1,
			[]string{`d.yaml:4: contend for /x: recipe "mutexx": want mutex`, "d.yaml:5: contend for /x: 2 workers with one session: recipe spin cannot"}, "two mistakes that only the lab knows"},
		{"title: t\nlab: {contenders: [{name: a, lock: x, later: true}]}\nexpect: [fifo]\n", 1, []string{"d.yaml:2: a is never started: add a step start: a"}, "nobody starts it"},
		{"title: t\nlab: {contenders: [{name: all, lock: x}]}\nexpect: [fifo]\n", 1, []string{"d.yaml:2: a contender named all"}, "faults mean everybody by that"},
		{lab + "expect: [{refused: {at-least: 1}}]\n", 1, []string{"d.yaml:3: refused could never be judged"}, "nobody uses the guarded resource"},
		{"title: t\nlab: {contenders: [{name: a, lock: x, guarded: true}]}\nexpect: [{refused: {at-least: 1}}]\n", 0, []string{"nothing is wrong"}, "somebody does"},
		{"titel: t\nlab: {members: 2}\nexpect: [fifoo]\n", 1, []string{"d.yaml:1: a drill has no field", "d.yaml:2: members is 2", "d.yaml:3: there is no expectation"}, "all mistakes are told at once"},
		{guide, 1, []string{"d.yaml: a guide shows a person around the lab of the demo, and nothing runs it"}, "no lab, and nothing that is expected"},
		{"title: [\n", 1, []string{"no YAML"}, "no YAML"},
		{"", exitBad, []string{"neither a built-in drill"}, "no file"},
	} {
		os.Remove("d.yaml")
		if r.text != "" {
			if err := os.WriteFile("d.yaml", []byte(r.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		code, out, errs := run(t, "drill", "check", "d.yaml")
		for _, want := range r.want {
			if code != r.code || !strings.Contains(out+errs, want) {
				t.Errorf("%s: exit %d, want %d and %q:\n%s%s", r.reason, code, r.code, want, out, errs)
			}
		}
		if code != 0 && r.text != "" { // run says the same, and starts nothing
			if code, _, errs := run(t, "drill", "run", "d.yaml", "--dry-run"); code != exitBad || !strings.Contains(errs, r.want[0]) {
				t.Errorf("%s: run exits %d: %s", r.reason, code, errs)
			}
		}
	}
	if err := os.WriteFile("d.yaml", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, errs := run(t, "drill", "check", "holder-crash", "missing.yaml", "d.yaml")
	if code != exitBad || !strings.Contains(out, "holder-crash.yaml: nothing is wrong") || !strings.Contains(out, "d.yaml:1:") || !strings.Contains(errs, "missing.yaml") {
		t.Errorf("exit %d, want 2, since one could not be read, and the others checked: %s%s", code, out, errs)
	}
	if code, out, errs := run(t, append([]string{"drill", "check"}, drills.Names()...)...); code != 0 {
		t.Errorf("built-in drills: exit %d: %s%s", code, out, errs)
	}
	if code, _, _ := run(t, "drill", "check"); code != exitBad {
		t.Errorf("no file: exit %d", code)
	}
}

// TestDrillWordsAreExplained: expectations and faults, beside findings and recipes.
func TestDrillWordsAreExplained(t *testing.T) {
	t.Parallel()
	_, list, _ := run(t, "explain")
	expectations, faults := drill.Names()
	for _, name := range append(expectations, faults...) {
		code, out, errs := run(t, "explain", name)
		if code != 0 || !strings.Contains(out, "of a drill") || !strings.Contains(out, "example") || !strings.Contains(list, "\n  "+name+" ") {
			t.Errorf("%s: exit %d: %s%s", name, code, out, errs)
		}
		for line := range strings.Lines(out) {
			if len(line) > 81 {
				t.Errorf("%s: a line of %d: %s", name, len(line), line)
			}
		}
	}
	if code, _, errs := run(t, "explain", "handovr"); code != exitBad || !strings.Contains(errs, `did you mean "handover"?`) {
		t.Errorf("exit %d: %s", code, errs)
	}
	if code, out, _ := run(t, "drill", "schema"); code != 0 || !strings.Contains(out, `"never-holds"`) {
		t.Errorf("exit %d: %.200s", code, out)
	}
}
