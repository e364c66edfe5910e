//go:build slow

package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	update   = flag.Bool("update", false, "write the table of demo/REHEARSE.md anew")
	rehearse = flag.String("rehearse", "", "run the clients whose name matches in every drill that the file of runs lacks, and write down what came of it")
	times    = flag.Int("times", 20, "how often, with -rehearse")
)

const (
	programRuns = "../../demo/testdata/programs/runs.jsonl"
	programPage = "../../demo/REHEARSE.md"
	programs    = "../../demo/testdata/programs/"
)

// client is a program on a client library that others use.
type client struct {
	name, of, does string
	command        func(t *testing.T) string
	flags          []string
}

var oneKey = []string{"--single-key", "--lock", "/app/report"}

var clients = []client{
	{"obeys", "Go, `concurrency` 3.7", "ends its work with `session.Done()`", func(t *testing.T) string { return worker(t, "obeys") + " {lock} {ttl}" }, nil},
	{"ignores", "Go, `concurrency` 3.7", "never looks at its session", func(t *testing.T) string { return worker(t, "ignores") + " {lock} {ttl}" }, nil},
	{"etcdctl", "`etcdctl lock` 3.4", "runs a command under the lock", func(t *testing.T) string {
		return installed(t, "etcdctl", "etcd-client") + ` lock --ttl={ttl} -- {lock} sh -c 'echo got the lock; while sleep 1; do :; done'`
	}, nil},
	{"node-obeys", "npm `etcd3` 1.1.2", "takes the key of `Lock` with a lease of its own, heeds `lost`, and counts by its own clock", node("obeys.js"), oneKey},
	{"node-ignores", "npm `etcd3` 1.1.2", "uses `Lock`, which does not tell that its lease is lost", node("ignores.js"), oneKey},
	{"lockservice", "the lock service of etcd", "makes the calls of jetcd, in Go, and never looks at its renewals", func(t *testing.T) string { return worker(t, "lockservice") + " {lock} {ttl}" }, nil},
	{"python-obeys", "`python-etcd3` 0.12", "refreshes in time, or stops", python("obeys.py"), []string{"--single-key", "--lock", "/locks/report"}},
	{"python-ignores", "`python-etcd3` 0.12", "refreshes in a thread, and never looks at it", python("ignores.py"), []string{"--single-key", "--lock", "/locks/report"}},
	{"tooz", "`tooz` 3.1 on `python-etcd3`", "lets tooz renew, which tells it nothing", python("by_tooz.py"), []string{"--single-key", "--lock", "/locks/report"}},
}

// drillsAsked are the drills of the page; more can be asked of such a program (--dry-run).
var drillsAsked = []string{"keepalives-held", "holder-pause", "holder-cut", "holder-stopped", "holder-crash", "leader-moves", "election-failover", "lease-detached"}

// installed is the path of a program that somebody else has to install.
func installed(t *testing.T, name, by string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		lacking(t, name+" is not installed: "+by)
	}
	return path
}

func lacking(t *testing.T, what string) {
	t.Helper()
	t.Fatal(what)
}

func node(file string) func(t *testing.T) string {
	return func(t *testing.T) string {
		modules, err := filepath.Abs("../../watcher/testdata/programs/npm/node_modules")
		if err != nil {
			t.Fatal(err)
		}
		if given := os.Getenv("NODE_PATH"); given != "" {
			modules = given
		}
		if _, err := os.Stat(filepath.Join(modules, "etcd3")); err != nil {
			lacking(t, "the npm package etcd3 is not installed: npm ci --prefix watcher/testdata/programs/npm")
		}
		return "env NODE_PATH=" + modules + " " + installed(t, "node", "nodejs") + " " + absolute(t, "node/"+file) + " {lock} {ttl}"
	}
}

