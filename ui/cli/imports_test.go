package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestImports is the import table of the program: what a package must not reach, with
// everything that it imports in turn, and why.
func TestImports(t *testing.T) {
	t.Parallel()
	const (
		etcd = "go.etcd.io/"
		tea  = "github.com/charmbracelet/bubbletea"
	)
	type limit struct {
		pkg       string
		forbidden map[string]string // path prefix → why
	}
	core := map[string]string{
		etcd:                     "the core is fed with events and talks to nobody",
		"google.golang.org/grpc": "the core talks to nobody", tea: "the domain is no screen",
		"os": "no I/O in the core", "net": "no I/O in the core", "math/rand": "the same events give the same state",
		"sync": "no goroutines in the core", "unsafe": "memory is left to the compiler"}
	for _, name := range []string{"ui", "watcher", "chaos", "demo"} {
		core["locktop/"+name] = "the core knows no other folder"
	}
	part := func(others ...string) map[string]string { // of the console
		not := map[string]string{"locktop/watcher": "the screen shows the model", "locktop/chaos": "the screen asks through an interface",
			"locktop/demo": "the screen does not know where it is", "locktop/ui/report": "the screen writes no reports", etcd: "the screen never touches etcd"}
		for _, other := range others {
			not[other] = "a part knows what it reads and wants, and no other part"
		}
		return not
	}
	parts := []string{"locktop/ui/dialog", "locktop/ui/tutor"}
	limits := []limit{
		{"locktop/ui/host", part(parts...)},
		{"locktop/model/recipe", map[string]string{"locktop/": "a recipe knows keys and nothing else"}},
		{"locktop/model/copies", map[string]string{"locktop/": "what a record is, its own package knows"}},
		{"locktop/model", map[string]string{
			"locktop/model/locks": "a value is not made of anything", "locktop/model/journal": "the journal is written from values",
			"locktop/model/reports": "a report is an event", "locktop/model/findings": "a finding is a value", "locktop/model/store": "the store applies events", "locktop/model/timeline": "a span is made of events"}},
		{"locktop/model/journal", map[string]string{
			"locktop/model/locks": "the journal is told, and does not ask", "locktop/model/reports": "what it says comes back as changes",
			"locktop/model/findings": "a line is no finding", "locktop/model/store": "the locks write the journal", "locktop/model/timeline": "the timeline reads the journal"}},
		{"locktop/model/status", map[string]string{
			"locktop/model/reports": "how a lock does follows from keys, leases and findings", "locktop/model/findings": "it reads what was found",
			"locktop/model/store": "it asks the locks", "locktop/model/timeline": "it tells of now"}},
		{"locktop/model/locks", map[string]string{
			"locktop/model/status": "what is so is not judged here", "locktop/model/reports": "what it says comes back as changes",
			"locktop/model/findings": "the rules come for what is marked", "locktop/model/store": "the store applies events to the locks",
			"locktop/model/timeline": "the locks tell, and the timeline writes down"}},
		{"locktop/model/timeline", map[string]string{
			"locktop/model/reports": "when a claim held follows from keys alone", "locktop/model/findings": "the rules read the timeline",
			"locktop/model/store": "the store applies events to the timeline"}},
		{"locktop/model/reports", map[string]string{
			"locktop/model/findings": "a report is no finding", "locktop/model/store": "the store applies events to the reports"}},
		{"locktop/model/findings", map[string]string{"locktop/model/store": "the store asks for the findings"}},
		{"locktop", map[string]string{"locktop/model/modeltest": "it tells stories to tests"}},
		{"locktop/watcher/validate", map[string]string{"locktop/": "it knows no other package, so that every one may use it", "go.etcd.io/etcd/client": "it stands below the client library", tea: "no screen here"}},
		{"locktop/watcher/queue", map[string]string{"locktop/watcher": "it knows events, so that every package may use it", "locktop/chaos": "likewise",
			"locktop/demo": "likewise", "locktop/ui": "likewise", etcd: "it holds events, and asks nobody", tea: "no screen here"}},
		{"locktop/watcher/pace", map[string]string{"locktop/": "pace knows nothing of what is asked", etcd: "pace asks nobody", tea: "no screen here"}},
		{"locktop/watcher/failures", map[string]string{"locktop/chaos": "a failure is of who looks", "locktop/demo": "a failure is what it is, in a lab too",
			"locktop/ui": "a failure is told by whoever shows it", "go.etcd.io/etcd/client": "it tells errors apart and asks nobody", tea: "no screen here"}},
		{"locktop/watcher", map[string]string{
			"locktop/chaos": "who looks does not break", "locktop/demo": "the watcher is never told what the lab does",
			"locktop/ui": "the watcher feeds the model, not a screen", "go.etcd.io/etcd/server/v3": "the watcher is a client", tea: "no screen here"}},
		{"locktop/chaos/relay", map[string]string{"locktop/": "it carries bytes, whoever speaks", etcd: "likewise", "golang.org/": "it knows TCP and no HTTP/2"}},
		{"locktop/chaos/gate", map[string]string{
			"locktop/watcher": "done and seen are different things", "locktop/chaos/proxy": "an action is one thing, a fault another", "locktop/chaos/drill": "a drill is played by others",
			"locktop/demo": "the lab implements what the gate asks for", "locktop/ui": "the gate is asked, it does not ask", tea: "no screen here"}},
		{"locktop/chaos/proxy", map[string]string{
			"locktop/watcher": "done and seen are different things", "locktop/chaos/gate": "a fault is one thing, an action another", "locktop/chaos/drill": "a drill is played by others",
			"locktop/demo": "the lab puts it between", "locktop/ui": "the proxy reports events", tea: "no screen here"}},
		{"locktop/watcher/recording", map[string]string{
			"locktop/watcher": "a recording is of any source", "locktop/chaos": "nobody acts on a recording", "locktop/demo": "a recording is of any source",
			"locktop/ui": "a recording has no screen", etcd: "a recording needs no cluster", tea: "a recording has no screen"}},
		{"locktop/chaos", map[string]string{
			"locktop/watcher": "done and seen are different things", "locktop/demo": "the lab implements what chaos asks for",
			"locktop/ui": "chaos is asked, it does not ask", tea: "no screen here"}},
		{"locktop/chaos/drill/check", map[string]string{
			"locktop/chaos/drill/runner": "a verdict does not depend on how the drill is run", "locktop/model/store": "a verdict is a second opinion"}},
		{"locktop/chaos/drill/runner", map[string]string{
			"locktop/watcher": "a drill is handed what is seen", "locktop/demo": "a drill is played on a lab that somebody else started",
			"locktop/ui": "a drill is told by whoever runs it", "go.etcd.io/etcd/server/v3": "a drill starts no member",
			"go.etcd.io/etcd/client/v3": "a drill acts through its stage", tea: "no screen here"}},
		{"locktop/demo/cluster", map[string]string{
			"locktop/chaos": "members know no proxy: the lab puts it between", "locktop/model": "members are etcd, and know nothing of locks",
			"locktop/watcher": "what the lab does has to be seen from outside", "locktop/ui": "the lab has no screen"}},
		{"locktop/demo/contender", map[string]string{
			"locktop/chaos/gate": "a contender is a client like any other", "locktop/chaos/proxy": "a contender does not know what stands between", "locktop/demo/cluster": "a contender knows endpoints, not members",
			"locktop/watcher": "what the lab does has to be seen from outside", "locktop/ui": "the lab has no screen"}},
		{"locktop/demo/process", map[string]string{"locktop/": "it knows processes and nothing else"}},
		{"locktop/demo", map[string]string{
			"locktop/watcher": "what the lab does has to be seen from outside", "locktop/ui": "the lab has no screen", tea: "no screen here"}},
		{"locktop/ui", map[string]string{
			"locktop/watcher": "the screen shows the model", "locktop/chaos": "the screen asks through an interface",
			"locktop/demo": "the screen does not know where it is", "locktop/ui/report": "the screen writes no reports: it shares the fields", etcd: "the screen never touches etcd", "google.golang.org/grpc": "the screen never touches etcd"}},
		{"locktop/ui/report", map[string]string{
			"locktop/watcher": "text is made of the model", "locktop/chaos": "text is made of the model", "locktop/demo": "text is made of the model",
			"locktop/ui/cli": "the command line uses reports", etcd: "text is made of the model", tea: "text needs no screen"}},
		{"locktop/ui/fields", map[string]string{
			"locktop/watcher": "a field is of the model", "locktop/chaos": "a field is of the model", "locktop/demo": "a field is of the model",
			"locktop/ui/cli": "the command line uses fields", "locktop/ui/report": "reports are views of fields",
			etcd: "a field is of the model", tea: "a field is text, on paper too"}},
		{"locktop/ui/cli/session", map[string]string{
			"locktop/watcher": "a session takes any source", "locktop/chaos": "a session looks", "locktop/demo": "a session takes any source",
			"locktop/ui": "a session has hooks, and no screen", etcd: "a session takes any source", tea: "a session has no screen"}},
		{"locktop/ui/draw", map[string]string{
			"locktop/ui": "text knows no table, page or key", "locktop/watcher": "text is of the model", "locktop/chaos": "text is of the model",
			"locktop/demo": "text is of the model", etcd: "the screen never touches etcd", tea: "a line is text, whatever shows it"}},
		{"locktop/ui/table", map[string]string{
			"locktop/ui/timeline": "a table knows no lanes", "locktop/ui/report": "the screen writes no reports", tea: "a table is lines, whatever shows them"}},
		{"locktop/ui/timeline", map[string]string{
			"locktop/ui/report": "the screen writes no reports", tea: "lanes are lines, whatever shows them"}},
		{"locktop/ui/cast", map[string]string{"locktop/": "it knows bytes and moments, whoever writes them", tea: "it is written without a terminal"}},
		{"locktop/ui/cli/quiet", map[string]string{"github.com/": "it has to be initialised before everything else", "golang.org/": "likewise"}},
	}
	// parsers of the standard library take text apart, and open nothing.
	parsers := []string{"net/url", "net/netip"}
	// leaves know no other package, and every one may use them.
	leaves := []string{"locktop/watcher/validate", "locktop/watcher/queue", "locktop/chaos/relay"}
	for _, pkg := range list(t, "{{.ImportPath}}", "locktop/model/...") {
		limits = append(limits, limit{pkg, core})
	}
	for _, pkg := range parts {
		limits = append(limits, limit{pkg, part(slices.DeleteFunc(slices.Clone(parts), func(other string) bool { return other == pkg })...)})
	}
	pages := part(append([]string{"locktop/ui/host"}, parts...)...)
	pages[tea] = "a page is lines, keys come by their names"
	limits = append(limits, limit{"locktop/ui/page", pages})
	// Of each package what it asks for itself, and all that it reaches.
	imported, reached := map[string][]string{}, map[string][]string{}
	for _, line := range listed(t, "{{.ImportPath}} {{join .Imports \" \"}}", "locktop/...") {
		imported[line[0]] = line[1:]
	}
	for _, line := range listed(t, "{{.ImportPath}} {{join .Deps \" \"}}", "locktop/...") {
		reached[line[0]] = line[1:]
	}
	for _, r := range limits {
		imports, there := imported[r.pkg] // of the standard library only what it asks for itself
		deps := reached[r.pkg]
		if !there {
			t.Errorf("there is no package %s", r.pkg)
		}
		for path, why := range r.forbidden {
			among := deps
			if !strings.Contains(strings.SplitN(path, "/", 2)[0], ".") && !strings.HasPrefix(path, "locktop") {
				among = imports
			}
			for _, dep := range among {
				if dep == strings.TrimSuffix(path, "/") || strings.HasPrefix(dep, strings.TrimSuffix(path, "/")+"/") {
					if dep != r.pkg && !slices.Contains(leaves, dep) && !slices.Contains(parsers, dep) {
						t.Errorf("%s reaches %s: %s", r.pkg, dep, why)
					}
				}
			}
		}
	}
	for _, dep := range list(t, "{{join .Imports \"\\n\"}}", "locktop") {
		if dep != "os" && dep != "locktop/ui/cli" {
			t.Errorf("main.go imports %s: it calls cli.Main and exits", dep)
		}
	}
}

