package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/ui"
	"locktop/ui/report"
	"locktop/watcher/recording"
)

func (e *env) replayCmd() *cobra.Command {
	var output string
	var speed float64
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "the console on a recording of \"locktop record\"",
		Long: "replay opens the console on a recording, as if what was recorded happened now, --speed times as\n" +
			"fast. Times of day on the screen are therefore those of the replay; its title has the true\n" +
			"beginning. Nothing can be done to a recording. Without a terminal, or with -o, the events are\n" +
			"printed with their true times, at once unless --speed is given.",
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
	file, player, err := openRecording(ctx, name, recording.Pace{Speed: speed, AsIfNow: true})
	if err != nil {
		return err
	}
	defer file.Close()
	begins, err := begins(player, name)
	if err != nil {
		return err
	}
	o := e.uiOptions(fmt.Sprintf("recording %s of %s", model.Printable(filepath.Base(name)), begins.Format(time.DateTime)))
	o.Prefixes, o.NoLab = prefixList(nil), noCluster
	o.Boot = func(context.Context, func(string)) (ui.Live, error) {
		return ui.Live{Source: player, Actions: noHands{}}, nil
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
