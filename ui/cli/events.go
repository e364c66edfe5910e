package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"locktop/ui/report"
	"locktop/watcher"
)

// eventWords say what the words of the output mean.
const eventWords = `

The kind "first" is of keys side by side of which none is known to hold: another one came first.
The causes are released, expired, revoked, deleted, replaced (another owner put the key again in
place) and unknown.`

func (e *env) eventsCmd() *cobra.Command {
	var out outFlags
	var since sinceFlags
	cmd := &cobra.Command{
		Use:   "events",
		Short: "print handovers and findings as they happen",
		Long: "events prints what happens from now on. With --since-revision it begins with what etcd still\n" +
			"knows of the past: etcd keeps no times, so \"earlier\" stands for them (null in JSON), and how a\n" +
			"lease ended then is mostly unknown. Prefixes are read one after another. What happened while\n" +
			"locktop was stopped, or its machine slept, has no time either." + eventWords,
		Example: "  locktop events --prefix /jobs/ -o jsonl | jq .text\n  locktop events --since-revision all --for 5s",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFor(out.watch); err != nil {
				return err
			}
			o, err := since.options(watcher.Options{Prefixes: e.flags.prefixes})
			if err != nil {
				return err
			}
			return e.events(cmd.Context(), out, o)
		},
	}
	addOutput(cmd, &out.output, report.Formats, formatWords()+"; json is one list, which ends when it is ended")
	cmd.Flags().DurationVar(&out.watch, "for", 0, "end after that long (default: when it is ended)")
	since.add(cmd)
	return cmd
}

// events prints entries as they settle, until the time is over or it is ended.
func (e *env) events(ctx context.Context, out outFlags, o watcher.Options) error {
	w, err := e.watch(ctx, o)
	if err != nil {
		return err
	}
	defer w.close()
	to := report.NewEvents(e.out, w.State, out.output)
	w.OnEntry = to.Write
	return errors.Join(w.Follow(ctx, out.watch), to.Close())
}
