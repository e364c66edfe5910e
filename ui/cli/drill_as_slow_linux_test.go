//go:build slow

package cli

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// worker builds an example of a program of the user's own, and returns its path.
func worker(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if out, err := goTool("build", "-o", path, "locktop/demo/testdata/programs/"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

const workerSays = "stdout:/got the lock/=holding,/released|lost/=idle"

// TestAProgramOfYourOwn: each verdict, the exit code for it, and what a person reads to
// understand it.
func TestAProgramOfYourOwn(t *testing.T) {
	t.Parallel()
	obeys, ignores, sneaks := worker(t, "obeys"), worker(t, "ignores"), worker(t, "sneaks")
	const says = `sh -c 'echo {\"state\":\"holding\"}; `
	for _, r := range []struct {
		drill  string
		args   []string
		code   int
		want   []string
		reason string
	}{
		{"keepalives-held", []string{"--as", obeys + " {lock} {ttl}", "--belief", workerSays}, 0,
			[]string{"a is played by ", "held      stops: ", "held      handover: ", "not asked of a program: quiet"}, "a worker that obeys its session"},
		{"keepalives-held", []string{"--as", ignores + " {lock} {ttl}", "--belief", workerSays}, 1,
			[]string{"violated  stops: ", "still did", "etcd accepted ", " writes of a meanwhile, the last of /work", "a printed last:", "stdout: got the lock"}, "one that ignores it"},
		{"holder-cut", []string{"--as", sneaks + " {lock} {ttl} asks", "--belief", workerSays, "--ttl", "3s"}, 1,
			[]string{"violated  stops: ", "violated  overlap: ", "after its claim had gone"}, "one that stops only when the cut is healed"},
		{"keepalives-held", []string{"--as", sneaks + " {lock} {ttl} asks", "--belief", workerSays}, 1,
			[]string{"violated  stops: "}, "one that stops only when its renewals pass again"},
		{"keepalives-held", []string{"--as", sneaks + " {lock} {ttl} writes /stock/x", "--belief", workerSays}, 0,
			[]string{"held      stops: ", "etcd accepted ", " of a after it said idle: /stock/x"}, "one that says that it stopped, and writes on: its word is judged, and its writes are told"},
		{"keepalives-held", []string{"--as", sneaks + " {lock} {ttl} writes /stock/x", "--belief", workerSays, "--guards", "/stock/"}, 1,
			[]string{"held      stops: ", "violated  no-late-write: ", "etcd accepted ", " of a after it said idle: /stock/x", "let a end all that writes before it says so"}, "the same, with what the lock protects"},
		{"keepalives-held", []string{"--as", ignores + " {lock} {ttl}", "--belief", workerSays, "--guards", "/wrok/"}, 1,
			[]string{"unknown   no-late-write: ", "nobody wrote a key that begins with /wrok/; to know it: say by --guards where"}, "a prefix that nobody writes below"},
		{"keepalives-held", []string{"--as", obeys, "--guards", "/app/report/data"}, 2,
			[]string{"--guards /app/report/data: the keys below the lock /app/report are the places of those who want it"}, "below the lock"},
		{"keepalives-held", []string{"--as", obeys, "--guards", ""}, 2, []string{"--guards: want a prefix of keys"}, "a variable that is not set, of a prefix"},
		{"holder-pause", []string{"--as", "a=" + ignores + " {lock} {ttl}", "--belief", "a=" + workerSays}, 1,
			[]string{"violated  stops: ", "after it ran again without its claim", "held      one-holder"}, "b is a contender of the lab"},
		{"keepalives-held", []string{"--as", obeys + " {lock} {ttl}"}, 3,
			[]string{"unknown   stops: ", "was told at ", "and was never told otherwise", "--belief 'stdout:/REGEX/=holding"}, "nobody says what it believes"},
		{"election-failover", []string{"--as", "a=" + says + "exec " + obeys + " {lock} {ttl}'", "--as", "b=" + says + "sleep 2; exec " + obeys + " {lock} {ttl}'"}, 1,
			[]string{"violated  one-holder", "b said at ", "its claim (create revision ", " came first "}, "JSON is a word, and b says it while it waits"},
		{"election-failover", []string{"--as", obeys + " {lock} 60", "--belief", workerSays}, 2,
			[]string{"that of a has a TTL of 60 s, and --ttl is 2s: give the program {ttl}, or say --ttl 60s"}, "another lease than the bounds are made for"},
		{"election-failover", []string{"--as", "sh -c 'echo no config >&2; exit 7'", "--belief", workerSays}, 3,
			[]string{"step 1 (line 17): waited for a to hold /app/report, but it was free: a has ended: exit 7", "stderr: no config"}, "it ended before it had begun"},
		{"election-failover", []string{"--as", "/nowhere/worker"}, 2, []string{"\"/nowhere/worker\" cannot be run: no such file or directory"}, "there is no such program"},
		{"election-failover", []string{"--as", "/bin/true", "--lock", ""}, 2, []string{`--lock "": want a name`}, "a variable that is not set"},
		{"fair-queue", []string{"--as", obeys + " {lock} {ttl}"}, 2, []string{"fair-queue cannot be asked of this program: c takes turns"}, "the drill wants another kind"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			t.Parallel()
			tmp, report := t.TempDir(), filepath.Join(t.TempDir(), "r")
			args := append([]string{"drill", "run", r.drill, "--lock", "/app/report", "--ttl", "2s", "--report", report + ".xml", "--report", report + ".json"}, r.args...)
			code, out, errs := program(t, tmp, args...)
			if code != r.code {
				t.Errorf("exit %d, want %d", code, r.code)
			}
			for _, want := range r.want {
				if !strings.Contains(out+errs, want) {
					t.Errorf("it does not say %q", want)
				}
			}
			if t.Failed() {
				t.Log(out + errs)
			}
			left, err := os.ReadDir(tmp)
			if err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
			if strings.Contains(out, "run 1") {
				checkReports(t, report, code)
			}
		})
	}
}

// TestStorms: whatever the seed, a storm finds who takes an error for the lock, and not who asks again.
func TestStorms(t *testing.T) {
	t.Parallel()
	obeys, sneaks := worker(t, "obeys"), worker(t, "sneaks")
	for _, r := range []struct {
		worker, form, seed string
		code               int
	}{
		{sneaks, "guesses", "1", 1},
		{sneaks, "guesses", "2", 1},
		{sneaks, "guesses", "3", 1},
		{sneaks, "guesses", "4", 1},
		{obeys, "", "2", 0},
	} {
		t.Run(r.form+" seed "+r.seed, func(t *testing.T) {
			t.Parallel()
			code, out, errs := program(t, t.TempDir(), "drill", "run", "storm", "--as", r.worker+" {lock} {ttl} "+r.form, "--belief", workerSays, "--lock", "/app/report",
				"--ttl", "2s", "--seed", r.seed, "--for", "30s", "--shrink", "0s", "--keep", filepath.Join(t.TempDir(), "storm.yaml"))
			if code != r.code {
				t.Errorf("exit %d, want %d\n%s%s", code, r.code, out, errs)
			}
		})
	}
}

// TestAProgramThatIsAsked: what a program believes may be asked of it by HTTP, by its JSON or by
// patterns on its answers.
func TestAProgramThatIsAsked(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, map[string]string{"/json": `{"state":"holding"}`, "/word": "leader"}[r.URL.Path])
	}))
	defer server.Close()
	drill := filepath.Join(t.TempDir(), "asked.yaml")
	if err := os.WriteFile(drill, []byte("title: t\nlab: {members: 1, contenders: [{name: a, lock: x, hold: 60s, ttl: 2s}]}\n"+
		"steps: [{wait: {belief: {a: holding}, within: 60s}}]\nexpect: [{belief: {contender: a, state: holding}}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"--belief", server.URL + "/json"}, {"--belief", "a=" + server.URL + "/word", "--belief", "answer:/leader/=holding"}} {
		code, out, errs := program(t, t.TempDir(), append([]string{"drill", "run", drill, "--timeline", "--as", "sleep 600"}, args...)...)
		if code != 0 || !strings.Contains(out, "a says that it is holding, by its answer at /") || !strings.Contains(out, "held      belief") {
			t.Errorf("%q: exit %d\n%s%s", args, code, out, errs)
		}
	}
}