func python(file string) func(t *testing.T) string {
	return func(t *testing.T) string {
		needs := "etcd3"
		if strings.Contains(file, "tooz") {
			needs = "tooz"
		}
		if exec.Command("/usr/bin/python3", "-c", "import etcd3, "+needs).Run() != nil {
			lacking(t, "a Python library is not installed: apt-get install python3-etcd3 python3-"+needs)
		}
		return "/usr/bin/python3 " + absolute(t, "python/"+file) + " {lock} {ttl}"
	}
}

func absolute(t *testing.T, file string) string {
	t.Helper()
	path, err := filepath.Abs(programs + file)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// rehearsal is what came of a client in a drill, run after run.
type rehearsal struct {
	Client, Drill string
	Runs          []rehearsed
}

// rehearsed is one run. Seconds are those that the client believed to hold without its claim,
// that both believed, and until the next had it; nil where nobody asked.
type rehearsed struct {
	Verdict  string
	Stops    *float64 `json:",omitempty"`
	Overlap  *float64 `json:",omitempty"`
	Handover *float64 `json:",omitempty"`
	Stopped  string   `json:",omitempty"` // the verdict on Stops
	Writes   int      `json:",omitempty"` // that etcd accepted meanwhile
}

var acceptedWrites = regexp.MustCompile(`etcd accepted (\d+) writes`)

// play runs a drill with a client in its roles, so often.
func (c client) play(t *testing.T, drill string, times int) rehearsal {
	t.Helper()
	tmp, report := t.TempDir(), filepath.Join(t.TempDir(), "r.json")
	args := append([]string{"drill", "run", drill, "--as", c.command(t), "--belief", workerSays, "--report", report, "--repeat", strconv.Itoa(times)}, c.flags...)
	_, out, errs := program(t, tmp, args...)
	data, err := os.ReadFile(report)
	var doc struct {
		Runs []struct {
			Verdict      string
			Expectations []struct {
				Name, Verdict string
				Measured      *float64
				Evidence      []string
			}
		}
	}
	if err != nil || json.Unmarshal(data, &doc) != nil || len(doc.Runs) != times {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	r := rehearsal{Client: c.name, Drill: drill}
	for _, run := range doc.Runs {
		one := rehearsed{Verdict: run.Verdict}
		for _, e := range run.Expectations {
			switch e.Name {
			case "stops":
				one.Stops, one.Stopped = e.Measured, e.Verdict
				if m := acceptedWrites.FindStringSubmatch(strings.Join(e.Evidence, "\n")); m != nil {
					one.Writes, _ = strconv.Atoi(m[1]) // its form says that it is a number
				}
			case "overlap":
				one.Overlap = e.Measured
			case "handover":
				one.Handover = e.Measured
			}
		}
		r.Runs = append(r.Runs, one)
	}
	if !r.asItMust() {
		t.Log(out + errs)
	}
	return r
}

// verdict is what a client has to come to: one that ignores its loss is caught where it lives
// to see it.
func (r rehearsal) verdict() string {
	caught := slices.Contains([]string{"keepalives-held", "holder-pause", "holder-cut"}, r.Drill) ||
		r.Drill == "holder-stopped" && r.Client != "etcdctl" // which ends its session when its command has ended
	return map[bool]string{true: "violated", false: "held"}[caught && !strings.HasSuffix(r.Client, "obeys")]
}

// asItMust says whether each run came to that.
func (r rehearsal) asItMust() bool {
	return len(r.Runs) > 0 && !slices.ContainsFunc(r.Runs, func(one rehearsed) bool { return one.Verdict != r.verdict() })
}

// span is the least and the most of what the runs measured, nothing if they did not.
func (r rehearsal) span(of func(rehearsed) *float64, format string) string {
	var all []float64
	for _, one := range r.Runs {
		if f := of(one); f != nil {
			all = append(all, *f)
		}
	}
	if len(all) == 0 {
		return ""
	}
	least, most := fmt.Sprintf(format, slices.Min(all)), fmt.Sprintf(format, slices.Max(all))
	if least == most {
		return least
	}
	return least + " to " + most
}

// words are the cell of the page.
func (r rehearsal) words() string {
	words := r.verdict()
	if words == "violated" {
		words = "**violated**"
	}
	if n := len(r.Runs); n != 20 {
		words += fmt.Sprintf(" %d times", n)
	}
	handover := r.span(func(one rehearsed) *float64 { return one.Handover }, "%.2f")
	stops := r.span(func(one rehearsed) *float64 { return one.Stops }, "%.2f")
	switch {
	case stops == "" && handover == "":
		return words
	case stops == "":
		return words + ": the next has it after " + handover + " s"
	case r.Runs[0].Stopped == "held":
		return words + ": stops after " + stops + " s"
	}
	words += ": works on, " + stops + " s until the run ended"
	writes := func(one rehearsed) *float64 { n := float64(one.Writes); return &n }
	if took := r.span(writes, "%.0f"); took != "0" {
		words += ", and etcd took " + took + " writes"
	}
	return words
}

// rehearse does what lacks of a client's runs, and adds each drill to the file.
func (c client) rehearse(t *testing.T, had []rehearsal) {
	for _, drill := range drillsAsked {
		if slices.ContainsFunc(had, func(r rehearsal) bool { return r.Client == c.name && r.Drill == drill }) {
			continue
		}
		line, err := json.Marshal(c.play(t, drill, *times))
		if err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(programRuns, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write(append(line, '\n')); err != nil {
			t.Error(err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}
}

// readRehearsals reads what was run, a client in a drill in each line.
func readRehearsals(t *testing.T) (all []rehearsal) {
	t.Helper()
	data, err := os.ReadFile(programRuns)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var r rehearsal
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%s: %v", programRuns, err)
		}
		all = append(all, r)
	}
	return all
}

// TestClientsOfTheField: a client of each library that stops, and one that does not, in the
// drill that tells them apart.
func TestClientsOfTheField(t *testing.T) {
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if r := c.play(t, "keepalives-held", 1); !r.asItMust() {
				t.Errorf("%+v, want %s", r, r.verdict())
			}
		})
	}
}

