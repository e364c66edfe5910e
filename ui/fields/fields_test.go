package fields

import (
	"fmt"
	"testing"
)

// Each row says what its outputs need, and no two want the same place.
func TestEveryFieldIsWhole(t *testing.T) {
	whole(t, "locks", Locks)
	whole(t, "claims", Claims)
	whole(t, "sessions", Sessions)
	whole(t, "findings", Findings)
	whole(t, "events", Events)
	whole(t, "guesses", Guesses)
	whole(t, "costs", CostFields)
}

func whole[R any](t *testing.T, of string, all []Field[R]) {
	seen := map[string]string{}
	for _, f := range all {
		name := of + ": " + f.Name + "/" + string(f.Title)
		need := func(ok bool, what string) {
			if !ok {
				t.Errorf("%s has no %s", name, what)
			}
		}
		need(f.In != In{}, "place in any output")
		if f.In.Table+f.In.Wide > 0 {
			need(f.Title != "" && (f.Cell != nil || f.Raw != nil || f.Own != nil), "title or value for people")
			need(f.In.Table == 0 || f.In.Wide == 0, "place of its own: wide has the table's columns, too")
		}
		if f.In.CSV > 0 {
			need(f.Name != "" && (f.Record != nil || f.Raw != nil || f.Own != nil), "name or value for programs")
		}
		if f.In.JSON > 0 {
			need(f.Name != "", "name")
		}
		if f.JSON != ByHand {
			need(f.In.JSON > 0, "place in JSON")
			need(f.Raw != nil || f.JSON != Bytes && (f.Record != nil || f.Own != nil), "value for JSON")
		}
		if f.In.Console > 0 {
			need(f.Title != "" && f.Least > 0 && f.Most >= f.Least && (f.Fair == 0 || f.Fair >= f.Least && f.Fair <= f.Most), "title or width")
		}
		for output, place := range map[string]int{"table": f.In.Table, "wide": f.In.Wide, "csv": f.In.CSV, "json": f.In.JSON, "console": f.In.Console} {
			at := fmt.Sprint(output, " ", place)
			if place > 0 && seen[at] != "" {
				t.Errorf("%s stands where %s does: %s", name, seen[at], at)
			}
			seen[at] = name
		}
	}
}
