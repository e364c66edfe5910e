package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui"
	"locktop/ui/cli/playback"
	"locktop/ui/host"
	"locktop/ui/report"
	"locktop/watcher/recording"
)

// replayRun is the command replay.
type replayRun struct {
	e      *env
	past   pastFlags
	speed  float64
	output string
	cast   castFlags

	actionFiles []string
}

func replayCmd(e *env) *cobra.Command {
	f := replayRun{e: e, cast: castFlags{size: "120x36", idle: 3 * time.Second}}
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "open the console on a recording of \"locktop record\", or on the folder of \"locktop serve --record\"",
		Long: "replay opens the console on a recording and plays it, --speed times as fast. With --at it stops at a\n" +
			"moment. FILE may be the folder of \"locktop serve --record\". p stops and plays. . and , go to the next\n" +
			"event and the one before, ) and ( to findings, } and { to changes of a holder, ~ and ` to marks,\n" +
			"\":at 10:04:05\" to a time. Where a time axis is shown, [ and ] move its cursor from event to event, and\n" +
			"the whole console with it; esc goes back to the latest moment that was shown. All times are those of\n" +
			"the recording, and nothing can be done to it. Without a terminal, or with -o, replay prints the\n" +
			"events, at once unless --speed is given. --cast writes what the console shows as a recorded terminal\n" +
			"in the format of asciinema, for people without locktop: a player in a browser shows it, and its\n" +
			"markers say what happened. With pauseOnMarkers in a page with asciinema-player, or with asciinema\n" +
			"play --pause-on-markers (newer than 2.2), a lesson stops at each question.",
		Example: "  locktop replay incident.rec --speed 10\n  locktop replay incident.rec --cast incident.cast --speed 5\n  locktop replay incident.rec -o jsonl | jq .text\n" +
			"  locktop replay /var/lib/locktop --at 10:04:05",
		Args:              fileArg,
		ValidArgsFunction: fileNames,
		RunE: func(cmd *cobra.Command, args []string) error {
			f.past.file = args[0]
			if _, err := f.past.isUsed(cmd); err != nil {
				return err
			}
			if !(f.speed >= 1 && f.speed <= 10_000) {
				return bad("--speed %g: want 1 to 10000", f.speed)
			}
			if f.cast.file != "" {
				if err := needless(cmd, "--cast writes all of the recording", "output"); err != nil {
					return err
				}
				return f.writeCast(cmd.Context())
			}
			if err := needless(cmd, "no --cast is written", "size", "idle"); err != nil {
				return err
			}
			if e.isTerminal() && !cmd.Flags().Changed("output") {
				return f.console(cmd.Context())
			}
			if !cmd.Flags().Changed("speed") {
				f.speed = 0
			}
			return pastEvents(cmd.Context(), e, f.past, f.speed, f.output)
		},
	}
	addOutput(cmd, &f.output, report.Formats, "print events instead: "+formatWords())
	f.past.addMoments(cmd, "stand at this time (10:04:05, 2026-03-01 10:04:05, RFC 3339); where events are printed, end there")
	cmd.Flags().Float64Var(&f.speed, "speed", 1, "so many times as fast as it was")
	cmd.Flags().StringVar(&f.cast.file, "cast", "", "write a recorded terminal (asciicast, version 2) to this file instead; - is the output")
	cmd.Flags().StringSliceVar(&f.actionFiles, "actions", nil, actionsHelp)
	cmd.Flags().StringVar(&f.cast.size, "size", f.cast.size, "of --cast: columns by lines")
	cmd.Flags().DurationVar(&f.cast.idle, "idle", f.cast.idle, "of --cast: where nothing happens, show no more than that")
	return cmd
}

// fileNames leaves the completion of names to the shell.
func fileNames(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// console opens the console on a recording.
func (rr *replayRun) console(ctx context.Context) error {
	from, err := openRecorded(ctx, rr.past, recording.Pace{})
	if err != nil {
		return err
	}
	defer from.close()
	if from.moment.Rev > 0 {
		return bad("--at %s: the console goes to a time (10:04:05, 2026-03-01 10:04:05, RFC 3339), not to a revision", rr.past.at)
	}
	if from.note != "" {
		fmt.Fprintln(rr.e.err, from.note)
	}
	o := rr.e.uiOptions(text.Render(rr.e.language(), model.Say("recording-of", model.Verbatim(model.Printable(filepath.Base(rr.past.file))))))
	start := from.moment.At
	if start.IsZero() {
		start = from.from
	}
	if info, err := os.Stat(rr.past.file); start.IsZero() && err == nil && info.IsDir() { // nobody watches a day from its beginning
		fmt.Fprintf(rr.e.err, "looking for what happened in %s (--at TIME opens it at once)\n", model.Printable(rr.past.file))
		p, _, err := rr.e.happened(ctx, rr.past, rr.actionFiles)
		if err != nil {
			return err
		}
		start, o.Notice = openingWords(p)
		for _, line := range p.Incidents() {
			fmt.Fprintln(rr.e.err, line)
		}
	}
	t := playback.New(rr.speed, rr.e.pins)
	o.Prefixes, o.NoLab, o.Playback = prefixList(nil), noCluster, t
	o.Boot = func(ctx context.Context, progress func(model.Message)) (ui.Live, error) {
		progress(model.Say("reading-the-recording"))
		segments, err := from.segments(ctx)
		var there *store.Store
		if err == nil {
			there = store.New(t.Pin(toldPins(segments)...)...)
			err = t.Load(ctx, segments, start)
		}
		if err == nil && !start.IsZero() {
			there, err = t.Go(ctx, host.Goal{Kind: host.StopTime, At: start})
		}
		if err != nil {
			return ui.Live{}, err
		}
		return ui.Live{Source: t, State: there, Actions: host.NoActions{Why: noCluster}, Cut: segments.Cut}, nil
	}
	return rr.e.show(ctx, o)
}

// openSegments opens a file at any place, or takes what a player still has of one that can only be
// read once, like a pipe.
func openSegments(ctx context.Context, file *os.File, rest *recording.Player) (*recording.Segments, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return recording.Gather(ctx, rest)
	}
	return recording.OpenSegments(ctx, file, info.Size())
}

var noCluster = model.Say("this-is-a-recording")