// TestAProgramThatWritesAFile: what a program believes may stand in a file, as a word, as JSON or
// as what patterns match; the last line counts, what an earlier run left there does not, and
// each report says where it was read.
func TestAProgramThatWritesAFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	drill := filepath.Join(dir, "file.yaml")
	if err := os.WriteFile(drill, []byte("title: t\nlab: {members: 1, contenders: [{name: a, lock: x, hold: 60s, ttl: 2s}, {name: b, lock: x, hold: 60s, ttl: 2s}]}\n"+
		"steps: [{wait: {belief: {a: holding, b: idle}, within: 10s}}]\nexpect: [{belief: {contender: a, state: holding}}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const named = "file:DIR/{role}.state"
	for _, r := range []struct {
		a, b   string // what they do
		args   []string
		code   int
		want   string
		reason string
	}{
		{"echo holding > DIR/a.state", "echo idle > DIR/b.state", []string{"--belief", named}, 0, "a says that it is holding, by its file DIR/a.state", "a word"},
		{`echo {\"state\":\"holding\"} > DIR/a.new; mv DIR/a.new DIR/a.state`, "echo idle > DIR/b.state", []string{"--belief", named}, 0, "what it believes is told by its file DIR/a.state", "JSON, put in its place at once"},
		{"echo elected >> DIR/a.state", "echo elected > DIR/b.state; echo over >> DIR/b.state", []string{"--belief", named, "--belief", "answer:/elected/=holding,/over/=idle"}, 0, "a says that it is holding, by its file", "patterns, and the last line counts"},
		{"true", "echo idle > DIR/b.state", []string{"--belief", named}, 3, "to know it: let its file DIR/a.state say holding, waiting, idle or lost", "what an earlier run left is not its word"},
		{"printf 'holding\\033]0;x\\007\\n' > DIR/a.state; echo holding >> DIR/a.state", "echo idle > DIR/b.state", []string{"--belief", named}, 0, `file: holding`, "bytes are data"},
		{"true", "true", []string{"--belief", "file:DIR/state"}, 2, "a, b would all be asked at DIR/state", "nobody could tell whose word it is"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			t.Parallel()
			own := t.TempDir()
			if err := os.WriteFile(filepath.Join(own, "a.state"), []byte("holding\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			in := func(s string) string { return strings.ReplaceAll(s, "DIR", own) }
			report := filepath.Join(own, "r.json")
			args := []string{"drill", "run", drill, "--timeline", "--report", report,
				"--as", in(`a=sh -c '` + strings.ReplaceAll(r.a, "'", `'\''`) + `; sleep 600'`), "--as", in(`b=sh -c '` + r.b + `; sleep 600'`)}
			for _, a := range r.args {
				args = append(args, in(a))
			}
			code, out, errs := program(t, t.TempDir(), args...)
			data, err := os.ReadFile(report)
			if r.code != 2 && err != nil {
				t.Error(err)
			}
			if code != r.code || !strings.Contains(out+errs+string(data), in(r.want)) || strings.Contains(out+string(data), "\x1b") {
				t.Errorf("exit %d, want %d and %q\n%s%s", code, r.code, in(r.want), out, errs)
			}
			if by := in(`"a": "file DIR/a.state"`); r.code != 2 && !strings.Contains(string(data), by) {
				t.Errorf("the report does not say %s", by)
			}
		})
	}
}

// checkReports wants JUnit to have a failure or an error for each expectation that did not
// hold, with what was expected and seen, and JSON to have the output.
func checkReports(t *testing.T, report string, code int) {
	t.Helper()
	data, err := os.ReadFile(report + ".json")
	var doc struct {
		Programs map[string][]string
		Runs     []struct {
			Expectations []struct{ Verdict string }
			Output       map[string][]string
		}
	}
	if err != nil || json.Unmarshal(data, &doc) != nil || len(doc.Runs) != 1 || len(doc.Programs) == 0 || doc.Runs[0].Output["a"] == nil {
		t.Fatalf("%v: %s", err, data)
	}
	broken := map[string]int{}
	for _, e := range doc.Runs[0].Expectations {
		broken[e.Verdict]++
	}
	var suites struct {
		Suites []struct {
			Cases []struct {
				Name    string `xml:"name,attr"`
				Failure *struct {
					Message string `xml:"message,attr"`
				} `xml:"failure"`
				Error *struct {
					Message string `xml:"message,attr"`
				} `xml:"error"`
			} `xml:"testcase"`
			Out string `xml:"system-out"`
		} `xml:"testsuite"`
	}
	if data, err = os.ReadFile(report + ".xml"); err != nil || xml.Unmarshal(data, &suites) != nil {
		t.Fatalf("%v: %s", err, data)
	}
	failures, problems := 0, 0
	for _, c := range suites.Suites[0].Cases {
		switch {
		case c.Failure != nil:
			failures++
			if !strings.HasPrefix(c.Failure.Message, "expected "+c.Name) || !strings.Contains(c.Failure.Message, "; seen: ") || !strings.HasSuffix(c.Failure.Message, "; violated") {
				t.Errorf("%q", c.Failure.Message)
			}
		case c.Error != nil && c.Name != "the run":
			problems++
		}
	}
	if failures != broken["violated"] || problems != broken["unknown"] || (failures > 0) != (code == 1) {
		t.Errorf("JUnit has %d failures and %d errors, JSON %v, exit %d", failures, problems, broken, code)
	}
	if !strings.Contains(suites.Suites[0].Out, "a printed ") {
		t.Errorf("the output of the program is missing: %s", suites.Suites[0].Out)
	}
}

// nested is a program that starts another in its group and one in a session of its own, both
// of which ignore requests to end, and says where they are.
const nested = `sh -c "trap '' TERM INT HUP; sleep 1000 & echo pid $! ; setsid sh -c 'trap \"\" TERM; echo pid \$\$; while sleep 1; do :; done' & sleep 1000"`

// TestNothingIsLeftOfAProgram: whatever ends locktop, what its programs have started ends, too,
// and its directory goes.
func TestNothingIsLeftOfAProgram(t *testing.T) {
	t.Parallel()
	for _, r := range []struct {
		signal syscall.Signal
		code   int
		reason string
	}{
		{0, 3, "the run ends by itself"},
		{syscall.SIGINT, 2, "ctrl-c"},
		{syscall.SIGTERM, 2, "a supervisor"},
		{syscall.SIGKILL, -1, "nobody had the time to tidy up"},
	} {
		t.Run(r.reason, func(t *testing.T) {
			t.Parallel()
			tmp := t.TempDir()
			drill := filepath.Join(t.TempDir(), "wait.yaml")
			if err := os.WriteFile(drill, []byte("title: t\nlab: {members: 1, contenders: [{name: a, lock: x, hold: 60s, ttl: 2s}]}\nsteps: [{pause: 3s}, {wait: {holder: a, within: 1s}}]\nexpect: [moving]\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			cmd := exec.Command(locktop(t), "drill", "run", drill, "--timeline", "--as", nested)
			cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "XDG_STATE_HOME="+tmp+"-state")
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			mark := []byte("LOCKTOP_LAB=" + tmp)
			settles(t, "the program has started its own", func() bool { return len(withMark(t, mark)) >= 4 })
			if r.signal != 0 {
				if err := cmd.Process.Signal(r.signal); err != nil {
					t.Fatal(err)
				}
			}
			_ = cmd.Wait() // its exit code says how
			if code := cmd.ProcessState.ExitCode(); code != r.code {
				t.Errorf("exit %d, want %d\n%s", code, r.code, out.String())
			}
			if r.signal == syscall.SIGKILL { // the one who tidies up needs a moment
				settles(t, "all is gone", func() bool {
					left, err := os.ReadDir(tmp)
					return err == nil && len(left) == 0 && len(withMark(t, mark)) == 0
				})
				return
			}
			if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 || len(withMark(t, mark)) > 0 {
				t.Errorf("left behind: %v %v, processes %v", left, err, withMark(t, mark))
			}
		})
	}
}

// withMark are the processes that have something in their environment.
func withMark(t *testing.T, mark []byte) (pids []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		if environ, err := os.ReadFile("/proc/" + e.Name() + "/environ"); err == nil && bytes.Contains(environ, mark) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// settles waits until something is so.
func settles(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within 20 s: %s", what)
		}
	}
}
