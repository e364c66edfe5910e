package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"locktop/chaos/drill"
	"locktop/ui/report"
)

func explainCmd(e *env) *cobra.Command {
	return &cobra.Command{
		Use:     "explain [CODE | RECIPE | EXPECTATION | FAULT]",
		Short:   "explain a finding, a recipe, or an expectation or a fault of drills: mechanism, how it looks, what to do",
		Example: "  locktop explain ttl-reset\n  locktop explain vitess-lock\n  locktop explain handover",
		Args:    atMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return report.ExplainList(e.out, drillWords()...)
			}
			name, words := strings.ToLower(strings.TrimSpace(args[0])), drillWords()
			err := report.Explain(e.out, name, words...)
			if errors.Is(err, report.ErrUnknownName) {
				return bad("unknown name %q%s; \"locktop explain\" lists all", name, didYouMean(name, report.ExplainNames(words...)))
			}
			return err
		},
	}
}

// drillWords are the expectations and the faults of drills.
func drillWords() []report.Word {
	var all []report.Word
	expectations, faults := drill.Names()
	for _, of := range []struct {
		group string
		names []string
	}{{"Expectations of drills", expectations}, {"Faults of drills", faults}} {
		for _, name := range of.names {
			for _, x := range drill.Explain(name) {
				if strings.HasPrefix(of.group, strings.ToUpper(x.Is[:1])+x.Is[1:]) {
					all = append(all, report.Word{Group: of.group, Name: x.Name, Is: map[string]string{"fault": "a fault", "expectation": "an expectation"}[x.Is] + " of a drill", Says: x.Says, Rows: append(x.Rows, [2]string{"example", x.Example})})
				}
			}
		}
	}
	return all
}
