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
	"strings"
	"testing"
)

var rehearse = flag.String("rehearse", "", "run the clients whose name matches in every drill, and write down what came of it")

const (
	programRuns = "../../demo/testdata/programs/runs.json"
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
	{"node-obeys", "npm `etcd3` 1.1.2", "takes the key of `Lock` with a lease of its own, and heeds `lost`", node("obeys.js"), oneKey},
	{"node-ignores", "npm `etcd3` 1.1.2", "uses `Lock`, which does not tell that its lease is lost", node("ignores.js"), oneKey},
	{"lockservice", "the lock service of etcd", "makes the calls of jetcd, in Go, and never looks at its renewals", func(t *testing.T) string { return worker(t, "lockservice") + " {lock} {ttl}" }, nil},
	{"python-obeys", "`python-etcd3` 0.12", "refreshes in time, or stops", python("obeys.py"), []string{"--single-key", "--lock", "/locks/report"}},
	{"python-ignores", "`python-etcd3` 0.12", "refreshes in a thread, and never looks at it", python("ignores.py"), []string{"--single-key", "--lock", "/locks/report"}},
	{"tooz", "`tooz` 3.1 on `python-etcd3`", "lets tooz renew, which tells it nothing", python("by_tooz.py"), []string{"--single-key", "--lock", "/locks/report"}},
}

// rehearsed are the drills of the page.
var rehearsed = []string{"keepalives-held", "holder-pause", "holder-cut", "holder-stopped", "holder-crash", "leader-moves"}

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
	if os.Getenv("LOCKTOP_REQUIRE") == "1" {
		t.Fatal(what)
	}
	t.Skip(what)
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

// rehearsal is what came of a client in a drill. Seconds are those that it believed to hold
// without its claim, and both believed.
type rehearsal struct {
	Client, Drill, Verdict string
	Stops                  *float64
	Stopped                string
	Overlap                *float64
	Handover               *float64
	Writes                 bool // etcd accepted some meanwhile
}

// play runs a drill with a client in its roles.
func (c client) play(t *testing.T, drill string) rehearsal {
	t.Helper()
	tmp, report := t.TempDir(), filepath.Join(t.TempDir(), "r.json")
	args := append([]string{"drill", "run", drill, "--as", c.command(t), "--belief", workerSays, "--report", report}, c.flags...)
	_, out, errs := program(t, tmp, args...)
	data, err := os.ReadFile(report)
	var doc struct {
		Verdict string
		Runs    []struct {
			Expectations []struct {
				Name, Verdict string
				Measured      *float64
				Evidence      []string
			}
		}
	}
	if err != nil || json.Unmarshal(data, &doc) != nil || len(doc.Runs) != 1 {
		t.Fatalf("%v\n%s%s", err, out, errs)
	}
	r := rehearsal{Client: c.name, Drill: drill, Verdict: doc.Verdict}
	for _, e := range doc.Runs[0].Expectations {
		switch e.Name {
		case "stops":
			r.Stops, r.Stopped = e.Measured, e.Verdict
			r.Writes = strings.Contains(strings.Join(e.Evidence, "\n"), "etcd accepted ")
		case "overlap":
			r.Overlap = e.Measured
		case "handover":
			r.Handover = e.Measured
		}
	}
	if doc.Verdict != r.verdict() {
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

// words are the cell of the page.
func (r rehearsal) words() string {
	switch {
	case r.Stops == nil && r.Handover != nil:
		return fmt.Sprintf("%s: the next has it after %.2f s", strings.Replace(r.Verdict, "violated", "**violated**", 1), *r.Handover)
	case r.Stops == nil:
		return r.Verdict
	case r.Stopped == "held":
		return fmt.Sprintf("%s: stops after %.2f s", r.Verdict, *r.Stops)
	}
	words := fmt.Sprintf("**%s**: works on, %.2f s until the run ended", r.Verdict, *r.Stops)
	if r.Writes {
		words += ", and etcd took its writes"
	}
	return words
}

// TestClientsOfTheField: a client of each library that stops, and one that does not, in the
// drill that tells them apart.
func TestClientsOfTheField(t *testing.T) {
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if r := c.play(t, "keepalives-held"); r.Verdict != r.verdict() {
				t.Errorf("%+v, want %s", r, r.verdict())
			}
		})
	}
}

// TestProgramsPage writes the table of what clients do in drills, from runs that -rehearse does
// anew, and wants each run to have come to what it has to.
func TestProgramsPage(t *testing.T) {
	if *rehearse != "" {
		which, err := regexp.Compile("^(" + *rehearse + ")$")
		if err != nil {
			t.Fatal(err)
		}
		var all []rehearsal
		if data, err := os.ReadFile(programRuns); err == nil && json.Unmarshal(data, &all) != nil {
			t.Fatalf("%s is no JSON", programRuns)
		}
		all = slices.DeleteFunc(all, func(r rehearsal) bool { return which.MatchString(r.Client) })
		for _, c := range clients {
			for _, drill := range rehearsed {
				if which.MatchString(c.name) {
					all = append(all, c.play(t, drill))
				}
			}
		}
		data, err := json.MarshalIndent(all, "", " ")
		if err == nil {
			err = os.WriteFile(programRuns, append(data, '\n'), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(programRuns)
	var all []rehearsal
	if err != nil || json.Unmarshal(data, &all) != nil {
		t.Fatalf("%s: %v", programRuns, err)
	}
	var b strings.Builder
	for _, c := range clients {
		fmt.Fprintf(&b, "| %s | %s |", c.of, c.does)
		for _, drill := range rehearsed {
			i := slices.IndexFunc(all, func(r rehearsal) bool { return r.Client == c.name && r.Drill == drill })
			if i < 0 {
				t.Fatalf("%s in %s was not run: go test ./ui/cli -run ProgramsPage -rehearse %s -update", c.name, drill, c.name)
			}
			if r := all[i]; r.Verdict != r.verdict() {
				t.Errorf("%+v, want %s", r, r.verdict())
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
	head, rest, _ := strings.Cut(rest, "\n")
	line, rest, _ := strings.Cut(rest, "\n")
	_, after, ended := strings.Cut(rest, "\n\n")
	if !ok || !ended {
		t.Fatalf("%s has no table of clients", programPage)
	}
	document(t, programPage, before+"| library |"+head+"\n"+line+"\n"+b.String()+"\n"+after)
}
