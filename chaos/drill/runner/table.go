package runner

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

// Row is one run of a drill, as a line of a results file.
type Row struct {
	Drill   string        `json:"drill"`
	Run     int           `json:"run"`
	Seed    uint64        `json:"seed"`
	Verdict drill.Verdict `json:"verdict"`
	Reason  string        `json:"reason,omitempty"`
	At      time.Time     `json:"at"`
	Took    float64       `json:"took"`
	// Codes are the findings that were expected, Handovers how long the handovers
	// that were expected took, in seconds.
	Codes     []string  `json:"codes"`
	Handovers []float64 `json:"handovers"`
	// Measured are the other times that were measured, in seconds by the expectation.
	Measured Figures `json:"measured,omitempty"`
	// Broken are the expectations that did not hold, with their numbers.
	Broken []string `json:"broken,omitempty"`
}

// Figures are all times that were measured.
func (r Row) Figures() Figures {
	all := Figures{"handover": r.Handovers}
	maps.Copy(all, r.Measured)
	return all
}

// Row is the run as a line of a results file; it counts from 1.
func (r Run) Row(name string, run int) Row {
	one := Row{Drill: name, Run: run, Seed: r.Seed, Verdict: r.Verdict, Reason: r.Reason,
		At: r.Started, Took: r.Took.Seconds(), Codes: []string{}, Measured: r.Figures()}
	one.Handovers = append([]float64{}, one.Measured["handover"]...)
	delete(one.Measured, "handover")
	for _, e := range r.Results {
		if e.Name == "finding" {
			one.Codes = append(one.Codes, string(e.Code))
		}
		if e.Verdict != drill.Held {
			one.Broken = append(one.Broken, strings.TrimSpace(e.Describe()+" "+e.Numbers()))
		}
	}
	return one
}

// Table writes a row for each drill: the codes that it shows, its verdicts and
// the times of its handovers.
func Table(w io.Writer, all []Row) error {
	byDrill := map[string][]Row{}
	var names []string
	for _, r := range all {
		if byDrill[r.Drill] == nil {
			names = append(names, r.Drill)
		}
		byDrill[r.Drill] = append(byDrill[r.Drill], r)
	}
	slices.Sort(names)
	var b strings.Builder
	b.WriteString("| Drill | Finding | Verdicts | Handover, median | Handover, worst | A run takes |\n|---|---|---|---|---|---|\n")
	for _, name := range names {
		runs := byDrill[name]
		var took, handovers []float64
		verdicts := map[drill.Verdict]int{}
		for _, r := range runs {
			took = append(took, r.Took)
			handovers = append(handovers, r.Handovers...)
			verdicts[r.Verdict]++
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", name, codeList(runs), VerdictList(verdicts),
			middle(handovers), worst(handovers), middle(took))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func codeList(runs []Row) string {
	var codes []string
	for _, r := range runs {
		for _, c := range r.Codes {
			if c = "`" + c + "`"; !slices.Contains(codes, c) {
				codes = append(codes, c)
			}
		}
	}
	if len(codes) == 0 {
		return "–"
	}
	return strings.Join(codes, ", ")
}

// VerdictList says how often each verdict came.
func VerdictList(verdicts map[drill.Verdict]int) string {
	var words []string
	for _, v := range []drill.Verdict{drill.Held, drill.Violated, drill.Unknown} {
		if n := verdicts[v]; n > 0 {
			words = append(words, fmt.Sprintf("%s %d×", v, n))
		}
	}
	return strings.Join(words, ", ")
}

func middle(seconds []float64) string {
	if len(seconds) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f s", model.Percentile(seconds, 50))
}

func worst(seconds []float64) string {
	if len(seconds) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f s", slices.Max(seconds))
}
