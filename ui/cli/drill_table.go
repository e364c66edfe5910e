package cli

import (
	"cmp"
	"slices"

	"github.com/spf13/cobra"

	"locktop/chaos/drill"
	"locktop/chaos/drill/play"
)

// result is one run of a drill, as a line of a results file.
type result struct{ play.Row }

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
	return s.add(result{round.Row(d.Name, run)})
}

func drillTableCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "table FILE",
		Short: "print the results of a series as a Markdown table: code, drill, verdict, time to handover",
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
			rows := []play.Row{}
			for _, r := range all {
				rows = append(rows, r.Row)
			}
			return play.Table(e.out, rows)
		},
	}
}
