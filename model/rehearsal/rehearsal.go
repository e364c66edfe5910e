// Package rehearsal is what is known of a drill, or a lesson, while it is played and afterwards:
// its steps in time, and what came of each expectation. It knows what the drill told of itself,
// and judges nothing.
package rehearsal

import (
	"fmt"
	"time"

	"locktop/model"
	"locktop/model/journal"
)

// Run is a drill as it told of itself. The zero value is none.
type Run struct {
	Began model.DrillBegan // At is zero if its beginning was not seen
	Steps []Step
	// Judged are the expectations, once it is over.
	Judged []model.DrillJudged
	Over   model.DrillOver // At is zero while it is played, or if its end was not seen
}

// Step is one step. Ended is zero while it goes on.
type Step struct {
	N            int
	Text, Came   string
	Began, Ended time.Time
	Failed, acts bool
}

// most bounds the steps, and the expectations: no drill has as many.
const most = 1000

// Seen says whether anything was told of a drill.
func (r *Run) Seen() bool {
	return !r.Began.At.IsZero() || len(r.Steps)+len(r.Judged) > 0 || !r.Over.At.IsZero()
}

// Apply takes an event in, and returns the line of the journal that tells it, nil for none.
func (r *Run) Apply(e model.Event) *journal.Entry {
	text := ""
	switch e := e.(type) {
	case model.DrillBegan:
		*r = Run{Began: e}
		text = fmt.Sprintf("drill %s began: %s", e.Name, e.Title)
	case model.DrillStep:
		text = r.step(e)
	case model.DrillJudged:
		if len(r.Judged) < most {
			r.Judged = append(r.Judged, e)
		}
		text = fmt.Sprintf("expected %s: %s", e.Expected, Outcome(e))
	case model.DrillOver:
		r.Over = e
		text = "drill over: " + string(e.Verdict)
		if e.Reason != "" {
			text += ", " + e.Reason
		}
	}
	if text == "" {
		return nil
	}
	return &journal.Entry{At: e.When(), Kind: journal.Drill, Text: text}
}

// Outcome says what came of an expectation: "held, 3.2 s, at most 5 s".
func Outcome(e model.DrillJudged) string {
	if e.Seen == "" {
		return string(e.Verdict)
	}
	return string(e.Verdict) + ", " + e.Seen
}

func (r *Run) step(e model.DrillStep) (text string) {
	said := ""
	if e.Text != "" {
		said = ": " + e.Text
	}
	if !e.Over {
		if len(r.Steps) < most {
			r.Steps = append(r.Steps, Step{N: e.N, Text: e.Text, Began: e.At, acts: e.Acts})
		}
		return fmt.Sprintf("step %d%s", e.N, said)
	}
	for i := len(r.Steps) - 1; i >= 0; i-- {
		if s := &r.Steps[i]; s.N == e.N {
			s.Came, s.Ended, s.Failed = e.Text, e.At, e.Failed
			break
		}
	}
	switch {
	case e.Failed:
		return fmt.Sprintf("step %d failed%s", e.N, said)
	case e.Acts || e.Text == "":
		return "" // the action tells it, or there is nothing to tell
	}
	return fmt.Sprintf("step %d over%s", e.N, said)
}

// Beginning returns events from which another one knows the same.
func (r *Run) Beginning() (all []model.Event) {
	if !r.Began.At.IsZero() {
		all = append(all, r.Began)
	}
	for _, s := range r.Steps {
		all = append(all, model.DrillStep{At: s.Began, N: s.N, Acts: s.acts, Text: s.Text})
		if !s.Ended.IsZero() {
			all = append(all, model.DrillStep{At: s.Ended, N: s.N, Over: true, Failed: s.Failed, Acts: s.acts, Text: s.Came})
		}
	}
	for _, j := range r.Judged {
		all = append(all, j)
	}
	if !r.Over.At.IsZero() {
		all = append(all, r.Over)
	}
	return all
}
