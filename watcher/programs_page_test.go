package watcher

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const programsPage = "PROGRAMS.md"

// TestProgramsPage writes what is shown for whom: every story, in the words by which it is
// checked. -update writes the page anew.
func TestProgramsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# What is shown for whom\n\nWritten by `go test ./watcher -run TestProgramsPage -update` from the stories that the tests check.\n" +
		"*real*: the program itself ran, and its history was recorded. *etcd*: etcd's own packages, services or tools ran.\n" +
		"*calls*: the test made the program's calls to etcd's own packages. *keys*: the keys were written by hand, as the\n" +
		"program's source makes them. kvtools and Scalingo's go-etcd-lock did not run: the Go module proxy refuses both, in\n" +
		"every version, with 403 (asked last on 2026-11-23). Claims are numbered in the order in which\n" +
		"they came; `*` holds, `!` is not a claim and counts all the same, `?` at the end: waiting leaves no key. The question mark\n" +
		"that ls writes behind a recipe that is a guess is left out here.\n\n" +
		"| program | by | what happens | what is shown | how the last one went |\n| --- | --- | --- | --- | --- |\n")
	cell := strings.NewReplacer("|", "\\|", "\n", "<br>")
	for _, group := range []struct {
		how     string
		stories []story
	}{{"real", programs}, {"keys", described}} {
		for _, s := range group.stories {
			how := group.how
			switch {
			case s.name == "kvtools", s.name == "scalingo":
				how = "calls"
			case how == "real" && ofEtcd[s.name]:
				how = "etcd"
			}
			name := s.name
			for _, l := range s.looks {
				fmt.Fprintf(&b, "| %s | %s | %s | `%s` | %s |\n", name, how, l.when, strings.ReplaceAll(cell.Replace(l.see), "<br>", "`<br>`"), l.gone)
				name, how = "", ""
			}
		}
	}
	if *updateFaults {
		if err := os.WriteFile(programsPage, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(programsPage)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(b.String(), string(page)); d != "" {
		t.Errorf("%s (-it is +it says): go test ./watcher -run TestProgramsPage -update\n%s", programsPage, d)
	}
}

// ofEtcd are the stories of what etcd itself ships.
var ofEtcd = map[string]bool{"etcdctl-lock": true, "etcdctl-elect": true, "lock-rpc": true, "election-rpc": true, "rwmutex": true, "double-barrier": true, "data-recipes": true}

var updateFaults = flag.Bool("update", false, "write FAULTS.md, SERVERS.md and PROGRAMS.md anew: every fault for -hold, with the rhythm of the program and not that of the tests")
