package runner

import (
	"cmp"
	"fmt"
	"io"

	"locktop/chaos/drill"
)

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

// Verdict is that of all repeats.
func (r Repeats) Verdict() drill.Verdict {
	worst := r.runs()
	for _, c := range r.Checks {
		worst = drill.Worse(worst, c.Verdict())
	}
	return worst
}

// needs is in how many runs all has to hold.
func (r Repeats) needs() int { return cmp.Or(r.Need, r.Asked) }

// runs is the verdict by the number of runs alone. A run of which nothing is known, or that was
// not done, might have held, and might not.
func (r Repeats) runs() drill.Verdict {
	switch {
	case r.Held >= r.needs():
		return drill.Held
	case r.Asked-r.Violated < r.needs():
		return drill.Violated
	}
	return drill.Unknown
}

// ExitCode is that of all repeats, given the one of its runs.
func (r Repeats) ExitCode(runs int) int {
	if runs == drill.ExitCouldNotRun {
		return runs
	}
	return r.Verdict().ExitCode()
}

// sentence is in how many runs all held.
func (r Repeats) sentence() string {
	text := fmt.Sprintf("held in %d of %d runs", r.Held, r.Asked)
	if n := r.Asked - r.Held - r.Violated; n > 0 {
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
func (r Repeats) Text(w io.Writer, name string) error {
	need := ""
	if r.Need > 0 {
		need = fmt.Sprintf(", --need %d", r.Need)
	}
	lines := fmt.Sprintf("%s: %s%s\n", name, r.sentence(), need)
	for _, c := range r.Checks {
		lines += fmt.Sprintf("  %-8s  %s\n", c.Verdict(), c.Text())
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

func (r *Repeats) json() *jsonSeries {
	if r == nil {
		return nil
	}
	out := &jsonSeries{r.Asked, r.Held, r.Violated, r.Need, []jsonCheck{}}
	for _, c := range r.Checks {
		out.Thresholds = append(out.Thresholds, jsonCheck{c.String(), c.Text(), c.Verdict(), c.percentile(c.Seconds), c.Below.Seconds(), len(c.Seconds), c.Missing})
	}
	return out
}
