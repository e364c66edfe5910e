package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"locktop/demo/bench/load"
)

// row is one row of the table: what is measured, against what, and what it should be.
type row struct {
	name, what, against string
	aims                []aim
	// program says that ours runs locktop, so that two of them can be compared.
	program bool
	// most bounds the rounds, 0: no more than the flags say.
	most int
	// data is what servers hold; no other runs meanwhile.
	data []load.Dataset
	// ours and theirs measure a side once, with the endpoint of each of the servers.
	// A row without another side has no theirs.
	ours, theirs measurement
}

// measurement measures one side of a row.
type measurement func(ctx context.Context, e *env, at []string) (figures, error)

// figures are what was measured, by name.
type figures map[string]float64

// sample is what one round measured: ours, theirs.
type sample [2]figures

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

// sameAs is how far a figure may be from that of another locktop: 5 %.
const sameAs = 0.05

// beside is the aim where the other side is another locktop.
func (a aim) beside() aim {
	switch {
	case a.kind == shown || a.kind == below && a.bound == 0:
	case a.kind == keeps:
		a.bound = 1 - sameAs
	default:
		a.kind, a.bound = atMost, 1+sameAs
	}
	return a
}

// beside is the row with another locktop on the other side; one that runs none measures
// nothing.
func (r row) beside(other string) row {
	if !r.program {
		return row{}
	}
	for i := range r.aims {
		r.aims[i] = r.aims[i].beside()
	}
	r.against, r.theirs = "`"+other+"`", nil
	return r
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

// ratio compares the sides in the direction of the aim.
func (a aim) ratio(ours, theirs float64) (r float64, ok bool) {
	switch {
	case theirs == 0 || a.kind == below:
		return 0, false
	case a.kind == faster:
		return theirs / ours, true
	}
	return ours / theirs, true
}

// met says whether the aim was reached, nil where there is none.
func (a aim) met(ours float64, ratio *float64) *bool {
	met := false
	switch {
	case a.kind == shown:
		return nil
	case a.kind == below:
		met = ours <= a.bound
	case ratio != nil && a.kind == atMost:
		met = *ratio <= a.bound
	case ratio != nil:
		met = *ratio >= a.bound
	}
	return &met
}

// result is a figure over all rounds: medians.
type result struct {
	aim          aim
	rounds       int
	ours, theirs float64  // 0: there is no other side
	ratio        *float64 // nil likewise
	low, high    float64  // of the ratios, or of ours if there are none
	met          *bool    // nil: there is no aim
}

// rowLimit is the longest time for a row, besides that of serve.
const rowLimit = 45 * time.Minute

// measure runs the rounds. After an error the rounds before it count.
func (r row) measure(ctx context.Context, e *env) ([]sample, error) {
	ctx, cancel := context.WithTimeout(ctx, rowLimit+e.o.serve)
	defer cancel()
	rounds := e.o.rounds
	if r.most > 0 {
		rounds = min(rounds, r.most)
	}
	var samples []sample
	for round := range rounds {
		e.tell("%s: round %d of %d", r.name, round+1, rounds)
		began := time.Now()
		s, err := r.round(ctx, e, round)
		if err != nil {
			return samples, fmt.Errorf("round %d, after %s: %w", round+1, time.Since(began).Round(time.Millisecond), err)
		}
		samples = append(samples, s)
	}
	return samples, nil
}

// round measures the sides one after the other, which one first the round says.
func (r row) round(ctx context.Context, e *env, round int) (s sample, err error) {
	at, err := e.only(r.data...)
	if err != nil {
		return s, err
	}
	measure := [2]measurement{r.ours, r.theirs}
	programs := [2]program{e.today, e.today}
	if e.o.against != "" {
		measure[1], programs[1] = r.ours, e.other
	}
	for i := range measure {
		if i = (i + round) % 2; measure[i] == nil {
			continue
		}
		e.program = programs[i]
		if s[i], err = measure[i](ctx, e, at); err != nil {
			return s, err
		}
	}
	return s, nil
}

// results are the medians of each figure that was measured, in the order of the aims.
func (r row) results(samples []sample) []result {
	var all []result
	for _, a := range r.aims {
		var ours, theirs, ratios []float64
		for _, s := range samples {
			v, ok := s[0][a.figure]
			if !ok {
				continue
			}
			ours, theirs = append(ours, v), append(theirs, s[1][a.figure])
			if ratio, ok := a.ratio(v, s[1][a.figure]); ok {
				ratios = append(ratios, ratio)
			}
		}
		if len(ours) == 0 {
			continue
		}
		res := result{aim: a, rounds: len(ours), ours: median(ours), theirs: median(theirs)}
		spread := ours
		if len(ratios) == len(ours) { // in every round there was another side
			ratio := median(ratios)
			res.ratio, spread = &ratio, ratios
		}
		res.low, res.high, res.met = slices.Min(spread), slices.Max(spread), a.met(res.ours, res.ratio)
		all = append(all, res)
	}
	return all
}

const tableHead = "| row | figure | ours | theirs | ratio | of rounds | aim | |\n|---|---|---:|---:|---:|---|---|---|\n"

// table is the row in Markdown: a line for each figure, and one if it was not measured
// to its end.
func (r row) table(results []result, failed error) string {
	var b strings.Builder
	name := fmt.Sprintf("**%s**: %s – against %s", r.name, r.what, r.against)
	for _, x := range results {
		theirs, ratio, word := "", "", ""
		if x.theirs != 0 {
			theirs = amount(x.theirs) + " " + x.aim.unit
		}
		if x.ratio != nil {
			ratio = amount(*x.ratio) + "×"
		}
		if x.met != nil {
			word = map[bool]string{true: "met", false: "**missed**"}[*x.met]
		}
		fmt.Fprintf(&b, "| %s | %s | %s %s | %s | %s | %d: %s to %s | %s | %s |\n", name, x.aim.figure, amount(x.ours), x.aim.unit,
			theirs, ratio, x.rounds, amount(x.low), amount(x.high), x.aim, word)
		name = ""
	}
	if failed != nil {
		fmt.Fprintf(&b, "| %s | not measured: %s | | | | | | **missing** |\n", name, strings.NewReplacer("\n", " ", "|", "/").Replace(failed.Error()))
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

// median leaves what it is given as it is.
func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
