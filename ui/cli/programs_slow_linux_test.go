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
	{"java-obeys", "grpc-java 1.41", "renews in time by its own clock, or stops; see java/README.md", javaWorker, nil},
	{"lockservice", "the lock service of etcd", "makes the calls of jetcd, in Go, and never looks at its renewals", func(t *testing.T) string { return worker(t, "lockservice") + " {lock} {ttl}" }, nil},
	{"python-obeys", "`python-etcd3` 0.12", "refreshes in time, or stops", python("obeys.py"), []string{"--single-key", "--lock", "/locks/report"}},
	{"python-ignores", "`python-etcd3` 0.12", "refreshes in a thread, and never looks at it", python("ignores.py"), []string{"--single-key", "--lock", "/locks/report"}},
	{"tooz", "`tooz` 3.1 on `python-etcd3`", "lets tooz renew, which tells it nothing", python("by_tooz.py"), []string{"--single-key", "--lock", "/locks/report"}},
}

// drillsAsked are the drills of the page: all that can be asked of a program that holds on (--dry-run).
var drillsAsked = append(slices.Clone(oftenAsked), "member-isolated", "lease-revoked", "claim-deleted", "paused-and-second", "claim-unanswered", "grant-unanswered", "unlock-unanswered", "unlock-lost",
	"rolling-restart", "waiter-stopped", "dead-waiter", "missed-delete", "waiter-compacted", "member-slow", "members-restart", "nospace")

// oftenAsked are those in which each client came to the same 20 times. queueAsked need a queue.
var (
	oftenAsked = []string{"keepalives-held", "holder-pause", "holder-cut", "holder-stopped", "holder-crash", "leader-moves", "election-failover", "lease-detached"}
	queueAsked = []string{"dead-waiter", "missed-delete"}
)

// forms and languages are those of the workers that a rehearsal has to see through. What came of them is in
// the file of runs as the client "LANGUAGE FORM".
var (
	forms = [][2]string{{"right", "does as it should"}, {"late", "stops half a second later than it has"}, {"writes", "says so in time, and a part of it writes on"},
		{"child", "the same, but a process that it started writes on"}, {"reacquires", "takes the lock again without a word"}, {"timer", "works for the time that it planned"}}
	languages = []string{"go", "node", "python", "java"}
)

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

// javaWorker compiles the worker in Java, by the lines of its README.
func javaWorker(t *testing.T) string {
	readme, err := os.ReadFile(programs + "java/README.md")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(readme)) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "jars=") || strings.HasPrefix(line, "protoc ") || strings.HasPrefix(line, "javac ") {
			lines = append(lines, line)
		}
	}
	dir := t.TempDir()
	build := exec.Command("sh", "-ec", "mkdir gen out; cp "+absolute(t, "java/etcd.proto")+" "+absolute(t, "java/Worker.java")+" .; "+strings.Join(lines, "; ")+`; printf %s "$jars" >jars`)
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		lacking(t, "the worker in Java could not be built, see its README: "+err.Error()+"\n"+string(out))
	}
	jars, err := os.ReadFile(filepath.Join(dir, "jars"))
	if err != nil {
		t.Fatal(err)
	}
	return "java -XX:TieredStopAtLevel=1 -cp " + dir + "/out:" + string(jars) + " Worker {lock} {ttl}"
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

// asItMust says whether each run came to that. In the drills that were not asked as often one that obeys is
// never violated, and another comes to the same each time; on a busy machine some are unknown.
func (r rehearsal) asItMust() bool {
	if len(r.Runs) == 0 {
		return false
	}
	if slices.Contains(oftenAsked, r.Drill) && r.Client != "java-obeys" {
		return !slices.ContainsFunc(r.Runs, func(one rehearsed) bool { return one.Verdict != r.verdict() })
	}
	came := r.came()
	return came["violated"] == 0 || came["held"] == 0 && !strings.HasSuffix(r.Client, "obeys")
}

