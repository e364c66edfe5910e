package runner

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/chaos/drill"
)

// Threshold is a bound over all runs of a drill: the percentile of what an expectation
// measured has to be below it.
type Threshold struct {
	Name       string
	Percentile int // 100 is the worst
	Below      time.Duration
}

var thresholdForm = regexp.MustCompile(`^([a-z-]+) +(max|p[1-9][0-9]?) *< *(\S+)$`)

// ParseThreshold reads "NAME p95 < 6s", or max for the worst.
func ParseThreshold(s string) (Threshold, error) {
	m := thresholdForm.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return Threshold{}, fmt.Errorf("want NAME pNN < DURATION, like handover p95 < 6s, or max")
	}
	t := Threshold{Name: m[1], Percentile: 100}
	if !slices.Contains(drill.Timed(), t.Name) {
		return t, fmt.Errorf("there is no expectation %q that measures a time: want one of %s", t.Name, strings.Join(drill.Timed(), ", "))
	}
	if m[2] != "max" {
		t.Percentile, _ = strconv.Atoi(m[2][1:]) // its form says that it is a number
	}
	var err error
	if t.Below, err = time.ParseDuration(m[3]); err == nil && t.Below <= 0 {
		err = fmt.Errorf("%s: want more than 0", m[3])
	}
	return t, err
}

// ParseThresholds reads several.
func ParseThresholds(texts []string) (all []Threshold, err error) {
	for _, text := range texts {
		t, err := ParseThreshold(text)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", text, err)
		}
		all = append(all, t)
	}
	return all, nil
}

// Fits says whether a drill measures what a threshold is about.
func (t Threshold) Fits(d *drill.Drill) bool {
	return slices.ContainsFunc(d.Expect, func(e drill.Expectation) bool { return e.Name == t.Name })
}

// measure names the figure: "handover p95".
func (t Threshold) measure() string {
	if t.Percentile == 100 {
		return t.Name + " max"
	}
	return fmt.Sprintf("%s p%d", t.Name, t.Percentile)
}

// String is the threshold as it is written.
func (t Threshold) String() string { return t.measure() + " < " + t.Below.String() }

// Figures are what a run measured, in seconds, by the name of the expectation.
type Figures map[string][]float64

// Figures are those of a run.
func (r Run) Figures() Figures {
	all := Figures{}
	for _, e := range r.Results {
		if e.Measured != nil && e.Unit == drill.Seconds {
			all[e.Name] = append(all[e.Name], *e.Measured)
		}
	}
	return all
}

// Repeats is what came of all runs of a drill together.
type Repeats struct {
	// Asked is how many runs there were to be, Held in how many all held, Violated in how many
	// something did not; of the others it is not known. Need is in how many all has to hold, 0
	// for all.
	Asked, Held, Violated, Need int
	// Checks are the thresholds.
	Checks []Check
}

// Check is what came of a threshold.
type Check struct {
	Threshold
	// Measured is the percentile over Samples runs; nil where none measured it. Missing are
	// the runs that did not.
	Measured         *float64
	Samples, Missing int
	Verdict          drill.Verdict
}

// Together is what came of all runs: those of the report, and those that s counts already. The
// figures are of both.
func (r Report) Together(s Repeats, thresholds []Threshold, figures []Figures) *Repeats {
	for _, round := range r.Rounds {
		switch round.Verdict {
		case drill.Held:
			s.Held++
		case drill.Violated:
			s.Violated++
		}
	}
	for _, t := range thresholds {
		if t.Fits(r.Drill) {
			s.Checks = append(s.Checks, t.Check(s.Asked, figures))
		}
	}
	return &s
}

// Check holds a threshold against the figures of each run that there is. A run without such a
// figure leaves it unknown, unless the others are too slow whatever it had been.
func (t Threshold) Check(asked int, runs []Figures) Check {
	c := Check{Threshold: t, Missing: asked, Verdict: drill.Held}
	var all []float64
	for _, figures := range runs {
		if len(figures[t.Name]) > 0 {
			all = append(all, slices.Max(figures[t.Name]))
		}
	}
	c.Samples = len(all)
	c.Missing -= c.Samples
	slices.Sort(all)
	if c.Samples > 0 {
		at := rank(all, t.Percentile)
		c.Measured = &at
	}
	bound := t.Below.Seconds()
	best := slices.Concat(make([]float64, max(0, c.Missing)), all) // as if what is missing took no time
	switch {
	case len(best) > 0 && rank(best, t.Percentile) >= bound:
		c.Verdict = drill.Violated
	case c.Missing > 0 || c.Samples == 0:
		c.Verdict = drill.Unknown
	}
	return c
}

// rank is the percentile of sorted numbers by the nearest rank: of fewer than 20, p95 is the
// highest.
func rank(sorted []float64, percentile int) float64 {
	return sorted[max(0, int(math.Ceil(float64(len(sorted)*percentile)/100))-1)]
}

