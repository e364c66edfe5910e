package reports

import (
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
)

// DrillRun is a drill as it told of itself. The zero value is none.
type DrillRun struct {
	Began model.DrillBegan // At is zero if its beginning was not seen
	Steps []DrillStep
	// Judged are the expectations, once it is over.
	Judged []model.DrillJudged
	Over   model.DrillOver // At is zero while it is played, or if its end was not seen
}

// DrillStep is one step. Ended is zero while it goes on.
type DrillStep struct {
	N            int
	Text, Came   string
	Began, Ended time.Time
	Failed, acts bool
	// Chosen and Right are as those of [model.DrillStep].
	Chosen, Right int
}

// most bounds the steps, and the expectations: no drill has as many.
const most = 1000

// Known says whether anything was told of a drill.
func (r *DrillRun) Known() bool {
	return !r.Began.At.IsZero() || len(r.Steps)+len(r.Judged) > 0 || !r.Over.At.IsZero()
}

// Apply takes in an event of a drill, and returns the line for the journal that tells it.
func (r *DrillRun) Apply(e model.Event) []locks.Change {
	var line model.Message
	switch e := e.(type) {
	case model.DrillBegan:
		*r = DrillRun{Began: e}
		line = model.Say("drill-began", e.Name, e.Title)
	case model.DrillStep:
		line = r.step(e)
	case model.DrillJudged:
		if len(r.Judged) < most {
			r.Judged = append(r.Judged, e)
		}
		if line = model.Say("expected", e.Expected, e.Verdict); e.Seen != "" {
			line = model.Say("expected-seen", e.Expected, e.Verdict, e.Seen)
		}
	case model.DrillOver:
		r.Over = e
		if line = model.Say("drill-over", e.Verdict); e.Reason != "" {
			line = model.Say("drill-over-why", e.Verdict, e.Reason)
		}
	}
	if line.IsZero() || r.Began.Told {
		return nil
	}
	return []locks.Change{{Kind: locks.Happened, Entry: &journal.Entry{At: e.When(), Kind: journal.Drill, Text: line}}}
}

func (r *DrillRun) step(e model.DrillStep) model.Message {
	var line model.Message
	if e.Text != "" {
		line = model.Say("step-says", e.Text)
	}
	if !e.Over {
		if len(r.Steps) < most {
			r.Steps = append(r.Steps, DrillStep{N: e.N, Text: e.Text, Began: e.At, acts: e.Acts})
		}
		return model.Say("step", e.N, line)
	}
	for i := len(r.Steps) - 1; i >= 0; i-- {
		if s := &r.Steps[i]; s.N == e.N {
			s.Came, s.Ended, s.Failed, s.Chosen, s.Right = e.Text, e.At, e.Failed, e.Chosen, e.Right
			break
		}
	}
	switch {
	case e.Failed:
		return model.Say("step-failed", e.N, line)
	case e.Acts || e.Text == "":
		return model.Message{} // the action tells it, or there is nothing to tell
	}
	return model.Say("step-over", e.N, line)
}

// Checkpoint returns events from which another one knows the same.
func (r *DrillRun) Checkpoint() (all []model.Event) {
	if !r.Began.At.IsZero() {
		all = append(all, r.Began)
	}
	for _, s := range r.Steps {
		all = append(all, model.DrillStep{At: s.Began, N: s.N, Acts: s.acts, Text: s.Text})
		if !s.Ended.IsZero() {
			all = append(all, model.DrillStep{At: s.Ended, N: s.N, Over: true, Failed: s.Failed, Acts: s.acts, Text: s.Came, Chosen: s.Chosen, Right: s.Right})
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
