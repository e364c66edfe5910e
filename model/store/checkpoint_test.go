package store

import (
	"testing"

	"locktop/model"
	"locktop/model/modeltest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestABeginningIsWhatIsSo: whoever is told the beginning knows the same queues, holders and
// leases, what is believed and which faults are in force, and goes on as who has seen it all.
func TestABeginningIsWhatIsSo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := modeltest.Draw(t)
		cut := rapid.IntRange(2, len(h.Events)).Draw(t, "cut")
		s := apply(model.Batch{Events: h.Events[:cut]})
		begin, ok := s.Checkpoint()
		if !ok {
			return
		}
		late := apply(model.Batch{Events: begin})
		same := func(when string) {
			t.Helper()
			but := seen(s, late)
			if d := cmp.Diff(dump(s, false, but...), dump(late, false, but...)); d != "" {
				t.Fatalf("%s (-saw it all +was told the beginning)\n%s", when, d)
			}
			if d := cmp.Diff(s.Reports().Faults(), late.Reports().Faults()) + cmp.Diff(beliefs(s), beliefs(late)); d != "" {
				t.Fatalf("%s\n%s", when, d)
			}
		}
		same("at the beginning")
		s.Apply(model.Batch{Events: h.Events[cut:]})
		late.Apply(model.Batch{Events: h.Events[cut:]})
		same("later on")
	})
}

func beliefs(s *Store) map[string]model.Belief {
	all := map[string]model.Belief{}
	for _, c := range s.Reports().Contenders() {
		all[c.Name] = c.Belief
	}
	return all
}