// Text says what came of it: "handover p95 of 20 runs: 5.21 s, below 6 s".
func (c Check) Text() string {
	seen := "nothing measured"
	if c.Measured != nil {
		seen = drill.Result{Unit: drill.Seconds, Measured: c.Measured}.Numbers()
	}
	text := fmt.Sprintf("%s of %d runs: %s, to be below %s", c.measure(), c.Samples, seen, c.Below)
	if c.Missing > 0 {
		text += fmt.Sprintf("; %d runs have no such figure", c.Missing)
		if c.Verdict == drill.Unknown {
			text += "; " + drill.ToKnow + "each run has to measure " + c.Name
		}
	}
	return text
}

// Verdict is that of all repeats.
func (s Repeats) Verdict() drill.Verdict {
	worst := s.runs()
	for _, c := range s.Checks {
		worst = drill.Worse(worst, c.Verdict)
	}
	return worst
}

// needs is in how many runs all has to hold.
func (s Repeats) needs() int { return cmp.Or(s.Need, s.Asked) }

// runs is the verdict by the number of runs alone. A run of which nothing is known, or that was
// not done, might have held, and might not.
func (s Repeats) runs() drill.Verdict {
	switch {
	case s.Held >= s.needs():
		return drill.Held
	case s.Asked-s.Violated < s.needs():
		return drill.Violated
	}
	return drill.Unknown
}

// ExitCode is that of all repeats, given the one of its runs.
func (s Repeats) ExitCode(runs int) int {
	if runs == drill.ExitCouldNotRun {
		return runs
	}
	return s.Verdict().ExitCode()
}

// sentence is in how many runs all held.
func (s Repeats) sentence() string {
	text := fmt.Sprintf("held in %d of %d runs", s.Held, s.Asked)
	if n := s.Asked - s.Held - s.Violated; n > 0 {
		text += fmt.Sprintf(", unknown in %d", n)
	}
	return text
}

// flaky says of a drill that held in some runs and not in others which those are, the first of
// each; "" if all came to the same. What both did stands in the report.
func (r Report) flaky() string {
	held, other := -1, -1
	for i, round := range r.Rounds {
		switch {
		case round.Verdict == drill.Held && held < 0:
			held = i
		case round.Verdict != drill.Held && other < 0:
			other = i
		}
	}
	if held < 0 || other < 0 {
		return ""
	}
	n, bad := 0, r.Rounds[other]
	for _, round := range r.Rounds {
		if round.Verdict == drill.Held {
			n++
		}
	}
	return fmt.Sprintf("flaky: held in %d of %d runs; run %d (seed %d) was %s: %s; run %d (seed %d) held",
		n, len(r.Rounds), other+1, bad.Seed, bad.Verdict, bad.worst(), held+1, r.Rounds[held].Seed)
}

// worst says the first expectation that did not hold, as it was seen, or why nothing is known.
func (r Run) worst() string {
	for _, v := range []drill.Verdict{drill.Violated, drill.Unknown} {
		for _, e := range r.Results {
			if e.Verdict == v {
				return e.Called() + ": " + observedWords(e)
			}
		}
	}
	return r.Reason
}

// Text writes the repeats for a terminal.
func (s Repeats) Text(w io.Writer, name string) error {
	need := ""
	if s.Need > 0 {
		need = fmt.Sprintf(", --need %d", s.Need)
	}
	lines := fmt.Sprintf("%s: %s%s\n", name, s.sentence(), need)
	for _, c := range s.Checks {
		lines += fmt.Sprintf("  %-8s  %s\n", c.Verdict, c.Text())
	}
	_, err := io.WriteString(w, lines)
	return err
}

// The shapes of repeats in the JSON report.
type (
	jsonSeries struct {
		Asked      int         `json:"asked"`
		Held       int         `json:"held"`
		Violated   int         `json:"violated"`
		Need       int         `json:"need"`
		Thresholds []jsonCheck `json:"thresholds"`
	}
	jsonCheck struct {
		Threshold string        `json:"threshold"`
		Text      string        `json:"text"`
		Verdict   drill.Verdict `json:"verdict"`
		Measured  *float64      `json:"measured"`
		Bound     float64       `json:"bound"`
		Samples   int           `json:"samples"`
		Missing   int           `json:"missing"`
	}
)

func (s *Repeats) json() *jsonSeries {
	if s == nil {
		return nil
	}
	out := &jsonSeries{s.Asked, s.Held, s.Violated, s.Need, []jsonCheck{}}
	for _, c := range s.Checks {
		out.Thresholds = append(out.Thresholds, jsonCheck{c.String(), c.Text(), c.Verdict, c.Measured, c.Below.Seconds(), c.Samples, c.Missing})
	}
	return out
}
