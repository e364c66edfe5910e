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
		Short: "print the locks with the longest waits first, and who waited for whom",
		Long: "top observes the locks for a while, or reads a recording. It prints first the lock for which its\n" +
			"waiters waited longest, all together. WAIT P50 and HOLD P50 count the waits and holds that locktop\n" +
			"saw from their beginning to their end. GAP P50 is the time between two holders. IN USE is the share\n" +
			"of the time in which somebody held the lock. FAIR is Jain's index of the contenders' average waits:\n" +
			"1 means that all waited alike, 1/n that one of n did all the waiting. A question mark means that\n" +
			"waiting leaves no key in etcd.\n" +
			"-o wide adds for how long there was a queue, how often the most overtaken waiter was overtaken, and\n" +
			"whether the lock is a convoy (short holds, and a queue that is never empty). It also adds how long\n" +
			"the waits would have been with holds half as long. A replay finds that: each contender comes back as\n" +
			"long after its hold as it did, and so on. JSON has seconds as numbers, null for what is not known,\n" +
			"and since when locktop saw each lock.",
		Example: "  locktop top /jobs/ --for 5m\n" +
			"  locktop top --recording incident.rec -o json | jq '.locks[0].pairs'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			past, err := out.past.isUsed(cmd, "for")
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
	addPlaces(cmd)
	return cmd
}

// printTop prints what was waited for.
func printTop(ctx context.Context, e *env, out outFlags) error {
	at, err := e.lookJust(ctx, e.flags.prefixes, &out)
	if err != nil {
		return err
	}
	at.tellBare(e.err, out.output)
	err = report.Top(e.out, at.State.View, out.observation(at), out.output)
	return errors.Join(err, notSeen(at.Name, at.not.keys()))
}
