package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// curvesFile is the picture, below the module.
const curvesFile = ".pictures/growth.svg"

// point is what so many claims cost.
type point struct {
	Claims int     `json:"claims"`
	Load   float64 `json:"load_s"` // ls, from process start to its end
	Page   float64 `json:"page_s"` // console, from process start to the first full page
	LsRSS  float64 `json:"ls_mib"` // peak memory
	RSS    float64 `json:"console_mib"`
	Fold   float64 `json:"event_model_us"` // an event, applied to the model
	Event  float64 `json:"event_paint_us"` // an event, applied and painted
	Paint  float64 `json:"paint_us"`       // a frame in which all is new
}

// curves measures how costs grow with the number of claims, prints the figures as
// JSON, and draws them.
func curves(ctx context.Context, e *env, out io.Writer) error {
	sizes := []int{1_000, 10_000, 100_000, 1_000_000}
	if e.o.quick {
		sizes = sizes[:2]
	}
	fold, err := e.growth(ctx, "./model", sizes)
	if err != nil {
		return err
	}
	painted, err := e.growth(ctx, "./ui", sizes)
	if err != nil {
		return err
	}
	var points []point
	for _, n := range sizes {
		p := point{Claims: n}
		name := func(what string) string { return fmt.Sprintf("Growth/%s/%d ns/op", what, n) }
		p.Fold, p.Event, p.Paint = fold[name("event")]/2000, painted[name("event")]/1000, painted[name("paint")]/1000 // the model's are two
		if err := e.grown(ctx, &p); err != nil {
			return fmt.Errorf("%d claims: %w", n, err)
		}
		if err := json.NewEncoder(out).Encode(p); err != nil {
			return err
		}
		points = append(points, p)
		if err := e.appendJSON(p); err != nil {
			return err
		}
	}
	path := filepath.Join(e.root, e.o.curves)
	if e.o.quick { // figures that say nothing are not for the repository
		path = filepath.Join(os.TempDir(), filepath.Base(path))
		e.tell("drawing into %s", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(drawGrowth(points, e.about)), 0o644)
}

// growth runs the growth benchmarks of a package for the sizes.
func (e *env) growth(ctx context.Context, pkg string, sizes []int) (map[string]float64, error) {
	all := map[string]float64{}
	for _, n := range sizes {
		got, err := e.benchmarks(ctx, pkg, fmt.Sprintf("^BenchmarkGrowth$/^(event|paint)$/^%d$", n), e.benchTime())
		if err != nil {
			return nil, err
		}
		if len(got) == 0 {
			return nil, fmt.Errorf("%s has no growth benchmarks for %d", pkg, n)
		}
		for k, v := range got {
			all[k] = v
		}
	}
	return all, nil
}

// grown measures the programs on so many claims: medians over the rounds.
func (e *env) grown(ctx context.Context, p *point) error {
	d := dataset{Locks: p.Claims / 10, Claims: 10}
	at, err := e.only(d)
	if err != nil {
		return err
	}
	var load, page, lsRSS, rss []float64
	for range e.o.rounds {
		ls, err := e.measure(ctx, e.locktop, "ls", "-o", "json", "--leases", "none", "--endpoints", at[0])
		if err != nil {
			return err
		}
		s, took, err := e.console(ctx, at[0], d)
		if err != nil {
			return err
		}
		used, err := s.used()
		if err = errors.Join(err, s.close()); err != nil {
			return err
		}
		load, page = append(load, ls.wall.Seconds()), append(page, took.Seconds())
		lsRSS, rss = append(lsRSS, ls.rss), append(rss, used.rss)
	}
	p.Load, p.Page, p.LsRSS, p.RSS = median(load), median(page), median(lsRSS), median(rss)
	return nil
}
