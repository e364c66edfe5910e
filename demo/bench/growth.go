package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"locktop/demo/bench/load"
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
	var points []point
	for _, n := range sizes {
		p := point{Claims: n}
		event, paint := fmt.Sprintf("Growth/event/%d µs/op", n), fmt.Sprintf("Growth/paint/%d µs/op", n)
		match := fmt.Sprintf("^BenchmarkGrowth$/^(event|paint)$/^%d$", n)
		fold, err := e.benchmarks(ctx, "./model", match, map[string]string{"event": event})
		if err != nil {
			return err
		}
		painted, err := e.benchmarks(ctx, "./ui", match, map[string]string{"event": event, "paint": paint})
		if err != nil {
			return err
		}
		p.Fold, p.Event, p.Paint = fold["event"]/2, painted["event"], painted["paint"] // the model's are two
		if err := e.grown(ctx, &p); err != nil {
			return fmt.Errorf("%d claims: %w", n, err)
		}
		if err := json.NewEncoder(out).Encode(p); err != nil {
			return err
		}
		points = append(points, p)
		if err := keep(e, p); err != nil {
			return err
		}
	}
	path := filepath.Join(e.program.root, curvesFile)
	if e.o.quick { // figures that say nothing are not for the repository
		path = filepath.Join(os.TempDir(), filepath.Base(path))
		e.tell("drawing into %s", path)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(drawGrowth(points, e.about)), 0o644)
}

// grown measures the programs on so many claims: medians over the rounds.
func (e *env) grown(ctx context.Context, p *point) error {
	d := load.Dataset{Locks: p.Claims / 10, Claims: 10}
	at, err := e.only(d)
	if err != nil {
		return err
	}
	var loads, pages, lsRSS, rss []float64
	for range e.o.rounds {
		ls, err := e.measure(ctx, e.locktopAt(at[0], lsJSON...)...)
		if err != nil {
			return err
		}
		err = e.onConsole(ctx, at[0], d, func(s *screen, page time.Duration) error {
			used, err := s.used()
			pages, rss = append(pages, page.Seconds()), append(rss, used.rss)
			return err
		})
		if err != nil {
			return err
		}
		loads, lsRSS = append(loads, ls.wall.Seconds()), append(lsRSS, ls.rss)
	}
	p.Load, p.Page, p.LsRSS, p.RSS = median(loads), median(pages), median(lsRSS), median(rss)
	return nil
}
