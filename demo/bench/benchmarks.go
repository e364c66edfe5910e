package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// procs is the number of processors that a benchmark's name ends with.
var procs = regexp.MustCompile(`-\d+$`)

// errNoSources says that one of the programs is known only as a binary.
var errNoSources = errors.New("the benchmarks of packages need the sources of both programs: -against a checkout")

// benchmarks runs those of a package that match, and returns the named figures: of a
// figure, "name unit" without "Benchmark". The test program is compiled once.
func (e *env) benchmarks(ctx context.Context, pkg, match string, named map[string]string) (figures, error) {
	if e.o.against != "" && e.other.root == "" {
		return nil, errNoSources
	}
	dir := filepath.Join(e.program.root, pkg)
	if e.tests[dir] == "" {
		path := filepath.Join(e.dir, fmt.Sprintf("%s%d.test", filepath.Base(pkg), len(e.tests)))
		if _, err := e.run(ctx, dir, "go", "test", "-c", "-o", path, "."); err != nil {
			return nil, err
		}
		e.tests[dir] = path
	}
	long := map[bool]string{true: "1x", false: "1s"}[e.o.quick]
	cmd := e.command(ctx, e.tests[dir], "-test.run", "^$", "-test.bench", match, "-test.benchtime", long, "-test.timeout", "30m")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("run the benchmarks of %s: %w: %s", pkg, err, out)
	}
	all, err := readBenchmarks(string(out))
	if err != nil {
		return nil, fmt.Errorf("run the benchmarks of %s: %w", pkg, err)
	}
	got := figures{}
	for figure, name := range named {
		v, ok := all[name]
		if !ok {
			return nil, fmt.Errorf("%s has no benchmark %q: it has %v", pkg, name, all)
		}
		got[figure] = v
	}
	return got, nil
}

// readBenchmarks reads what a test program prints.
func readBenchmarks(out string) (figures, error) {
	all := figures{}
	for line := range strings.Lines(out) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name := procs.ReplaceAllString(strings.TrimPrefix(f[0], "Benchmark"), "")
		for i := 2; i+1 < len(f); i += 2 {
			v, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", line, err)
			}
			if all[name+" "+f[i+1]] = v; f[i+1] == "ns/op" {
				all[name+" µs/op"] = v / 1000
			}
		}
	}
	return all, nil
}
