package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"locktop/demo/drills"
)

// program runs the program to its end, with a directory for its temporary files.
func program(t *testing.T, tmp string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(locktop(t), args...)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "XDG_STATE_HOME="+tmp+"-state") // beside what has to be tidied up
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run() // the exit code says it
	if strings.Contains(errs.String(), "panic:") {
		t.Error(errs.String())
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func TestDrillListAndShow(t *testing.T) {
	t.Parallel()
	names := drills.Names()
	_, table, _ := program(t, t.TempDir(), "drill", "list")
	_, text, _ := program(t, t.TempDir(), "drill", "list", "-o", "json")
	var rows []struct{ Name, Title, Why string }
	if err := json.Unmarshal([]byte(text), &rows); err != nil || len(rows) != len(names) || len(names) == 0 {
		t.Fatalf("%d rows for %d drills: %v", len(rows), len(names), err)
	}
	lines := strings.Split(table, "\n")
	for i, name := range names {
		if !strings.HasPrefix(lines[i], name+" ") || rows[i].Name != name || rows[i].Title == "" || rows[i].Why == "" {
			t.Errorf("%s: line %q, row %+v", name, lines[i], rows[i])
		}
	}
	for _, object := range strings.Split(text, "{")[1:] {
		if !strings.HasPrefix(strings.TrimSpace(object), `"name"`) {
			t.Fatalf("an object does not begin with its name: %s", object)
		}
	}
	code, shown, _ := program(t, t.TempDir(), "drill", "show", names[0])
	want, err := drills.File(names[0])
	if code != 0 || err != nil || shown != string(want) {
		t.Errorf("exit %d, %v: drill show is not the file:\n%s", code, err, shown)
	}
}

func TestADrillThatCannotRunExitsWith2(t *testing.T) {
	tmp := t.TempDir()
	turns := filepath.Join("testdata", "turns.yaml")
	write := func(name, text string) string {
		path := filepath.Join(tmp, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	whole := `{"drill":"turns","run":1,"seed":7,"verdict":"held","at":"2026-01-02T03:04:05Z","took":1,"codes":[],"handovers":[]}` + "\n"
	rows := []struct {
		args   []string
		want   []string
		reason string
	}{
		{[]string{"run", filepath.Join("testdata", "mistakes.yaml")}, []string{"mistakes.yaml:3: ", "mistakes.yaml:5: ", "mistakes.yaml:7: ", "mistakes.yaml:8: ", "mistakes.yaml:10: "}, "every mistake, with its line"},
		{[]string{"run", "no-such"}, []string{`"no-such" is neither a built-in drill ("locktop drill list") nor a file`}, "no such drill"},
		{[]string{"show", "no-such"}, []string{`"no-such" is neither`}, "no such drill"},
		{[]string{"run"}, []string{"drill run needs the name of a drill"}, "an argument too few"},
		{[]string{"run", turns, "--repeat", "0"}, []string{"want 1 to 1000"}, "never is not a number of times"},
		{[]string{"run", turns, "--report", filepath.Join(tmp, "none", "r.json")}, []string{"writing the report: ", "no such file or directory"}, "told before the lab is started"},
		{[]string{"run", turns, "--report", tmp}, []string{"writing the report: ", "is a directory"}, "told before the lab is started"},
		{[]string{"run", turns, "--pictures", filepath.Join(turns, "x")}, []string{"making the folder for pictures: "}, "told before the lab is started"},
		{[]string{"run", turns, "--results", filepath.Join(tmp, "none", "r.jsonl")}, []string{"opening the results: "}, "told before the lab is started"},
		{[]string{"run", turns, "--results", write("half.jsonl", whole+whole[:40])}, []string{"half.jsonl: line 2 is cut off"}, "half a line: the next would be glued to it"},
		{[]string{"run", turns, "--results", write("other.jsonl", whole+"{\"a\":1}\n")}, []string{"other.jsonl: line 2 is no result of a drill"}, "another file by mistake"},
		{[]string{"table"}, []string{"drill table needs the file of results"}, "an argument too few"},
		{[]string{"table", filepath.Join(tmp, "none")}, []string{"reading the results: "}, "no such file"},
		{[]string{"list", "-o", "xml"}, []string{`unknown format "xml" (table, json)`}, "unknown format"},
	}
	for _, r := range rows {
		t.Run(r.reason, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := Main(append([]string{"drill"}, r.args...), strings.NewReader(""), &out, &errs)
			for _, want := range r.want {
				if code != exitBad || !strings.Contains(errs.String(), want) || out.Len() > 0 {
					t.Errorf("exit %d, want 2 and %q: %s%s", code, want, out.String(), errs.String())
				}
			}
		})
	}
}

func TestADryRunStartsNothing(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	report := filepath.Join(tmp, "r.json")
	code, out, errs := program(t, tmp, "drill", "run", "holder-crash", "--dry-run", "--report", report)
	for _, want := range []string{"holder-crash: ", "lab: 3 members", ": kill a", "at the end: heal every fault", "expect: one-holder"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in\n%s%s", code, want, out, errs)
		}
	}
	code, out, errs = program(t, tmp, "drill", "run", "all", "--as", "./worker {lock}", "--dry-run")
	for _, want := range []string{"keepalives-held: ", ", played by ./worker {lock}", "not asked of a program: ", "cron-job: cannot be asked of this program: ", " can be asked"} {
		if code != 0 || !strings.Contains(out, want) {
			t.Errorf("exit %d, no %q in\n%s%s", code, want, out, errs)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) > 0 {
		t.Errorf("a dry run made %v", left)
	}
}

// reportJSON is the report, strictly: what it has and we do not know is a mistake of
// one of us.
type reportJSON struct {
	Schema  int
	Drill   string
	Title   string
	Defect  *string
	Verdict string
	Runs    []struct {
		Seed         uint64
		Verdict      string
		Reason       *string
		Started      string
		Took         float64
		Targets      []targetJSON
		Expectations []struct {
			Name, Text, Verdict string
			Line, Samples       int
			Bound, Measured     *float64
			AtLeast             bool `json:"at_least"`
			Unit                *string
			Evidence            []string
		}
		Timeline []struct {
			At, Text string
			Step     *int
		}
		Events   []struct{ At, Kind, Lock, Text string }
		Pictures []string
	}
}

type targetJSON struct {
	Step                              int
	Fault, Target, Resolved, Text, At string
	PID                               *int
	Done                              bool
	Healed                            *string
}

func readReport(t *testing.T, path string) reportJSON {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r reportJSON
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return r
}

func TestAViolationIsAFailureInJUnit(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "r.xml")
	program(t, t.TempDir(), "drill", "run", "testdata/impossible.yaml", "--report", path)
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), `failures="1"`) || !strings.Contains(string(text), "at least 3600 s") {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestSomeRunsMayFail: with --need so many have to hold, and one that could not be run is no
// help to anybody.
func TestSomeRunsMayFail(t *testing.T) {
	t.Parallel()
	results := filepath.Join(t.TempDir(), "runs.jsonl")
	var lines strings.Builder
	for run, verdict := range []string{"held", "violated", "held", "unknown"} {
		fmt.Fprintf(&lines, "{\"drill\":\"turns\",\"run\":%d,\"verdict\":%q,\"handovers\":[%d]}\n", run+1, verdict, run+1)
	}
	if err := os.WriteFile(results, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct {
		args   []string
		code   int
		want   string
		reason string
	}{
		{nil, 1, "held 2×", "without it one is enough to fail"},
		{[]string{"--need", "2"}, 0, "held in 2 of 4 runs, unknown in 1, --need 2", "so many held"},
		{[]string{"--need", "3"}, 3, "held in 2 of 4 runs, unknown in 1, --need 3", "one may have held, and nobody knows"},
		{[]string{"--need", "4"}, 1, "held in 2 of 4 runs, unknown in 1, --need 4", "one too few"},
		{[]string{"--need", "5"}, 2, "--need 5: want 0 to 4 (--repeat)", "more than there are"},
		{[]string{"--need", "2", "--threshold", "handover p50 < 3s"}, 0, "held      handover p50 of 4 runs: 2 s, to be below 3s", "and fast enough"},
		{[]string{"--need", "2", "--threshold", "handover p95 < 4s"}, 1, "violated  handover p95 of 4 runs: 4 s, to be below 4s", "not fast enough"},
		{[]string{"--threshold", "stops p95 < 4s"}, 2, "no drill that is to be run expects stops", "nothing would measure it"},
		{[]string{"--threshold", "handover 95 < 4s"}, 2, "want NAME pNN < DURATION", "not in that form"},
	} {
		code, out, errs := program(t, t.TempDir(), append([]string{"drill", "run", "testdata/turns.yaml", "--results", results, "--repeat", "4"}, r.args...)...)
		if code != r.code || !strings.Contains(out+errs, r.want) {
			t.Errorf("%s: exit %d, want %d and %q: %s%s", r.reason, code, r.code, r.want, out, errs)
		}
	}
}

// stopped counts the processes of our binary that a SIGSTOP holds.
func stopped(t *testing.T) int {
	t.Helper()
	n := 0
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, d := range dirs {
		cmdline, _ := os.ReadFile(filepath.Join(d, "cmdline"))
		status, _ := os.ReadFile(filepath.Join(d, "status"))
		if bytes.HasPrefix(cmdline, []byte(locktop(t)+"\x00")) && bytes.Contains(status, []byte("\nState:\tT")) {
			n++
		}
	}
	return n
}

// TestAnInterruptedDrillHealsAndLeavesNothing ends a drill while a contender and a
// member are stopped.
func TestAnInterruptedDrillHealsAndLeavesNothing(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("needs /proc to see processes")
	}
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			tmp, report := t.TempDir(), filepath.Join(t.TempDir(), "r.json")
			cmd := exec.Command(locktop(t), "drill", "run", "testdata/long.yaml", "--timeline", "--repeat", "3", "--report", report)
			cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			start(t, cmd)
			until(t, "a contender and a member are stopped", func() bool { return stopped(t) == 2 })
			cmd.Process.Signal(sig)
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != exitBad {
				t.Errorf("exit %d, want 2: it was not run to its end\n%s%s", code, out.String(), errs.String())
			}
			for _, want := range []string{"long: unknown", "interrupted", "at the end: Healed every fault ("} {
				if !strings.Contains(out.String(), want) {
					t.Errorf("no %q in\n%s%s", want, out.String(), errs.String())
				}
			}
			if r := readReport(t, report); r.Verdict != "unknown" || len(r.Runs) != 1 || len(r.Runs[0].Targets) == 0 || r.Runs[0].Targets[0].PID == nil {
				t.Errorf("%+v", r)
			}
			checkNothingLeft(t, tmp)
		})
	}
}

