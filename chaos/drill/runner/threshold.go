package runner

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

// Threshold is a bound over all runs of a drill: the percentile of what an expectation measured has to
// be below it.
type Threshold struct {
	Name       string
	Percentile string // "p95", or "max" for the worst
	Below      time.Duration
}

var thresholdForm = regexp.MustCompile(`^([a-z-]+) +(max|p[1-9][0-9]?) *< *(\S+)$`)

// ParseThreshold reads "NAME p95 < 6s", or max for the worst.
func ParseThreshold(s string) (t Threshold, err error) {
	m := thresholdForm.FindStringSubmatch(strings.TrimSpace(s))
	switch {
	case m == nil:
		return t, fmt.Errorf("want NAME pNN < DURATION, like handover p95 < 6s, or max")
	case !slices.Contains(drill.Timed(), m[1]):
		return t, fmt.Errorf("there is no expectation %q that measures a time: want one of %s", m[1], strings.Join(drill.Timed(), ", "))
	}
	t = Threshold{Name: m[1], Percentile: m[2]}
	if t.Below, err = time.ParseDuration(m[3]); err == nil && t.Below <= 0 {
		err = fmt.Errorf("%s: want more than 0", m[3])
	}
	return t, err
}

// Fits says whether a drill measures what a threshold is about.
func (t Threshold) Fits(d *drill.Drill) bool {
	return slices.ContainsFunc(d.Expect, func(e drill.Expectation) bool { return e.Name == t.Name })
}

// measure names the figure: "handover p95".
func (t Threshold) measure() string { return t.Name + " " + t.Percentile }

// String is the threshold as it is written.
func (t Threshold) String() string { return t.measure() + " < " + t.Below.String() }

// Check is what came of a threshold.
type Check struct {
	Threshold
	// Seconds are what the runs measured, the least first; Missing of them measured nothing.
	Seconds []float64
	Missing int
}

// Check holds a threshold against the figures of each run that there is, of so many as were asked for.
func (t Threshold) Check(asked int, runs []Figures) Check {
	c := Check{Threshold: t}
	for _, figures := range runs {
		if len(figures[t.Name]) > 0 {
			c.Seconds = append(c.Seconds, slices.Max(figures[t.Name]))
		}
	}
	slices.Sort(c.Seconds)
	c.Missing = asked - len(c.Seconds)
	return c
}

// percentile is that of [model.Percentile]: of fewer than 20, p95 is the highest. It is nil of none.
func (t Threshold) percentile(seconds []float64) *float64 {
	if len(seconds) == 0 {
		return nil
	}
	percent, err := strconv.Atoi(t.Percentile[1:])
	if err != nil {
		percent = 100 // the worst
	}
	return new(model.Percentile(seconds, percent))
}

// Verdict is unknown where a run measured nothing, unless the others are too slow even if it took no time.
func (c Check) Verdict() drill.Verdict {
	best := c.percentile(slices.Concat(make([]float64, max(0, c.Missing)), c.Seconds))
	switch {
	case best != nil && *best >= c.Below.Seconds():
		return drill.Violated
	case c.Missing > 0 || best == nil:
		return drill.Unknown
	}
	return drill.Held
}

// Text says what came of it: "handover p95 of 20 runs: 5.21 s, to be below 6s".
func (c Check) Text() string {
	seen := "nothing measured"
	if at := c.percentile(c.Seconds); at != nil {
		seen = drill.Result{Unit: drill.Seconds, Measured: at}.Numbers()
	}
	text := fmt.Sprintf("%s of %d runs: %s, to be below %s", c.measure(), len(c.Seconds), seen, c.Below)
	if c.Missing > 0 {
		text += fmt.Sprintf("; %d runs have no such figure", c.Missing)
		if c.Verdict() == drill.Unknown {
			text += "; " + drill.ToKnow + "each run has to measure " + c.Name
		}
	}
	return text
}