// came counts the runs by their verdict.
func (r rehearsal) came() map[string]int {
	n := map[string]int{}
	for _, one := range r.Runs {
		n[one.Verdict]++
	}
	return n
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
	var all []string
	came := r.came()
	for _, v := range []string{"violated", "held", "unknown"} {
		switch n := came[v]; {
		case n == 0:
		case v == "violated":
			all = append(all, fmt.Sprintf("**violated** %d×", n))
		default:
			all = append(all, fmt.Sprintf("%s %d×", v, n))
		}
	}
	words := strings.Join(all, ", ")
	handover := r.span(func(one rehearsed) *float64 { return one.Handover }, "%.2f")
	stops := r.span(func(one rehearsed) *float64 { return one.Stops }, "%.2f")
	switch {
	case stops == "" && handover == "":
		return words
	case stops == "":
		return words + ": next " + handover + " s"
	case r.Runs[0].Stopped == "held":
		return words + ": stops " + stops + " s"
	}
	words += ": works on " + stops + " s"
	writes := func(one rehearsed) *float64 { n := float64(one.Writes); return &n }
	if took := r.span(writes, "%.0f"); took != "0" {
		words += ", " + took + " writes"
	}
	return words
}

// rehearse does what lacks of a client's runs, and adds each drill to the file.
func (c client) rehearse(t *testing.T, had []rehearsal) {
	for _, drill := range drillsAsked {
		if len(c.flags) > 0 && slices.Contains(queueAsked, drill) || slices.ContainsFunc(had, func(r rehearsal) bool { return r.Client == c.name && r.Drill == drill }) {
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
	t.Parallel()
	for _, c := range clients {
		if c.name == "java-obeys" {
			continue // a JDK and twenty archives are not asked of everybody: -rehearse does
		}
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
	of := func(client, drill string) *rehearsal {
		i := slices.IndexFunc(all, func(r rehearsal) bool { return r.Client == client && r.Drill == drill })
		if i < 0 {
			return nil
		}
		return &all[i]
	}
	old, err := os.ReadFile(programPage)
	if err != nil {
		t.Fatal(err)
	}
	want := string(old)
	for _, table := range []struct{ name, text string }{{"clients", clientsTable(t, of)}, {"forms", formsTable(all)}} {
		begin, end := "<!-- "+table.name+": made of runs.jsonl -->\n", "<!-- end -->"
		before, rest, ok := strings.Cut(want, begin)
		_, after, ended := strings.Cut(rest, end)
		if !ok || !ended {
			t.Fatalf("%s has no table of %s", programPage, table.name)
		}
		want = before + begin + table.text + end + after
	}
	if *update {
		if err := os.WriteFile(programPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if d := cmp.Diff(want, string(old)); d != "" {
		t.Errorf("run go test -tags slow ./ui/cli -run ProgramsPage -update (-runs +%s)\n%s", programPage, d)
	}
}

// clientsTable has what each client is, and a row for each drill.
func clientsTable(t *testing.T, of func(client, drill string) *rehearsal) string {
	t.Helper()
	var b strings.Builder
	head, line := "| drill |", "| --- |"
	b.WriteString("| program | library | what it does |\n| --- | --- | --- |\n")
	for _, c := range clients {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", c.name, c.of, c.does)
		head += " " + c.name + " |"
		line += " --- |"
	}
	fmt.Fprintf(&b, "\n%s\n%s\n", head, line)
	for _, drill := range drillsAsked {
		fmt.Fprintf(&b, "| %s |", drill)
		for _, c := range clients {
			switch r := of(c.name, drill); {
			case r == nil && len(c.flags) > 0 && slices.Contains(queueAsked, drill):
				b.WriteString(" |") // a lock of one key has no queue
			case r == nil:
				t.Fatalf("%s in %s was not run: go test -tags slow ./ui/cli -run ProgramsPage -rehearse %s -update", c.name, drill, c.name)
			default:
				if !r.asItMust() {
					t.Errorf("%+v is not as it must be", *r)
				}
				fmt.Fprintf(&b, " %s |", r.words())
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// formsTable counts what workers in several forms came to.
func formsTable(all []rehearsal) string {
	var b strings.Builder
	b.WriteString("| form | the worker | Go | Node | Python | Java |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, form := range forms {
		fmt.Fprintf(&b, "| `%s` | %s |", form[0], form[1])
		for _, language := range languages {
			sum := rehearsal{}
			for _, r := range all {
				if r.Client == language+" "+form[0] {
					sum.Runs = append(sum.Runs, r.Runs...)
				}
			}
			fmt.Fprintf(&b, " %s |", strings.ReplaceAll(sum.words(), "**", ""))
		}
		b.WriteByte('\n')
	}
	return b.String()
}
