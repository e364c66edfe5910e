package cli

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"locktop/ui/report"
)

func topCmd(e *env) *cobra.Command {
	out := outFlags{watch: 30 * time.Second}
	cmd := &cobra.Command{
		Use:   "top",
		Short: "print the locks by how long was waited for them, and who waited for whom",
		Long: "top observes the locks for a while, or reads a recording, and prints first for which lock most was\n" +
			"waited, all waiters together. WAIT P50 and HOLD P50 are of waits and holds that ended in that time\n" +
			"and were seen from their beginning, GAP P50 is for how long nobody held between two holders. IN USE\n" +
			"is for how much of the time somebody held. FAIR is Jain's index of how long each contender waited on\n" +
			"average: 1 is all the same, 1/n is one of n who waits alone. A question mark is where waiting leaves\n" +
			"no key in etcd. -o wide also says for how long there was a queue, how often the one that was most\n" +
			"overtaken was, whether it is a convoy (short holds, and a queue that is never empty), and how long\n" +
			"would have been waited in the same time had each hold been half as long: by a replay, in which each\n" +
			"comes again as long after its hold as it did, and goes on to. JSON has seconds as numbers, null for\n" +
			"what is not known, and since when each lock was seen.",
		Example: "  locktop top --prefix /jobs/ --for 5m\n" +
			"  locktop top --recording incident.rec -o json | jq '.locks[0].pairs'",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			past, err := out.past.asked(cmd, "for")
			if err = cmp.Or(err, checkFor(out.watch)); err != nil {
				return err
			}
			if !past && out.watch == 0 {
				return bad("--for 0s: a wait takes time; want more than 0")
			}
			return printTop(cmd.Context(), e, out)
		},
	}
	out.add(cmd, "heads")
	return cmd
}

// printTop prints what was waited for.
func printTop(ctx context.Context, e *env, out outFlags) error {
	on, not, err := e.look(ctx, e.flags.prefixes, &out)
	if err != nil {
		return err
	}
	err = report.Top(e.out, on.State, out.observation(&looked{Session: on, not: not, places: e.flags.prefixes}), out.output)
	return errors.Join(err, notSeen(on.Name, not.keys()))
}
