package runner

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"locktop/chaos/drill"
	"locktop/model"
)

// Suite is what came of several drills. NotRun are those of which nothing was run.
type Suite struct {
	Title   string
	Reports []Report
	NotRun  []string
}

// Verdict is the worst of the drills; unknown where one was not run.
func (s Suite) Verdict() drill.Verdict {
	v := drill.Held
	for _, r := range s.Reports {
		v = drill.Worse(v, r.Verdict())
	}
	if len(s.NotRun) > 0 || len(s.Reports) == 0 {
		v = drill.Worse(v, drill.Unknown)
	}
	return v
}

// mends is what to mend, a line each with the drills that want it, the most of them first. A drill of which only
// it itself says what to mend is not among them.
func (s Suite) mends() (lines []string) {
	drills := map[string][]string{}
	for _, r := range s.Reports {
		if r.Verdict() == drill.Held {
			continue
		}
		for _, round := range r.Rounds {
			all := []string{round.Mend}
			for _, e := range round.Results {
				all = append(all, e.Mend)
			}
			for _, mend := range all {
				if mend != "" && !slices.Contains(drills[mend], r.Drill.Name) {
					drills[mend] = append(drills[mend], r.Drill.Name)
				}
			}
		}
	}
	for _, mend := range slices.SortedFunc(maps.Keys(drills), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(drills[b]), len(drills[a])), cmp.Compare(a, b))
	}) {
		lines = append(lines, mend+" ("+strings.Join(drills[mend], ", ")+")")
	}
	return lines
}

// Text writes how many drills came to what, the names of those that did not hold, and what to mend.
func (s Suite) Text(w io.Writer) error {
	names := map[drill.Verdict][]string{}
	for _, r := range s.Reports {
		names[r.Verdict()] = append(names[r.Verdict()], r.Drill.Name)
	}
	var all []string
	for _, v := range []drill.Verdict{drill.Held, drill.Violated, drill.Unknown} {
		switch n := len(names[v]); {
		case n > 0 && v == drill.Held:
			all = append(all, fmt.Sprintf("%d %s", n, v))
		case n > 0:
			all = append(all, fmt.Sprintf("%d %s (%s)", n, v, strings.Join(names[v], ", ")))
		}
	}
	if n := len(s.NotRun); n > 0 {
		all = append(all, fmt.Sprintf("%d not run (%s)", n, strings.Join(s.NotRun, ", ")))
	}
	var b strings.Builder
	for _, line := range s.mends() {
		fmt.Fprintf(&b, "to mend: %s\n", line)
	}
	fmt.Fprintf(&b, "%s: %s\n", model.CountOf(len(s.Reports)+len(s.NotRun), "drill"), cmp.Or(strings.Join(all, ", "), "none was run"))
	_, err := io.WriteString(w, b.String())
	return err
}

// JSON writes the suite as one object, schema 1: each drill as its own report has it.
func (s Suite) JSON(w io.Writer) error {
	out := struct {
		Schema  int           `json:"schema"`
		Suite   string        `json:"suite"`
		Verdict drill.Verdict `json:"verdict"`
		NotRun  []string      `json:"not_run"`
		Drills  []jsonReport  `json:"drills"`
	}{1, s.Title, s.Verdict(), append([]string{}, s.NotRun...), []jsonReport{}}
	for _, r := range s.Reports {
		out.Drills = append(out.Drills, r.object())
	}
	return writeJSON(w, out)
}

func writeJSON(w io.Writer, v any) error {
	js, err := model.JSON(v, "  ")
	if err == nil {
		_, err = w.Write(js)
	}
	if err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}