// TestTheCoreHasNoClock looks for calls that an import table cannot see.
func TestTheCoreHasNoClock(t *testing.T) {
	folders := map[string][]string{"..": {"time.Now(", "time.Since(", "time.Until("}}
	for _, dir := range list(t, "{{.Dir}}", "locktop/model/...") {
		folders[dir] = []string{"time.Now(", "time.Since(", "time.Until(", "time.After(", "time.NewTimer(", "time.NewTicker(", "\tgo "}
	}
	for dir, calls := range folders {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, call := range calls {
				if strings.Contains(string(text), call) {
					t.Errorf("%s calls %s: time comes with the events", name, strings.TrimSpace(call))
				}
			}
		}
	}
}

func list(t *testing.T, format, pkg string) (words []string) {
	t.Helper()
	for _, line := range listed(t, format, pkg) {
		words = append(words, line...)
	}
	return words
}

// listed returns what go list says of packages, a line of words for each.
func listed(t *testing.T, format, pkg string) (lines [][]string) {
	t.Helper()
	out, err := goTool("list", "-f", format, pkg).CombinedOutput()
	if err != nil {
		t.Fatalf("go list %s: %v\n%s", pkg, err, out)
	}
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); len(words) > 0 {
			lines = append(lines, words)
		}
	}
	return lines
}
