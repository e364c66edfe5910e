package cli

import (
	"github.com/spf13/cobra"

	"locktop/ui/report"
)

func (e *env) explainCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "explain [CODE | RECIPE]",
		Short:   "explain a finding or a recipe: mechanism, how it looks, what to do",
		Example: "  locktop explain ttl-reset\n  locktop explain vitess-lock",
		Args:    atMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return report.ExplainList(e.out)
			}
			if err := report.Explain(e.out, args[0]); err != nil {
				return badInput{err}
			}
			return nil
		},
	}
}
