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

The kind "first" is for keys side by side, none of which is known to hold: another key is the first
now. The causes are released, expired, revoked, deleted, replaced (another owner put the same key)
and unknown.
Ten claims or more that go in one revision, or whose leases end one after another, are one event of
the kind "together". It has the numbers of claims (count), of locks that lost their holder (locks)
and of leases. In table and wide it stands for all of them; json, jsonl and csv have each claim as
well. In JSON all of them have the same number in story.
The kind "drill" is for the steps of a drill or a lesson, and the results of its expectations.`

func eventsCmd(e *env) *cobra.Command {
	var out outFlags
	var since sinceFlags
	cmd := &cobra.Command{
		Use:   "events",
		Short: "print handovers and findings as they happen",
		Long: "events prints what happens from now on, or with --recording what happened. With --since-revision it\n" +
			"begins with the part of the past that etcd still has. etcd keeps no times, so these events have the\n" +
			"time \"earlier\" (null in JSON), and it is mostly unknown how a lease ended then. Prefixes are read one\n" +
			"after another. Events of the time when locktop was stopped, or its machine slept, have no time\n" +
			"either." + eventWords,
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
