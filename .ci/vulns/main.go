// Vulns looks for known weaknesses in what locktop is built and tested with: it compares
// the versions of the modules and of Go with the list in known.txt, which needs no
// network, and asks govulncheck too where its database can be reached. It says which of
// the two it did. The exit code is 1 if there is a weakness, 2 if it could not look.
//
//	go run ./.ci/vulns [FOLDER OF A MODULE]...
package main

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/mod/semver"
)

const (
	// govulncheck is the release that is asked.
	govulncheck = "golang.org/x/vuln/cmd/govulncheck@v1.9.0"
	// database is govulncheck's, unless GOVULNDB names another.
	database = "https://vuln.go.dev"
	// answersWithin is what the database has to answer.
	answersWithin = 10 * time.Second
	// standardLibrary is what the list calls Go itself.
	standardLibrary = "stdlib"
)

//go:embed known.txt
var knownText string

func main() {
	dirs := os.Args[1:]
	if len(dirs) == 0 {
		dirs = []string{"."}
	}
	bad, err := look(os.Stdout, dirs)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "vulns:", err)
		os.Exit(2)
	case bad:
		os.Exit(1)
	}
}

// look says whether the modules in dirs use anything with a known weakness.
func look(out io.Writer, dirs []string) (bad bool, err error) {
	known, err := parseKnown(knownText)
	if err != nil {
		return false, err
	}
	for _, dir := range dirs {
		mods, err := used(dir)
		if err != nil {
			return false, err
		}
		found := compare(mods, known)
		for _, line := range found {
			fmt.Fprintln(out, line)
		}
		bad = bad || len(found) > 0
		fmt.Fprintf(out, "%s: %d modules compared with the %d entries of known.txt: %d to mend\n", dir, len(mods), len(known), len(found))
	}
	db := database
	if set := os.Getenv("GOVULNDB"); set != "" {
		db = set
	}
	if err := reachable(db); err != nil {
		fmt.Fprintf(out, "govulncheck was not asked, so what is newer than known.txt is not seen: %v\n", err)
		return bad, nil
	}
	for _, dir := range dirs {
		fmt.Fprintf(out, "%s: govulncheck, with the database at %s\n", dir, db)
		cmd := exec.Command("go", "run", govulncheck, "-test", "./...")
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, os.Stderr
		if err := cmd.Run(); errors.As(err, new(*exec.ExitError)) {
			bad = true // it has said why
		} else if err != nil {
			return bad, fmt.Errorf("govulncheck: %w", err)
		}
	}
	return bad, nil
}

// reachable is an error if the database does not answer.
func reachable(db string) error {
	answer, err := (&http.Client{Timeout: answersWithin}).Get(strings.TrimSuffix(db, "/") + "/index/db.json")
	if err != nil {
		return err
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", db, answer.Status)
	}
	return nil
}

// A module is what `go list` prints of one, and Go itself.
type module struct {
	Path, Version string
	Main          bool
	Replace       *module
}

// used are the modules whose packages are built, tested or run as tools in dir, and Go
// itself. A module that only stands in the graph of requirements does no harm.
func used(dir string) ([]module, error) {
	list, err := output(dir, "list", "-deps", "-test", "-json=Module", "./...", "tool")
	if err != nil {
		return nil, err
	}
	mods, err := parseModules(list)
	if err != nil {
		return nil, err
	}
	version, err := output(dir, "env", "GOVERSION")
	if err != nil {
		return nil, err
	}
	return append(mods, module{Path: standardLibrary, Version: goVersion(string(version))}), nil
}

func output(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s in %s: %w", strings.Join(args, " "), dir, err)
	}
	return out, nil
}

// parseModules reads the packages that `go list -json=Module` prints, and returns each
// module once, without those that are ours.
func parseModules(list []byte) ([]module, error) {
	var all []module
	seen := map[string]bool{}
	for dec := json.NewDecoder(bytes.NewReader(list)); ; {
		var p struct{ Module *module }
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, fmt.Errorf("what go list prints: %w", err)
		}
		m := p.Module
		if m == nil || m.Main || m.Path == "locktop" || seen[m.Path] {
			continue
		}
		seen[m.Path] = true
		all = append(all, *m)
	}
}

// goVersion makes a version to compare of Go's own ("go1.26.8", "go1.27rc2 X:loopvar"),
// "" of one that is no release.
func goVersion(s string) string {
	v, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	v, _, _ = strings.Cut(v, "-") // of a vendor
	v, ok := strings.CutPrefix(v, "go")
	if !ok {
		return ""
	}
	for _, pre := range []string{"rc", "beta"} {
		if release, n, ok := strings.Cut(v, pre); ok {
			v = release + ".0-" + pre + "." + n
		}
	}
	if !semver.IsValid("v" + v) {
		return ""
	}
	return "v" + v
}

// A weakness is one line of the list.
type weakness struct {
	module   string
	affected []span
	id, what string
}

// A span is the versions from one, or the first if empty, up to the one that mends it.
type span struct{ from, fixed string }

// parseKnown reads the list.
func parseKnown(text string) ([]weakness, error) {
	var all []weakness
	n := 0
	for s := bufio.NewScanner(strings.NewReader(text)); s.Scan(); {
		n++
		line := strings.TrimSpace(s.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Fields(line)
		if len(f) < 4 {
			return nil, fmt.Errorf("known.txt:%d: want MODULE FROM..FIXED[,FROM..FIXED] ID WORDS", n)
		}
		w := weakness{module: f[0], id: f[2], what: strings.Join(f[3:], " ")}
		for _, part := range strings.Split(f[1], ",") {
			from, fixed, ok := strings.Cut(part, "..")
			if !ok || !semver.IsValid("v"+fixed) || from != "" && !semver.IsValid("v"+from) {
				return nil, fmt.Errorf("known.txt:%d: %q: want FROM..FIXED, versions without a v, and nothing before the dots where all earlier ones have it", n, part)
			}
			x := span{fixed: "v" + fixed}
			if from != "" {
				x.from = "v" + from
			}
			w.affected = append(w.affected, x)
		}
		all = append(all, w)
	}
	return all, nil
}

// compare says which modules have which weakness, a line each. A replaced module is what
// it is replaced with. One that has no version cannot be compared, which is no better.
func compare(mods []module, known []weakness) []string {
	var lines []string
	for _, m := range mods {
		if m.Replace != nil {
			m = *m.Replace
		}
		if !semver.IsValid(m.Version) {
			lines = append(lines, fmt.Sprintf("%s has no version (%q) that could be compared: use a release", m.Path, m.Version))
			continue
		}
		for _, w := range known {
			if fixed := w.fixedIn(m); fixed != "" {
				lines = append(lines, fmt.Sprintf("%s %s has %s (%s): use %s", m.Path, m.Version, w.id, w.what, fixed))
			}
		}
	}
	return lines
}

// fixedIn is the version that mends m, "" if nothing has to be mended.
func (w weakness) fixedIn(m module) string {
	if w.module != m.Path {
		return ""
	}
	for _, x := range w.affected {
		if (x.from == "" || semver.Compare(m.Version, x.from) >= 0) && semver.Compare(m.Version, x.fixed) < 0 {
			return x.fixed
		}
	}
	return ""
}
