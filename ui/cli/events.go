package cli

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"locktop/ui/report"
	"locktop/watcher"
	"locktop/watcher/recording"
)

// eventWords say what the words of the output mean.
const eventWords = `

The kind "first" is of keys side by side of which none is known to hold: another one came first.
The causes are released, expired, revoked, deleted, replaced (another owner put the key again in
place) and unknown.
Ten claims or more that go in one revision, or whose leases end one after another, are one event of
the kind "together", with the numbers of claims (count), locks that lost their holder (locks) and
leases. It stands for all of them in table and wide; json, jsonl and csv have each of them as well.
In JSON they and that event have the same number in story.
The kind "drill" is what a drill or a lesson tells of itself: its steps, and what came of each
expectation.`

func eventsCmd(e *env) *cobra.Command {
	var out outFlags
	var since sinceFlags
	cmd := &cobra.Command{
		Use:   "events",
		Short: "print handovers and findings as they happen",
		Long: "events prints what happens from now on, or with --recording what happened. With --since-revision\n" +
			"it begins with what etcd still knows of the past: etcd keeps no times, so \"earlier\" stands for them\n" +
			"(null in JSON), and how a lease ended then is mostly unknown. Prefixes are read one after another.\n" +
			"What happened while locktop was stopped, or its machine slept, has no time either." + eventWords,
		Example: "  locktop events --prefix /jobs/ -o jsonl | jq .text\n  locktop events --since-revision all --for 5s",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			past, err := out.past.asked(cmd, "for", "since-revision", "since-max")
			if err = cmp.Or(err, checkFor(out.watch)); err != nil {
				return err
			}
			if past {
				return pastEvents(cmd.Context(), e, out.past, 0, out.output)
			}
			o, err := since.options(watcher.Options{Prefixes: e.flags.prefixes})
			if err != nil {
				return err
			}
			return followEvents(cmd.Context(), e, out, o)
		},
	}
	addOutput(cmd, &out.output, report.Formats, formatWords()+"; json is one list, which ends when it is ended")
	cmd.Flags().DurationVar(&out.watch, "for", 0, "end after that long (default: when it is ended)")
	since.add(cmd)
	out.past.add(cmd)
	return cmd
}

// followEvents prints entries as they settle, until the time is over or it is ended.
func followEvents(ctx context.Context, e *env, out outFlags, o watcher.Options) error {
	w, err := e.watch(ctx, o)
	if err != nil {
		return err
	}
	defer w.close()
	to := report.NewEvents(e.out, w.State, out.output)
	w.OnEntry = to.Write
	if err := errors.Join(w.Follow(ctx, out.watch), to.Close()); err != nil || ctx.Err() != nil {
		return err
	}
	return notFollowed(w) // the time is over, and this is the answer
}

// pastEvents prints what happened in a recording, so many times as fast; 0: at once.
func pastEvents(ctx context.Context, e *env, past pastFlags, speed float64, format string) error {
	r, err := e.openPast(ctx, past, recording.Pace{Speed: speed})
	if err != nil {
		return err
	}
	defer r.close()
	to := report.NewEvents(e.out, r.State, format)
	r.OnEntry = to.Write
	return errors.Join(r.Follow(ctx, 0), to.Close())
}
