package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/ui/report"
	"locktop/watcher"
)

func discoverCmd(e *env) *cobra.Command {
	var output string
	var o watcher.DiscoverOptions
	cmd := &cobra.Command{
		Use:   "discover",
		Short: "print which prefixes look like locks",
		Long: "discover reads the keys page by page, without their values, and prints the prefixes that look like\n" +
			"locks. It makes at most --rps requests a second and ends after --max-keys keys; ctrl-c prints what\n" +
			"it has found so far. Under /registry/, where Kubernetes keeps its objects, it prints only queues of\n" +
			"claims.",
		Example: "  locktop discover\n  locktop discover --prefix /apps/ --rps 1 -o json | jq -r '.[].name'",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := inRange("--rps", o.RPS, 1, 1000, " requests per second"); err != nil {
				return err
			}
			switch {
			case o.MaxKeys < 1:
				return bad("--max-keys %d: want 1 or more", o.MaxKeys)
			case len(e.flags.prefixes) > 1:
				return bad("discover begins below one --prefix, got %d", len(e.flags.prefixes))
			}
			return discoverPrefixes(cmd.Context(), e, o, output)
		},
	}
	addOutput(cmd, &output, report.Formats, formatWords())
	cmd.Flags().Int64Var(&o.MaxKeys, "max-keys", watcher.DefaultMaxKeys, "read at most so many keys")
	cmd.Flags().IntVar(&o.RPS, "rps", watcher.DefaultRPS, "make at most so many requests a second")
	return cmd
}

// discoverPrefixes looks at the keys and prints what it found, also if it ends early.
func discoverPrefixes(ctx context.Context, e *env, o watcher.DiscoverOptions, output string) error {
	client, err := e.connect(ctx)
	if err != nil {
		return err
	}
	defer client.Close()
	o.Call = e.flags.commandTimeout
	o.Prefix, o.Pins = strings.Join(e.flags.prefixes, ""), e.pins
	if isTerminal(e.stderr) {
		o.Progress = func(done, total int64) { fmt.Fprintf(e.err, "\r%d of %d keys", done, total) }
	}
	found, failed := watcher.Discover(ctx, client, o)
	if isTerminal(e.stderr) {
		fmt.Fprintf(e.err, "\r%48s\r", "")
	}
	if failed != nil && ctx.Err() == nil && (found.Keys == 0 || errors.Is(failed, watcher.ErrOtherCluster)) {
		return badInput{failed}
	}
	if err := report.Guesses(e.out, found.Prefixes, output); err != nil {
		return err
	}
	discoveryNotes(e.err, o.Prefix, found)
	if failed != nil && ctx.Err() == nil {
		return exitCode(exitBad) // the notes say why
	}
	return failed
}

// discoveryNotes says what the list rests on, and what to do next.
func discoveryNotes(w io.Writer, prefix string, d watcher.Discovery) {
	under := ""
	if prefix != "" {
		under = " under " + model.KeysUnder(prefix)
	}
	fmt.Fprintf(w, "Scanned %s%s (%s)\n", model.CountOf(int(d.Keys), "key"), under, model.CountOf(d.Requests, "request"))
	if d.Kubernetes > 0 {
		fmt.Fprintf(w, "%s under /registry/, as of Kubernetes: of these only queues of claims are told\n", model.CountOf(int(d.Kubernetes), "key"))
	}
	if d.Partial != "" {
		fmt.Fprintf(w, "This is only a part: %s\n", d.Partial)
	}
	if len(d.Prefixes) == 0 {
		fmt.Fprintln(w, "None of them looks like a lock")
		return
	}
	watch := d.Prefixes[0].Prefix
	if d.Partial == "" && d.Small() {
		fmt.Fprintln(w, "Few enough to watch everything")
		watch = prefix
	}
	switch {
	case watch == "":
		fmt.Fprintln(w, "Next: locktop")
	case model.Printable(watch) == watch: // else no shell would pass it on
		fmt.Fprintf(w, "Next: locktop --prefix %s\n", model.ShellQuote(watch))
	}
}
