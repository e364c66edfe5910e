package main

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// benchTime is the -test.benchtime of the benchmarks of packages.
func (e *env) benchTime() string {
	if e.o.quick {
		return "1x"
	}
	return "1s"
}

// procs is the number of processors that a benchmark's name ends with.
var procs = regexp.MustCompile(`-\d+$`)

// benchmarks runs those of a package that match, and returns their figures by "name
// unit", the name without "Benchmark". The test program is compiled once.
func (e *env) benchmarks(ctx context.Context, pkg, match, benchtime string) (map[string]float64, error) {
	if e.tests[pkg] == "" {
		path := filepath.Join(e.dir, filepath.Base(pkg)+".test")
		e.tell("building the benchmarks of %s", pkg)
		build := exec.CommandContext(ctx, "go", "test", "-c", "-o", path, pkg)
		build.Dir = e.root
		if out, err := build.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build the benchmarks of %s: %w: %s", pkg, err, out)
		}
		e.tests[pkg] = path
	}
	cmd := e.command(ctx, e.tests[pkg], "-test.run", "^$", "-test.bench", match, "-test.benchtime", benchtime, "-test.timeout", "30m")
	cmd.Dir = filepath.Join(e.root, pkg)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("run the benchmarks of %s: %w: %s", pkg, err, bytes.TrimSpace(out))
	}
	figures := map[string]float64{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 4 || !strings.HasPrefix(f[0], "Benchmark") {
			continue
		}
		name := procs.ReplaceAllString(strings.TrimPrefix(f[0], "Benchmark"), "")
		for i := 2; i+1 < len(f); i += 2 {
			v, err := strconv.ParseFloat(f[i], 64)
			if err != nil {
				return nil, fmt.Errorf("the benchmarks of %s say %q: %w", pkg, line, err)
			}
			figures[name+" "+f[i+1]] = v
		}
	}
	return figures, nil
}
