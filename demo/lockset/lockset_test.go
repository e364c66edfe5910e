package lockset

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/chaos/drill"
	"locktop/model"
)

func TestLockSetCount(t *testing.T) {
	at := func(ms int) time.Time { return time.UnixMilli(int64(ms)) }
	says := func(ms int, who string, s model.BeliefState) model.Event {
		return model.Belief{At: at(ms), Contender: who, Lock: lock, State: s}
	}
	const holding, leaving, lost = model.BeliefHolding, model.BeliefLeaving, model.BeliefLost
	for _, tt := range []struct {
		name, reason string
		events       []model.Event
		want         Row
	}{
		{"one after another", "nobody held at the same time",
			[]model.Event{says(0, "w1", holding), says(10, "w1", leaving), says(11, "w2", holding)}, Row{}},
		{"heard in another order", "the workers' own times count",
			[]model.Event{says(0, "w1", holding), says(11, "w2", holding), says(10, "w1", leaving)}, Row{}},
		{"two at once", "one pair",
			[]model.Event{says(0, "w1", holding), says(5, "w2", holding), says(10, "w1", lost)}, Row{Overlaps: 1}},
		{"one with two others", "each pair counts",
			[]model.Event{says(0, "w1", holding), says(5, "w2", holding), says(6, "w2", leaving), says(7, "w3", holding), says(8, "w3", leaving)},
			Row{Overlaps: 2}},
		{"said twice", "an error while it holds begins no new spell",
			[]model.Event{says(0, "w1", holding), says(5, "w1", holding), says(6, "w1", leaving), says(7, "w2", holding), says(8, "w2", leaving)}, Row{}},
		{"accesses", "the register counts itself, refusals are counted",
			[]model.Event{model.Access{Accepted: true, Acked: 3, Lost: 1}, model.Access{Acked: 3, Lost: 1}}, Row{Acked: 3, Lost: 1, Refused: 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var c Count
			for _, e := range tt.events {
				c.Apply(e)
			}
			var got Row
			c.Fill(&got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// TestLockSetDrill: whoever is to be hit is there when it is.
func TestLockSetDrill(t *testing.T) {
	for _, cell := range Cells() {
		d, hit := cell.Drill(40*time.Second, 3), map[string]bool{}
		for i, s := range d.Steps {
			if s.Fault == nil || s.Fault.Kind != model.FaultHoldKeepalives {
				continue
			}
			w := d.Steps[i-1].Wait
			if w == nil || len(w.Holders) != 1 || w.Holders[0] != s.Fault.Target {
				t.Errorf("%s: step %d hits a holder that nobody waited for", cell, i+1)
			}
			hit[s.Fault.Target] = true
		}
		if cell.Fault == Held && len(hit) != workers {
			t.Errorf("%s: %d workers are hit", cell, len(hit))
		}
		if got := len(drill.Plan(d)); got < 5 {
			t.Errorf("%s: %d lines of plan", cell, got)
		}
	}
}
