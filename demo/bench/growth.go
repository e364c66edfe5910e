package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"locktop/demo/bench/load"
)

// curvesFile is the picture, below the module of the program.
const curvesFile = ".pictures/growth.svg"

// point is what so many claims cost: seconds, MiB, and µs of the model and of ui.
type point struct {
	Claims  int     `json:"claims"`
	Figures figures `json:"figures"`
}

// curves measures how costs grow with the number of claims, prints the figures as
// JSON, and draws them.
func curves(ctx context.Context, e *env, out io.Writer) error {
	sizes := []int{1_000, 10_000, 100_000, 1_000_000}
	if e.o.quick {
		sizes = sizes[:2]
	}
	var points []point
	for _, n := range sizes {
		got, err := e.grown(ctx, n)
		if err != nil {
			return fmt.Errorf("%d claims: %w", n, err)
		}
		points = append(points, point{n, got})
		if err := json.NewEncoder(out).Encode(points[len(points)-1]); err != nil {
			return err
		}
	}
	path := filepath.Join(e.program.root, curvesFile)
	if e.o.quick { // figures that say nothing are not for the repository
		path = filepath.Join(os.TempDir(), filepath.Base(path))
		e.tell("drawing into %s", path)
	}
	return os.WriteFile(path, []byte(drawGrowth(points, e.about)), 0o644)
}

// grown measures so many claims: the programs, medians over the rounds, and the
// benchmarks of packages.
func (e *env) grown(ctx context.Context, claims int) (figures, error) {
	event, paint := fmt.Sprintf("Growth/event/%d µs/op", claims), fmt.Sprintf("Growth/paint/%d µs/op", claims)
	match := fmt.Sprintf("^BenchmarkGrowth$/^(event|paint)$/^%d$", claims)
	got, err := e.benchmarks(ctx, "./ui", match, map[string]string{"event: painted": event, "paint": paint})
	if err != nil {
		return nil, err
	}
	fold, err := e.benchmarks(ctx, "./model/store", match, map[string]string{"event": event})
	if err != nil {
		return nil, err
	}
	got["event: model"] = fold["event"] / 2 // there are two in it
	d := load.Dataset{Locks: claims / 10, Claims: 10}
	at, err := e.only(d)
	if err != nil {
		return nil, err
	}
	all := map[string][]float64{}
	for range e.o.rounds {
		looked, err := e.look(ctx, at[0], d, 0)
		if err != nil {
			return nil, err
		}
		for figure, v := range looked {
			all[figure] = append(all[figure], v)
		}
	}
	for figure, v := range all {
		got[figure] = median(v)
	}
	return got, nil
}
