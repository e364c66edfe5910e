package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"locktop/chaos/drill"
	"locktop/chaos/drill/play"
)

// result is one run of a drill, as a line of a results file.
type result struct {
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
	// Broken are the expectations that did not hold, with their numbers.
	Broken []string `json:"broken,omitempty"`
}

// whole says whether that is the result of a drill.
func (r result) whole() bool { return r.Drill != "" && r.Run >= 1 && r.Verdict != "" }

// what names it in an error.
func (result) what() string { return "result of a drill" }

// series is a file of results that grows by a line for each run of a drill.
type series struct{ *resultsFile[result] }

// find returns that run if it is in the file.
func (s series) find(name string, run int) (result, bool) {
	i := slices.IndexFunc(s.all, func(r result) bool { return r.Drill == name && r.Run == run })
	if i < 0 {
		return result{}, false
	}
	return s.all[i], true
}

// addRound appends a run. One that could not be run to its end is not: it is to be done
// again.
func (s series) addRound(d *drill.Drill, run int, round play.Round) error {
	if round.Err != nil {
		return nil
	}
	one := result{Drill: d.Name, Run: run, Seed: round.Seed, Verdict: round.Verdict, Reason: round.Reason,
		At: round.Started, Took: round.Took.Seconds(), Codes: []string{}, Handovers: []float64{}}
	for _, r := range round.Results {
		switch {
		case r.Name == "finding":
			one.Codes = append(one.Codes, string(r.Code))
		case r.Name == "handover" && r.Measured != nil:
			one.Handovers = append(one.Handovers, *r.Measured)
		}
		if r.Verdict != drill.Held {
			one.Broken = append(one.Broken, strings.TrimSpace(r.Describe()+" "+r.Numbers()))
		}
	}
	return s.add(one)
}

func drillTableCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "table FILE",
		Short: "the results of a series as a table in Markdown: code, drill, verdict, time to handover",
		Args:  oneArg("the file of results that \"drill run --results\" wrote"),
		RunE: func(cmd *cobra.Command, args []string) error {
			file, err := openInput(cmd.Context(), args[0])
			if err != nil {
				return bad("reading the results: %w", err)
			}
			defer file.Close()
			all, err := readResults[result](file)
			if err != nil {
				return cmp.Or(cmd.Context().Err(), bad("%s: %w", args[0], err))
			}
			return resultTable(e.out, all)
		},
	}
}

// resultTable writes a row for each drill: the codes that it shows, its verdicts and
// the times of its handovers.
func resultTable(w io.Writer, all []result) error {
	byDrill := map[string][]result{}
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
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", name, codeList(runs), verdictList(verdicts),
			middle(handovers), worst(handovers), middle(took))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func codeList(runs []result) string {
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

func verdictList(verdicts map[drill.Verdict]int) string {
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
	slices.Sort(seconds)
	return fmt.Sprintf("%.2f s", seconds[len(seconds)/2])
}

func worst(seconds []float64) string {
	if len(seconds) == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f s", slices.Max(seconds))
}
