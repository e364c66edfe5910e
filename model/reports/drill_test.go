package reports_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/modeltest"
	"locktop/model/reports"
	"locktop/model/store"
	"locktop/model/timeline"
)

// aRun is a drill of three steps: it waits, it kills, and its last step comes to nothing.
func aRun() []model.Event {
	return []model.Event{
		model.DrillBegan{At: modeltest.At(0), Name: "crash", Title: "The holder dies", Why: "to see it", Seed: 7},
		model.DrillStep{At: modeltest.At(1), N: 1, Text: "wait for a to hold /x"},
		model.DrillStep{At: modeltest.At(2), N: 1, Over: true, Text: "after 1.0 s: a holds /x"},
		model.DrillStep{At: modeltest.At(2), N: 2, Acts: true, Text: "kill holder"},
		model.DrillStep{At: modeltest.At(3), N: 2, Over: true, Acts: true, Text: "holder is a: Killed a"},
		model.DrillStep{At: modeltest.At(3), N: 3, Text: "wait for b to hold /x"},
		model.DrillStep{At: modeltest.At(9), N: 3, Over: true, Failed: true, Text: "waited 6s for b to hold /x"},
		model.DrillJudged{At: modeltest.At(10), Expected: "handover: within 5s", Verdict: model.DrillViolated, Seen: "6 s, at most 5 s", Evidence: []string{"nobody got it"}},
		model.DrillOver{At: modeltest.At(10), Verdict: model.DrillViolated},
	}
}

// TestADrillInTheJournal: each step and each verdict is a line and a mark, but for what an
// action tells; and a state that is told the beginning knows the same drill.
func TestADrillInTheJournal(t *testing.T) {
	s := store.New()
	s.Apply(model.Batch{Events: append([]model.Event{model.LoadStarted{At: modeltest.At(0), Rev: 1}, model.Loaded{At: modeltest.At(0), Rev: 1}, model.Watching{At: modeltest.At(0), Rev: 1}}, aRun()...)})
	var told []string
	for _, f := range s.Journal() {
		if f.Kind == journal.Drill {
			told = append(told, f.Sentence(s.Who))
		}
	}
	if d := cmp.Diff([]string{"drill crash began: The holder dies", "step 1: wait for a to hold /x", "step 1 over: after 1.0 s: a holds /x", "step 2: kill holder",
		"step 3: wait for b to hold /x", "step 3 failed: waited 6s for b to hold /x", "expected handover: within 5s: violated, 6 s, at most 5 s", "drill over: violated"}, told); d != "" {
		t.Error(d)
	}
	marks := 0
	for _, m := range s.Timeline().Marks("", modeltest.At(0), modeltest.At(11)) {
		if m.Kind == timeline.MarkDrill {
			marks++
		}
	}
	if marks != len(told) {
		t.Errorf("%d marks, %d lines", marks, len(told))
	}
	if x := s.Drill().Steps[1]; x.Came != "holder is a: Killed a" || !x.Ended.Equal(modeltest.At(3)) || x.Failed {
		t.Errorf("step 2: %+v", x)
	}
	begin, ok := s.Checkpoint()
	late := store.New()
	late.Apply(model.Batch{Events: begin})
	if d := cmp.Diff(s.Drill(), late.Drill(), cmpopts.EquateEmpty(), cmp.AllowUnexported(reports.DrillStep{})); d != "" || !ok {
		t.Error(ok, d)
	}
}

// TestWhatIsLeftOfADrill: of a recording that began late, or ended early, what there is.
func TestWhatIsLeftOfADrill(t *testing.T) {
	all := aRun()
	many := make([]model.Event, 5000)
	for i := range many {
		many[i] = model.DrillStep{At: modeltest.At(float64(i)), N: i + 1}
	}
	for _, row := range []struct {
		reason       string
		events       []model.Event
		steps        int
		began, ended bool
	}{
		{"nothing", nil, 0, false, false},
		{"its beginning is missing", all[2:], 2, false, true},
		{"its end is missing", all[:4], 2, true, false},
		{"another one begins: that one is told of", append(all, all[:2]...), 1, true, false},
		{"more steps than any drill has", many, 1000, false, false},
	} {
		r := &reports.DrillRun{}
		for _, e := range row.events {
			r.Apply(e)
		}
		if len(r.Steps) != row.steps || r.Began.At.IsZero() == row.began || r.Over.At.Equal(time.Time{}) == row.ended || r.Known() != (len(row.events) > 0) {
			t.Errorf("%s: %+v", row.reason, r)
		}
	}
}