// TestProgramsPage writes the table of what clients do in drills, from runs that -rehearse does,
// and wants each run to have come to what it has to. What the file has is not run again: an
// interrupted series goes on where it was.
func TestProgramsPage(t *testing.T) {
	if *rehearse != "" {
		which, err := regexp.Compile("^(" + *rehearse + ")$")
		if err != nil {
			t.Fatal(err)
		}
		had := readRehearsals(t)
		t.Run("clients", func(t *testing.T) {
			for _, c := range clients {
				if which.MatchString(c.name) {
					t.Run(c.name, func(t *testing.T) {
						t.Parallel()
						c.rehearse(t, had)
					})
				}
			}
		})
	}
	all := readRehearsals(t)
	var b strings.Builder
	for _, c := range clients {
		fmt.Fprintf(&b, "| %s | %s |", c.of, c.does)
		for _, drill := range drillsAsked {
			i := slices.IndexFunc(all, func(r rehearsal) bool { return r.Client == c.name && r.Drill == drill })
			if i < 0 {
				t.Fatalf("%s in %s was not run: go test ./ui/cli -run ProgramsPage -rehearse %s -update", c.name, drill, c.name)
			}
			if r := all[i]; !r.asItMust() {
				t.Errorf("%+v, want %s each time", r, r.verdict())
			}
			fmt.Fprintf(&b, " %s |", all[i].words())
		}
		b.WriteByte('\n')
	}
	old, err := os.ReadFile(programPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(old), "| library |")
	_, after, ended := strings.Cut(rest, "\n\n")
	if !ok || !ended {
		t.Fatalf("%s has no table of clients", programPage)
	}
	head := "| library | the program | " + strings.Join(drillsAsked, " | ") + " |\n|" + strings.Repeat(" --- |", len(drillsAsked)+2) + "\n"
	if want := before + head + b.String() + "\n" + after; *update {
		if err := os.WriteFile(programPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if d := cmp.Diff(want, string(old)); d != "" {
		t.Errorf("run go test -tags slow ./ui/cli -run ProgramsPage -update (-runs +%s)\n%s", programPage, d)
	}
}
