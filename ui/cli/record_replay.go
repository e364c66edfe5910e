package cli

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/ui"
	"locktop/ui/cli/tape"
	"locktop/ui/report"
	"locktop/watcher/recording"
)

func (e *env) replayCmd() *cobra.Command {
	var output string
	var speed float64
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "the console on a recording of \"locktop record\"",
		Long: "replay opens the console on a recording, which goes on as it was, --speed times as fast. p stops it,\n" +
			". and , go to the next event and the one before, ) and ( to findings, } and { to changes of a\n" +
			"holder, ~ and ` to marks, \":at 10:04:05\" to a time. All times are the recording's. Nothing can be\n" +
			"done to a recording. Without a terminal, or with -o, the events are printed, at once unless --speed\n" +
			"is given.",
		Example:           "  locktop replay incident.rec --speed 10\n  locktop replay incident.rec -o jsonl | jq .text",
		Args:              fileArg,
		ValidArgsFunction: fileNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			paced := cmd.Flags().Changed("speed")
			if !(speed >= 1 && speed <= 10_000) {
				return bad("--speed %g: want 1 to 10000", speed)
			}
			if e.isTerminal() && !cmd.Flags().Changed("output") {
				return e.replayConsole(cmd.Context(), args[0], speed)
			}
			if !paced {
				speed = 0
			}
			return e.pastEvents(cmd.Context(), pastFlags{file: args[0]}, speed, output)
		},
	}
	addOutput(cmd, &output, report.Formats, "print events instead: "+formatWords())
	cmd.Flags().Float64Var(&speed, "speed", 1, "so many times as fast as it was")
	return cmd
}

// fileNames leaves the completion of names to the shell.
func fileNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// replayConsole opens the console on a recording.
func (e *env) replayConsole(ctx context.Context, name string, speed float64) error {
	file, player, err := openRecording(ctx, name, recording.Pace{})
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := begins(player, name); err != nil {
		return err
	}
	o := e.uiOptions("recording " + model.Printable(filepath.Base(name)))
	t := tape.New(speed, e.pins)
	o.Prefixes, o.NoLab, o.Tape = prefixList(nil), noCluster, t
	o.Boot = func(ctx context.Context, progress func(string)) (ui.Live, error) {
		progress("reading the recording")
		cut, err := t.Load(ctx, player)
		return ui.Live{Source: t, Actions: noHands{}, Cut: cut}, err
	}
	return e.show(ctx, o)
}

const noCluster = "this is a recording: there is no cluster to act on"

// noHands are those of the console on a recording.
type noHands struct{}

func (noHands) Available(model.Action) error { return errors.New(noCluster) }

func (noHands) Plan(context.Context, model.Action) (model.Plan, error) {
	return model.Plan{}, errors.New(noCluster)
}

func (noHands) Do(_ context.Context, p model.Plan) model.Outcome {
	return model.Outcome{Action: p.Action, Err: noCluster}
}