// TestInterruptedWhileTheLabStarts ends programs before there is anything to see.
func TestInterruptedWhileTheLabStarts(t *testing.T) {
	for _, args := range [][]string{{"drill", "run", "testdata/long.yaml"}, {"demo"}, {"demo", "--processes"}} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			tmp := t.TempDir()
			cmd := exec.Command(locktop(t), args...)
			cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
			var errs bytes.Buffer
			cmd.Stderr = &errs
			start(t, cmd)
			until(t, "the lab has begun", func() bool {
				began, _ := filepath.Glob(filepath.Join(tmp, "locktop-lab-*"))
				return len(began) > 0
			})
			cmd.Process.Signal(syscall.SIGTERM)
			cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != exitBad || !strings.HasSuffix(errs.String(), "locktop: interrupted\n") {
				t.Errorf("exit %d: %s", code, errs.String())
			}
			checkNothingLeft(t, tmp)
		})
	}
}

// TestStorm: a seed says which faults there are, and what means nothing is refused.
func TestStorm(t *testing.T) {
	t.Parallel()
	_, seven, _ := program(t, t.TempDir(), "drill", "run", "storm", "--dry-run", "--seed", "7", "--for", "20s")
	_, again, _ := program(t, t.TempDir(), "drill", "run", "storm", "--dry-run", "--seed", "7", "--for", "20s")
	if seven != again || !strings.Contains(seven, "seed 7") || !strings.Contains(seven, "expect: heeds: within 2s") {
		t.Errorf("one seed, two storms:\n%s\n%s", seven, again)
	}
	for _, r := range []struct {
		args   []string
		code   int
		want   string
		reason string
	}{
		{[]string{"storm", "--dry-run", "--seed", "7", "--for", "20s", "--as", "true {lock}", "--lock", "/app/l", "--ttl", "6s", "--stops-within", "3s"}, 0, "expect: heeds: within 3s", "a program has its own bounds"},
		{[]string{"storm", "--dry-run", "--copies", "1"}, 2, "--copies 1: want 2 to 9", "one alone has nobody to compete with"},
		{[]string{"storm", "--dry-run", "--for", "0s"}, 2, "--for 0s: want 1s to 1h", "no time at all"},
		{[]string{"storm", "--results", "x"}, 2, "a storm is drawn anew", "runs that are not the same make no series"},
		{[]string{"holder-crash", "--for", "3s"}, 2, "it is for a storm", "a drill has its own length"},
		{[]string{"all", "--jobs", "0"}, 2, "--jobs 0: want 1 to 16", "nobody would play"},
	} {
		code, out, errs := program(t, t.TempDir(), append([]string{"drill", "run"}, r.args...)...)
		if code != r.code || !strings.Contains(out+errs, r.want) {
			t.Errorf("%s: exit %d, want %d and %q: %s%s", r.reason, code, r.code, r.want, out, errs)
		}
	}
}
