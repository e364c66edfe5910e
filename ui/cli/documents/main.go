// Documents writes the documents that are made of the program. The package that a document belongs
// to has the line for go generate in its doc.go:
//
//	go run locktop/ui/cli/documents NAME FILE
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
	"locktop/demo/drills"
	"locktop/model"
	"locktop/model/findings"
	"locktop/model/text"
	"locktop/ui"
	"locktop/ui/cli"
)

// Files of measurements, from the folder of the document that they go into.
const (
	drillRuns = "testdata/runs.jsonl"
	figures   = "testdata/measured.json"
)

// documents make the text of each, given what the file has now.
var documents = map[string]func(old []byte) (string, error){
	"commands":    func([]byte) (string, error) { return cli.CommandsPage(), nil },
	"drill-files": func([]byte) (string, error) { return drill.Page(), nil },
	"drills":      drillsPage,
	"findings":    func([]byte) (string, error) { return findingsPage() },
	"keys":        func([]byte) (string, error) { return keysPage(), nil },
	"notices":     notices,
	"promises":    func([]byte) (string, error) { return promisesPage() },
}

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "documents:", err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 2 || documents[args[0]] == nil {
		return errors.New("want the name of a document and its file")
	}
	old, err := os.ReadFile(args[1])
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	text, err := documents[args[0]](old)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return os.WriteFile(args[1], []byte(text), 0o644)
}

func keysPage() string {
	var b strings.Builder
	b.WriteString("# Keys of the console\n\nWritten by `go generate ./ui`; do not edit. `?` shows the keys of one screen.\n\n" +
		"| key | where | what | needs |\n| --- | --- | --- | --- |\n")
	for _, k := range ui.Keys() {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", strings.ReplaceAll(k.Keys, "|", `\|`), k.Where, k.What, k.Needs)
	}
	return b.String()
}

func promisesPage() (string, error) {
	measured := map[string]string{}
	text, err := os.ReadFile(figures)
	if err == nil {
		err = json.Unmarshal(text, &measured)
	}
	if err != nil {
		return "", err
	}
	return cli.PromisesPage(measured)
}

// drillsPage puts the table of all runs in the place of the one that the page has.
func drillsPage(old []byte) (string, error) {
	file, err := os.Open(drillRuns)
	if err != nil {
		return "", err
	}
	defer file.Close()
	var runs []runner.Row
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var one runner.Row
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return "", fmt.Errorf("%s:%d: %w", drillRuns, len(runs)+1, err)
		}
		runs = append(runs, one)
	}
	var table bytes.Buffer
	if err := errors.Join(lines.Err(), runner.Table(&table, runs)); err != nil {
		return "", err
	}
	before, rest, ok := strings.Cut(string(old), "| Drill |")
	_, after, ended := strings.Cut(rest, "\n\n")
	if !ok || !ended {
		return "", errors.New("the page has no table of drills")
	}
	return before + table.String() + "\n" + after, nil
}

func findingsPage() (string, error) {
	shown, err := drillsOf()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# Findings\n\n" +
		"Written by `go generate ./model`; do not edit. `locktop explain CODE` tells more of each.\n\n" +
		"*Worst* is the severity at its worst, *Needs* what it takes to find it, *At best* the most that may be claimed from etcd\n" +
		"alone. `locktop drill run` shows those that have a drill. `go test -tags slow ./demo -run TestFindings` builds a situation for each\n" +
		"code, and its healthy neighbour, of which nothing false may be said at any time.\n\n" +
		"| Code | What it is | Worst | Needs | At best | Drill |\n|---|---|---|---|---|---|\n")
	var missing []findings.Entry
	for _, e := range findings.Catalogue() {
		if !e.NotFound.IsZero() {
			missing = append(missing, e)
			continue
		}
		var needs []string
		for _, n := range e.Needs {
			needs = append(needs, string(n))
		}
		best := "—"
		if e.Needs[0] == findings.NeedsEtcd {
			best = string(e.Confidence)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", e.Code, text.English(e.Title), e.Severity, strings.Join(needs, ", "), best, strings.Join(shown[e.Code], ", "))
	}
	b.WriteString("\n## What locktop does not find yet\n\n`explain` knows these, too.\n\n| Code | What it is | Why not |\n|---|---|---|\n")
	for _, e := range missing {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", e.Code, text.English(e.Title), text.English(e.NotFound))
	}
	return b.String(), nil
}

// drillsOf returns the built-in drills that expect each finding.
func drillsOf() (map[model.Code][]string, error) {
	all, err := drills.All()
	if err != nil {
		return nil, err
	}
	of := map[model.Code][]string{}
	for _, d := range all {
		for _, x := range d.Expect {
			if name := "`" + d.Name + "`"; x.Name == "finding" && !slices.Contains(of[x.Code], name) {
				of[x.Code] = append(of[x.Code], name)
			}
		}
	}
	return of, nil
}
