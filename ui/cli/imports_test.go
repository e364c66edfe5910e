package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRooms is the import table of the house: what a room must not reach, with
// everything that it imports in turn, and why.
func TestRooms(t *testing.T) {
	const (
		etcd = "go.etcd.io/"
		tea  = "github.com/charmbracelet/bubbletea"
	)
	type room struct {
		room      string
		forbidden map[string]string // path prefix → why
	}
	core := map[string]string{
		etcd:                     "the core is fed with events and talks to nobody",
		"google.golang.org/grpc": "the core talks to nobody", tea: "the domain is no screen",
		"os": "no I/O in the core", "net": "no I/O in the core", "math/rand": "the same events give the same state",
		"sync": "no goroutines in the core"}
	for _, name := range []string{"ui", "watcher", "chaos", "demo"} {
		core["locktop/"+name] = "the core knows no other room"
	}
	const base, all = "locktop/ui/page", "locktop/ui/page/pages"
	groups := []string{"locktop/model/diagnose/leases", "locktop/model/diagnose/queues", "locktop/model/diagnose/told", "locktop/model/diagnose/cluster"}
	pages := list(t, "{{.ImportPath}}", base+"/...")
	part := func(others ...string) map[string]string { // of the console
		not := map[string]string{"locktop/watcher": "the screen shows the model", "locktop/chaos": "the screen asks through an interface",
			"locktop/demo": "the screen does not know where it is", "locktop/ui/report": "the screen writes no reports", etcd: "the screen never touches etcd"}
		for _, other := range others {
			not[other] = "a part knows its host and no other part"
		}
		for _, page := range pages {
			if page != base {
				not[page] = "what pages have in common is in " + base + ", and " + all + " knows each"
			}
		}
		return not
	}
	parts := []string{"locktop/ui/dialog", "locktop/ui/guide", "locktop/ui/lesson", "locktop/ui/palette", "locktop/ui/replay", "locktop/ui/start"}
	rooms := []room{
		{"locktop/ui/host", part(parts...)},
		{"locktop/model/recipe", map[string]string{"locktop/": "a recipe knows keys and nothing else"}},
		{"locktop/model", map[string]string{
			"locktop/model/keyspace": "a value is not folded from anything", "locktop/model/journal": "the journal is written from values",
			"locktop/model/lab": "a report is an event", "locktop/model/diagnose": "a finding is a value", "locktop/model/fold": "the fold applies events", "locktop/model/intervals": "an interval is made of events"}},
		{"locktop/model/journal", map[string]string{
			"locktop/model/keyspace": "the journal asks through an interface", "locktop/model/lab": "the keyspace asks its witness",
			"locktop/model/diagnose": "a line is no diagnosis", "locktop/model/fold": "the keyspace writes the journal", "locktop/model/intervals": "the book reads the journal"}},
		{"locktop/model/habit", map[string]string{"locktop/model/keyspace": "what a key did says nothing of a queue", "locktop/model/journal": "what a key did is told by its keyspace"}},
		{"locktop/model/prefixes", map[string]string{"locktop/model/keyspace": "how fresh a prefix is follows from no key", "locktop/model/journal": "its keyspace writes what is lost and back"}},
		{"locktop/model/members", map[string]string{"locktop/model/keyspace": "what members tell follows from no key", "locktop/model/journal": "its keyspace writes what changed"}},
		{"locktop/model/queue", map[string]string{"locktop/": "a queue knows no claims"}},
		{"locktop/model/outlook", map[string]string{
			"locktop/model/lab": "how a lock does follows from keys, leases and findings", "locktop/model/diagnose": "it reads what was found",
			"locktop/model/fold": "it asks the keyspace", "locktop/model/intervals": "it tells of now"}},
		{"locktop/model/keyspace", map[string]string{
			"locktop/model/outlook": "the keyspace folds, and judges nothing", "locktop/model/sight": "the keyspace folds, and judges nothing",
			"locktop/model/lab": "the keyspace asks its witness", "locktop/model/diagnose": "the keyspace marks, and the rules come for it",
			"locktop/model/fold": "the fold applies events to the keyspace", "locktop/model/intervals": "the keyspace tells, and the book writes down"}},
		{"locktop/model/intervals", map[string]string{
			"locktop/model/lab": "when a claim held follows from keys alone", "locktop/model/diagnose": "the rules read the book",
			"locktop/model/fold": "the fold applies events to the book"}},
		{"locktop/model/lab", map[string]string{
			"locktop/model/diagnose": "a report is no finding", "locktop/model/fold": "the fold applies events to the reports"}},
		{"locktop/model/leftover", map[string]string{"locktop/model/diagnose": "it follows leases, and the rules come for them", "locktop/model/lab": "nobody reports it", "locktop/model/fold": "the rules bring it"}},
		{"locktop/model/diagnose", map[string]string{"locktop/model/fold": "the fold asks for the findings"}},
		{"locktop", map[string]string{"locktop/model/history": "it tells stories to tests", "locktop/model/hostile": "it feeds fuzz tests"}},
		{"locktop/watcher/answers", map[string]string{"locktop/": "it knows no room, so that every room may use it", "go.etcd.io/etcd/client": "it stands below the client library", tea: "no screen here"}},
		{"locktop/watcher/pace", map[string]string{"locktop/": "pace knows nothing of what is asked", etcd: "pace asks nobody", tea: "no screen here"}},
		{"locktop/watcher/failures", map[string]string{"locktop/chaos": "a failure is of who looks", "locktop/demo": "a failure is what it is, in a lab too",
			"locktop/ui": "a failure is told by whoever shows it", "go.etcd.io/etcd/client": "it tells errors apart and asks nobody", tea: "no screen here"}},
		{"locktop/watcher", map[string]string{
			"locktop/chaos": "who looks does not break", "locktop/demo": "the watcher is never told what the lab does",
			"locktop/ui": "the watcher feeds the model, not a screen", "go.etcd.io/etcd/server/v3": "the watcher is a client", tea: "no screen here"}},
		{"locktop/chaos/relay", map[string]string{"locktop/": "it carries frames, whoever speaks", etcd: "it knows HTTP/2 and nothing of etcd"}},
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
		{"locktop/chaos/drill/judge", map[string]string{
			"locktop/chaos/drill/play": "a verdict does not depend on how the drill is run", "locktop/model/fold": "a verdict is a second opinion"}},
		{"locktop/chaos/drill/play", map[string]string{
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
			"locktop/ui/axis": "a table knows no lanes", "locktop/ui/report": "the screen writes no reports", tea: "a table is lines, whatever shows them"}},
		{"locktop/ui/axis", map[string]string{
			"locktop/ui/report": "the screen writes no reports", tea: "lanes are lines, whatever shows them"}},
		{"locktop/ui/waits", map[string]string{
			"locktop/ui/axis": "figures need no lanes", "locktop/ui/report": "the screen writes no reports", tea: "figures are lines, whatever shows them"}},
		{"locktop/ui/graph", map[string]string{
			"locktop/ui/axis": "a ring needs no lanes", "locktop/ui/report": "the screen writes no reports", tea: "a picture is lines, whatever shows it"}},
		{"locktop/ui/cli/quiet", map[string]string{"github.com/": "it has to be initialised before everything else", "golang.org/": "likewise"}},
	}
	// parsers of the standard library take text apart, and open nothing.
	parsers := []string{"net/url", "net/netip"}
	// leaves know no other room, and every room may use them.
	leaves := []string{"locktop/watcher/answers"}
	for _, pkg := range list(t, "{{.ImportPath}}", "locktop/model/...") {
		rooms = append(rooms, room{pkg, core})
	}
	for _, pkg := range append([]string{"locktop/model/diagnose/rule", "locktop/model/diagnose/waitfor"}, groups...) {
		not := map[string]string{"locktop/model/fold": "the fold asks for the findings"}
		for _, group := range groups {
			if group != pkg {
				not[group] = "no group of findings knows another, and what they have in common knows none"
			}
		}
		rooms = append(rooms, room{pkg, not})
	}
	for _, pkg := range parts {
		rooms = append(rooms, room{pkg, part(slices.DeleteFunc(slices.Clone(parts), func(other string) bool { return other == pkg })...)})
	}
	for _, pkg := range pages {
		not := part(append([]string{"locktop/ui/host"}, parts...)...)
		for _, page := range pages {
			if page == pkg || pkg == all {
				delete(not, page)
			}
		}
		not[tea] = "a page is lines, keys come by their names"
		rooms = append(rooms, room{pkg, not})
	}
	for _, r := range rooms {
		imports := list(t, "{{join .Imports \"\\n\"}}", r.room) // of the standard library only what it asks for itself
		deps := list(t, "{{join .Deps \"\\n\"}}", r.room)
		for path, why := range r.forbidden {
			among := deps
			if !strings.Contains(strings.SplitN(path, "/", 2)[0], ".") && !strings.HasPrefix(path, "locktop") {
				among = imports
			}
			for _, dep := range among {
				if dep == strings.TrimSuffix(path, "/") || strings.HasPrefix(dep, strings.TrimSuffix(path, "/")+"/") {
					if dep != r.room && !slices.Contains(leaves, dep) && !slices.Contains(parsers, dep) {
						t.Errorf("%s reaches %s: %s", r.room, dep, why)
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
	rooms := map[string][]string{"..": {"time.Now(", "time.Since(", "time.Until("}}
	for _, dir := range list(t, "{{.Dir}}", "locktop/model/...") {
		rooms[dir] = []string{"time.Now(", "time.Since(", "time.Until(", "time.After(", "time.NewTimer(", "time.NewTicker(", "\tgo "}
	}
	for dir, calls := range rooms {
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

func list(t *testing.T, format, pkg string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", format, pkg).CombinedOutput()
	if err != nil {
		t.Fatalf("go list %s: %v\n%s", pkg, err, out)
	}
	return strings.Fields(string(out))
}
