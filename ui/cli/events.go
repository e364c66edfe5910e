package cli

import (
	"cmp"
	"context"
	"errors"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/model/journal"
	"locktop/ui/report"
	"locktop/watcher"
	"locktop/watcher/recording"
)

// eventWords say what the words of the output mean.
const eventWords = `

The kind "first" is for keys side by side, none of which is known to hold: another key is the first
now. The causes are released, expired, revoked, deleted, replaced (another owner put the same key)
and unknown. Released says that the key was deleted while its lease lived, which is certain. That its
owner did it is a hint: a delete by others looks the same. It is strong where the session queues
again at once, as it always does, and certain where the proxy saw the call.
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
			"after another. Events of the time when locktop was stopped, its machine slept, or etcd could not\n" +
			"be reached have no time either: \"≤10:04:05.12\" says when locktop learnt of it, and JSON has the times\n" +
			"between which it happened in not_before and not_after. held_at_least, held_at_most, waited_at_least\n" +
			"and waited_at_most are bounds in seconds, the same where it was seen whole, null where none is known." + eventWords,
		Example: "  locktop events /jobs/ -o jsonl | jq .text\n  locktop events --since-revision all --for 5s",
		RunE: func(cmd *cobra.Command, _ []string) error {
			past, err := out.past.isUsed(cmd, "for", "watch", "since-revision", "since-max")
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
	cmd.Flags().BoolP("watch", "w", true, "print what happens until it is ended, which events does anyway")
	since.add(cmd)
	out.past.add(cmd)
	addPlaces(cmd)
	return cmd
}

// followEvents prints entries as they settle, until the time is over or it is ended.
func followEvents(ctx context.Context, e *env, out outFlags, o watcher.Options) error {
	w, err := e.watch(ctx, o)
	if err != nil {
		return err
	}
	defer w.close()
	to := report.NewEvents(e.out, w.State.View, out.output)
	w.OnEntry = to.Write
	at, told := &observation{Session: w.Session}, false
	w.OnBatch = func(model.Batch) error {
		if !told && w.State.Coverage().LoadedButDenied() {
			told = true
			e.measure(ctx, at, o.Prefixes, &out)
			at.tellBare(e.err, "")
		}
		return nil
	}
	err = w.Follow(ctx, out.watch)
	var not error
	if err == nil {
		not = e.followed(ctx, w.Session, false)
	}
	return errors.Join(err, to.Close(), not)
}

// pastEvents prints what happened in a recording, so many times as fast; 0: at once.
func pastEvents(ctx context.Context, e *env, past pastFlags, speed float64, format string) error {
	r, err := e.openPast(ctx, past, recording.Pace{Speed: speed})
	if err != nil {
		return err
	}
	defer r.close()
	to := report.NewEvents(e.out, r.State.View, format)
	r.OnEntry = func(entry *journal.Entry) error {
		if entry.At.Before(r.from) {
			return nil
		}
		return to.Write(entry)
	}
	err = errors.Join(r.Follow(ctx, 0), to.Close())
	if err == nil {
		err = r.covers(past)
	}
	at := &observation{Session: r.Session}
	e.measure(ctx, at, nil, &outFlags{past: past})
	at.tellBare(e.err, "")
	return err
}
