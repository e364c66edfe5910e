package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"locktop/model/store"
	"locktop/ui/cli/session"
	"locktop/ui/fields"
	"locktop/ui/report"
	"locktop/watcher/recording"
)

func diffCmd(e *env) *cobra.Command {
	var past pastFlags
	var at []string
	var output string
	cmd := &cobra.Command{
		Use:   "diff FILE",
		Short: "print what differs between two moments of a recording",
		Long: "diff prints what is otherwise at a second moment of a recording than at the first: of each lock its\n" +
			"state, its holder and lease, how many wait, and its findings; of the cluster its leader, its alarms\n" +
			"and findings. What differs only because time passed is left out. FILE may be the folder of \"locktop\n" +
			"serve --record\". Without a second --at the second moment is the end. diff exits with 0, whether\n" +
			"anything differs or not.",
		Example:           "  locktop diff incident.rec --at 10:04:05 --at 10:06:00",
		Args:              fileArg,
		ValidArgsFunction: fileNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(at) != 1 && len(at) != 2 {
				return bad("diff needs two moments: --at A --at B (one alone is compared with the end)")
			}
			past.file = args[0]
			if _, err := past.isUsed(cmd); err != nil {
				return err
			}
			return diffMoments(cmd.Context(), e, past, at, output)
		},
	}
	addOutput(cmd, &output, report.Formats, formatWords())
	cmd.Flags().StringArrayVar(&at, "at", nil, "a moment: a time (10:04:05, 2026-03-01 10:04:05, RFC 3339) or a revision; twice")
	cmd.Flags().StringArrayVar(&past.only.Locks, "lock", nil, "of this lock alone; may be repeated")
	return cmd
}

// diffMoments prints what differs between two moments.
func diffMoments(ctx context.Context, e *env, past pastFlags, at []string, output string) error {
	var states []*store.View
	for _, moment := range append(at, "")[:2] {
		past.at = moment
		r, err := e.openPast(ctx, past, recording.Pace{})
		if err != nil {
			return err
		}
		err = r.Pull(ctx, session.Pull{})
		if closed := r.close(); err == nil {
			err = closed
		}
		if err != nil {
			return couldNotRun(err)
		}
		if err := r.covers(past); err != nil {
			return err
		}
		states = append(states, r.State.View)
	}
	if states[0].Now().After(states[1].Now()) {
		fmt.Fprintln(e.err, "the first moment is the later one: before and after are as you named them")
	}
	list := fields.DiffOf(states[0], states[1])
	if len(list) == 0 && output == "table" {
		fmt.Fprintln(e.out, "nothing differs")
		return nil
	}
	return report.Diff(e.out, list, output)
}
