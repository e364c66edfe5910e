package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// row is one row of the table: what is measured, against what, and what it should be.
type row struct {
	name, what, against string
	aims                []aim
	// most bounds the rounds, 0: no more than the flags say.
	most int
	// run measures one round. Even rounds begin with ours, odd ones with theirs.
	run func(ctx context.Context, e *env, round int) (sample, error)
}

// pair is one figure of both sides. What has no other side has no theirs.
type pair struct{ ours, theirs float64 }

// sample is what one round measured, by the name of the figure.
type sample map[string]pair

// kind says what an aim compares.
type kind int

const (
	shown  kind = iota // there is no aim, the figure stands beside the others
	atMost             // ours is at most bound times theirs
	keeps              // ours is at least bound times theirs
	faster             // theirs is at least bound times ours
	below              // ours is at most bound
)

// aim is a figure of a row and what it should be.
type aim struct {
	figure, unit string
	kind         kind
	bound        float64
}

// String is the aim as the table says it.
func (a aim) String() string {
	switch a.kind {
	case atMost:
		return fmt.Sprintf("≤ %g×", a.bound)
	case keeps:
		return fmt.Sprintf("≥ %g×", a.bound)
	case faster:
		return fmt.Sprintf("≥ %g× faster", a.bound)
	case below:
		return fmt.Sprintf("≤ %g %s", a.bound, a.unit)
	}
	return "–"
}

// ratio compares the sides in the direction of the aim; NaN without another side.
func (a aim) ratio(p pair) float64 {
	switch {
	case p.theirs == 0 || a.kind == below:
		return math.NaN()
	case a.kind == faster:
		return p.theirs / p.ours
	}
	return p.ours / p.theirs
}

// met says whether the aim was reached.
func (a aim) met(ours, ratio float64) bool {
	switch a.kind {
	case atMost:
		return ratio <= a.bound
	case keeps, faster:
		return ratio >= a.bound
	case below:
		return ours <= a.bound
	}
	return true
}

// result is a figure over all rounds: medians.
type result struct {
	aim                 aim
	rounds              int
	ours, theirs, ratio float64 // theirs 0 and ratio NaN: no other side
	low, high           float64 // of the ratios, or of ours if there is none
	met                 bool
}

// measure runs the rounds. After an error the rounds before it count.
func (r row) measure(ctx context.Context, e *env) ([]sample, error) {
	ctx, cancel := context.WithTimeout(ctx, e.o.limit)
	defer cancel()
	rounds := e.o.rounds
	if r.most > 0 {
		rounds = min(rounds, r.most)
	}
	var samples []sample
	for round := range rounds {
		e.tell("%s: round %d of %d", r.name, round+1, rounds)
		began := time.Now()
		s, err := r.run(ctx, e, round)
		if err != nil {
			return samples, fmt.Errorf("round %d, after %s: %w", round+1, time.Since(began).Round(time.Millisecond), err)
		}
		samples = append(samples, s)
	}
	return samples, nil
}

// results are the medians of each figure that was measured, in the order of the aims.
func (r row) results(samples []sample) []result {
	var all []result
	for _, a := range r.aims {
		var ours, theirs, ratios []float64
		for _, s := range samples {
			if p, ok := s[a.figure]; ok {
				ours, theirs, ratios = append(ours, p.ours), append(theirs, p.theirs), append(ratios, a.ratio(p))
			}
		}
		if len(ours) == 0 {
			continue
		}
		res := result{aim: a, rounds: len(ours), ours: median(ours), theirs: median(theirs), ratio: median(ratios)}
		spread := ratios
		if math.IsNaN(res.ratio) {
			spread = ours
		}
		res.low, res.high = slices.Min(spread), slices.Max(spread)
		res.met = a.met(res.ours, res.ratio)
		all = append(all, res)
	}
	return all
}

const tableHead = "| row | figure | ours | theirs | ratio | of rounds | aim | |\n|---|---|---:|---:|---:|---|---|---|\n"

// table is the row in Markdown: a line for each figure.
func (r row) table(results []result, err error) string {
	var b strings.Builder
	name := fmt.Sprintf("**%s**: %s – against %s", r.name, r.what, r.against)
	for _, x := range results {
		theirs, ratio := "", ""
		if x.theirs != 0 {
			theirs = amount(x.theirs) + " " + x.aim.unit
		}
		if !math.IsNaN(x.ratio) {
			ratio = amount(x.ratio) + "×"
		}
		word := ""
		if x.aim.kind != shown {
			word = map[bool]string{true: "met", false: "**missed**"}[x.met]
		}
		fmt.Fprintf(&b, "| %s | %s | %s %s | %s | %s | %d: %s to %s | %s | %s |\n", name, x.aim.figure, amount(x.ours), x.aim.unit,
			theirs, ratio, x.rounds, amount(x.low), amount(x.high), x.aim, word)
		name = ""
	}
	if err != nil {
		fmt.Fprintf(&b, "| %s | not measured: %s | | | | | | **missing** |\n", name, strings.NewReplacer("\n", " ", "|", "/").Replace(err.Error()))
	}
	return b.String()
}

// amount is a figure with three digits that count.
func amount(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100:
		return fmt.Sprintf("%.0f", v)
	case a >= 10:
		return fmt.Sprintf("%.1f", v)
	case a >= 0.1 || a == 0:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.4f", v)
}

// median leaves what it is given as it is. It is NaN if one of the values is.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v)) // NaN comes first
	if n := len(v); !math.IsNaN(v[0]) {
		return (v[(n-1)/2] + v[n/2]) / 2
	}
	return math.NaN()
}

// quantile returns the least of the values that this share of them does not exceed,
// 0 if there are none. It sorts them.
func quantile(v []time.Duration, share float64) time.Duration {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[max(int(math.Ceil(share*float64(len(v))))-1, 0)]
}

// ms is a duration in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// both measures the two sides, which one first the round says.
func both(round int, ours, theirs func() error) error {
	if round%2 == 1 {
		ours, theirs = theirs, ours
	}
	if err := ours(); err != nil {
		return err
	}
	return theirs()
}
