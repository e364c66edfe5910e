package drill

import (
	"fmt"
	"math"
)

// Verdict is what came of an expectation, a run or a drill.
type Verdict string

// Verdicts. Of several, the worst counts: violated, then unknown, then held.
const (
	Held     Verdict = "held"
	Violated Verdict = "violated"
	Unknown  Verdict = "unknown"
)

// ExitCouldNotRun is the exit code of a drill that could not be run. Those of the verdicts are [Verdict.ExitCode].
const ExitCouldNotRun = 2

// ExitCode is 0 for held, 1 for violated and 3 for unknown.
func (v Verdict) ExitCode() int {
	switch v {
	case Held:
		return 0
	case Violated:
		return 1
	}
	return 3
}

// Worse returns the one of two that counts.
func Worse(a, b Verdict) Verdict {
	switch {
	case a == Violated || b == Violated:
		return Violated
	case a == Unknown || b == Unknown:
		return Unknown
	}
	return Held
}

// Result is what came of one expectation.
type Result struct {
	Expectation
	Verdict Verdict
	// Measured is compared with Bound: at most that much, or at least if Least. nil:
	// not known, or there is none. Both count Unit.
	Measured, Bound *float64
	Least           bool
	Unit            Unit
	// Samples is how many cases were judged.
	Samples int
	// Evidence are sentences: what was found, the first ten of it.
	Evidence []string
	// Mend says what to mend in a program of the user's own, without its name; "" where only the drill does.
	Mend string
}

// Unit is what a number counts.
type Unit string

// Units.
const (
	Seconds Unit = "seconds"
	Count   Unit = "count"
)

// Numbers says measured and bound in words: "3.2 s of at most 5 s".
func (r Result) Numbers() string {
	measured, bound := "nothing measured", ""
	if r.Measured != nil {
		measured = r.amount(*r.Measured)
	}
	if r.Bound != nil {
		bound = ", at most " + r.amount(*r.Bound)
		if r.Least {
			bound = ", at least " + r.amount(*r.Bound)
		}
	}
	switch {
	case r.Measured == nil && r.Bound == nil:
		return ""
	default:
		return measured + bound
	}
}

func (r Result) amount(f float64) string {
	if r.Unit == Seconds {
		return fmt.Sprintf("%.4g s", math.Round(f*1000)/1000)
	}
	return fmt.Sprintf("%.0f", f)
}

// ToKnow begins what would make something known that is not.
const ToKnow = "to know it: "
