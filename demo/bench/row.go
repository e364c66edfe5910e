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
	// What has no other side has no theirs.
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

// result is a figure over all rounds: medians. It is what the table and the file of
// measurements show.
type result struct {
	At     time.Time `json:"at"`
	Row    string    `json:"row"`
	Figure string    `json:"figure,omitempty"`
	Unit   string    `json:"unit,omitempty"`
	Ours   float64   `json:"ours"`
	Theirs float64   `json:"theirs,omitempty"` // 0: there is no other side
	Ratio  *float64  `json:"ratio,omitempty"`
	Low    float64   `json:"low"` // of the ratios, or of ours if there are none
	High   float64   `json:"high"`
	Rounds int       `json:"rounds"`
	Aim    string    `json:"aim,omitempty"`
	Met    *bool     `json:"met,omitempty"`
	Error  string    `json:"error,omitempty"` // alone, of a row that was not measured to its end
	On     string    `json:"on"`
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
		res := result{Row: r.name, Figure: a.figure, Unit: a.unit, Ours: median(ours), Theirs: median(theirs), Rounds: len(ours)}
		spread := ours
		if len(ratios) == len(ours) { // in every round there was another side
			ratio := median(ratios)
			res.Ratio, spread = &ratio, ratios
		}
		res.Low, res.High = slices.Min(spread), slices.Max(spread)
		if res.Met = a.met(res.Ours, res.Ratio); res.Met != nil {
			res.Aim = a.String()
		}
		all = append(all, res)
	}
	return all
}

const tableHead = "| row | figure | ours | theirs | ratio | of rounds | aim | |\n|---|---|---:|---:|---:|---|---|---|\n"

// table is the row in Markdown: a line for each figure.
func (r row) table(results []result) string {
	var b strings.Builder
	name := fmt.Sprintf("**%s**: %s – against %s", r.name, r.what, r.against)
	for _, x := range results {
		if x.Error != "" {
			fmt.Fprintf(&b, "| %s | not measured: %s | | | | | | **missing** |\n", name, strings.NewReplacer("\n", " ", "|", "/").Replace(x.Error))
			continue
		}
		theirs, ratio, wanted, word := "", "", "–", ""
		if x.Theirs != 0 {
			theirs = amount(x.Theirs) + " " + x.Unit
		}
		if x.Ratio != nil {
			ratio = amount(*x.Ratio) + "×"
		}
		if x.Met != nil {
			wanted, word = x.Aim, map[bool]string{true: "met", false: "**missed**"}[*x.Met]
		}
		fmt.Fprintf(&b, "| %s | %s | %s %s | %s | %s | %d: %s to %s | %s | %s |\n", name, x.Figure, amount(x.Ours), x.Unit,
			theirs, ratio, x.Rounds, amount(x.Low), amount(x.High), wanted, word)
		name = ""
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
