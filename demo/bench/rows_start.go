package main

import (
	"context"
	"os"
	"path/filepath"

	"locktop/demo/bench/load"
)

// starts is how often a program is started in a round: one takes too little time.
const starts = 20

// startRow is what a program costs before it does anything: its file, and its start.
func startRow(o options) row {
	side := func(locktop bool) measurement {
		return func(ctx context.Context, e *env, _ []string) (figures, error) {
			line, build := []string{e.program.path, "version"}, "."
			dir := e.program.root
			if !locktop {
				line, build, dir = []string{e.etcdctl, "version"}, "go.etcd.io/etcd/etcdctl/v3", "."
			}
			size, err := e.stripped(ctx, dir, build, line[0])
			if err != nil {
				return nil, err
			}
			var walls, cpus, peaks []float64
			for range o.size(starts, 3) {
				u, err := e.measure(ctx, line...)
				if err != nil {
					return nil, err
				}
				walls, cpus, peaks = append(walls, load.Milliseconds(u.wall)), append(cpus, load.Milliseconds(u.cpu)), append(peaks, u.rss)
			}
			return figures{"binary": size, "`version`: wall": median(walls), "`version`: processor": median(cpus), "`version`: peak memory": median(peaks)}, nil
		}
	}
	return row{name: "start", what: "the binary without symbols, as it is released, and its start: `version`", against: "`etcdctl` built the same way", program: true,
		aims: []aim{{"binary", "MiB", shown, 0}, {"`version`: wall", "ms", shown, 0}, {"`version`: processor", "ms", shown, 0}, {"`version`: peak memory", "MiB", shown, 0}},
		ours: side(true), theirs: side(false)}
}

// stripped is the size in MiB of what a build in a folder yields without symbols. A program of
// which there are no sources is as large as it is. What stays is not linked again in the next round.
func (e *env) stripped(ctx context.Context, dir, build, program string) (float64, error) {
	if dir != "" {
		to := filepath.Join(e.dir, filepath.Base(program)+"-stripped")
		if _, err := e.run(ctx, dir, "go", "build", "-ldflags=-s -w", "-o", to, build); err != nil {
			return 0, err
		}
		program = to
	}
	is, err := os.Stat(program)
	if err != nil {
		return 0, err
	}
	return float64(is.Size()) / (1 << 20), nil
}
