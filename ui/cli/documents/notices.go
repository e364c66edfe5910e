package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// targets are the systems that there are releases for.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64", "windows/arm64"}

// notices are the licences and notices of what is linked into locktop.
func notices([]byte) (string, error) {
	var all []linked
	for _, target := range targets {
		found, err := linkedFor(target)
		if err != nil {
			return "", err
		}
		all = append(all, found...)
	}
	return compose(all)
}

// linked is a package that is linked, with its module.
type linked struct {
	module    string // with its version
	root, dir string // folders of the module and of the package
}

// goItself is what the standard library and the runtime are called.
const goItself = "Go, its runtime and standard library"

// linkedFor are the packages that are linked for a system, but for ours.
func linkedFor(target string) ([]linked, error) {
	system, arch, _ := strings.Cut(target, "/")
	cmd := exec.Command("go", "list", "-deps", "-json=Dir,Module,Standard", "locktop")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list for %s: %w\n%s", target, err, &errs)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOROOT: %w", err)
	}
	goroot := strings.TrimSpace(string(root))
	all := []linked{{goItself, goroot, goroot}}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Dir      string
			Standard bool
			Module   *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if p.Module != nil && !p.Module.Main {
			all = append(all, linked{p.Module.Path + " " + p.Module.Version, p.Module.Dir, p.Dir})
		}
	}
}

// legal are the names of files with a licence or a notice.
var legal = regexp.MustCompile(`(?i)^((un)?licen[cs]e|copying|copyright|notice|patents)([.-].*)?$`)

// code are the endings of files that only have such a name.
var code = []string{".go", ".sh", ".py", ".json", ".yaml"}

// textsOf are the licences and notices in the folder of a package and those above it,
// up to its module's, which has to have one.
func textsOf(l linked) ([]string, error) {
	var texts []string
	for dir := l.dir; ; dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if !legal.MatchString(e.Name()) || e.IsDir() || slices.Contains(code, filepath.Ext(e.Name())) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			texts = append(texts, tidy(string(text)))
		}
		if dir == l.root {
			break
		}
		if !strings.HasPrefix(dir, l.root) {
			return nil, fmt.Errorf("%s is not in %s", l.dir, l.root)
		}
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s has no licence in %s: see whether it may be linked", l.module, l.root)
	}
	return texts, nil
}

// tidy is a text without what cannot be seen.
func tidy(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		b.WriteString(strings.TrimRight(line, " \t\r\n\f") + "\n")
	}
	return strings.Trim(b.String(), "\n") + "\n"
}

const head = `locktop is licensed under the Apache License, Version 2.0. Linked into it are modules of
others. These are their licences and notices. Each text stands once, below the modules
that have it.
`

// compose writes the notices of what is linked.
func compose(all []linked) (string, error) {
	type entry struct {
		text string
		of   map[string]bool
	}
	entries := map[string]*entry{} // by the words
	for _, l := range all {
		texts, err := textsOf(l)
		if err != nil {
			return "", err
		}
		for _, text := range texts {
			words := strings.Join(strings.Fields(text), " ")
			if entries[words] == nil {
				entries[words] = &entry{text: text, of: map[string]bool{}}
			}
			e := entries[words]
			e.text = min(e.text, text) // whichever comes first
			e.of[l.module] = true
		}
	}
	first := func(e *entry) string { return slices.Min(slices.Collect(maps.Keys(e.of))) }
	sorted := slices.SortedFunc(maps.Values(entries), func(a, b *entry) int {
		return cmp.Or(len(b.of)-len(a.of), strings.Compare(first(a), first(b)), strings.Compare(a.text, b.text))
	})
	var b strings.Builder
	b.WriteString(head)
	for _, e := range sorted {
		b.WriteString("\n" + strings.Repeat("=", 80) + "\n")
		for _, m := range slices.Sorted(maps.Keys(e.of)) {
			b.WriteString("  - " + m + "\n")
		}
		b.WriteString("\n" + e.text)
	}
	return b.String(), nil
}
