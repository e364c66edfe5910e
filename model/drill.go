package model

import "time"

// What a drill, or a lesson, tells of itself while it is played. What it does to the lab is
// told by the faults and actions.

// DrillVerdict is what came of an expectation, or of a whole drill.
type DrillVerdict string

// Verdicts of drills.
const (
	DrillHeld     DrillVerdict = "held"
	DrillViolated DrillVerdict = "violated"
	DrillUnknown  DrillVerdict = "unknown"
)

// DrillBegan says that a drill is played from now on.
type DrillBegan struct {
	At               time.Time
	Name, Title, Why string
	// Defect names the known defect that it is expected to show, "" for none.
	Defect string
	Seed   uint64
	// Told says that somebody is told it step by step, so that the journal need not.
	Told bool
}

// DrillStep says that a step of a drill began, or is over.
type DrillStep struct {
	At time.Time
	// N counts from 1.
	N int
	// Over is false for the beginning. Failed says that the drill went no further.
	Over, Failed bool
	// Acts says that the step does something, which an action tells.
	Acts bool
	// Text is what the step does; once it is over what came of it, "" for nothing to tell.
	Text string
	// Chosen and Right are the answer that a person gave to a question and the one that was measured,
	// once it is seen; from 1, in the order in which they were shown. 0: none.
	Chosen, Right int
}

// DrillJudged says what came of an expectation.
type DrillJudged struct {
	At time.Time
	// Expected and Seen are in words, with the numbers.
	Expected string
	Verdict  DrillVerdict
	Seen     string
	Evidence []string
}

// DrillOver says what came of a drill.
type DrillOver struct {
	At      time.Time
	Verdict DrillVerdict
	// Reason is why the drill says nothing although no expectation is unknown, "" if that is
	// not so.
	Reason string
}

func (e DrillBegan) When() time.Time { return e.At }

func (e DrillStep) When() time.Time { return e.At }

func (e DrillJudged) When() time.Time { return e.At }

func (e DrillOver) When() time.Time { return e.At }

func (DrillBegan) event()  {}
func (DrillStep) event()   {}
func (DrillJudged) event() {}
func (DrillOver) event()   {}
