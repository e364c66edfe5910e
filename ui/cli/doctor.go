package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/ui/report"
	"locktop/watcher"
)

// errFindings makes doctor exit with 1; what was found has been printed.
var errFindings = errors.New("there are findings")

func (e *env) doctorCmd() *cobra.Command {
	var out outFlags
	var failOn string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "print what is wrong: findings, with evidence and what to do",
		Long: "doctor prints findings only. It exits with 0 if there is none as bad as --fail-on, with 1 if\n" +
			"there is, and with 2 if it could not look, or lost sight of something that was asked for: then it\n" +
			"says of what and for how long, beside what it found. Some findings need time: --for 30s.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := out.check(); err != nil {
				return err
			}
			bound := model.Severity(failOn)
			if bound != model.SevError && bound != model.SevWarning && bound != model.SevInfo {
				return bad("--fail-on %q: want error, warning or info", failOn)
			}
			return e.doctor(cmd.Context(), out, bound)
		},
	}
	out.add(cmd, "heads")
	cmd.Flags().BoolVar(&out.leaseLists, "lease-lists", false, "compare the lists of leases of the members, too (needs root where auth is on)")
	cmd.Flags().StringVar(&failOn, "fail-on", "error", "the least severity that makes it exit with 1: error, warning or info")
	return cmd
}

func (e *env) doctor(ctx context.Context, out outFlags, failOn model.Severity) error {
	s, not, err := e.look(ctx, e.flags.prefixes, out)
	if err != nil {
		return couldNotRun(ctx, err) // 1 would be findings
	}
	var sick []*model.Lock
	for _, l := range s.Locks() {
		if len(l.Findings()) > 0 {
			sick = append(sick, l)
		}
	}
	limits := e.limits(not)
	switch out.output {
	case "table":
		err = e.diagnosis(s, sick, len(not.blind) > 0, limits)
	case "json":
		err = report.JSON(e.out, s, sick, out.observation(s, e.flags.prefixes, not))
	default:
		err = report.Diagnoses(e.out, s.Findings(), out.output)
	}
	if limits != "" && out.output != "table" {
		fmt.Fprintln(e.err, limits)
	}
	if err = errors.Join(err, e.notSeen(not.blind)); err != nil {
		return err // what was found says nothing of what was not seen
	}
	for _, f := range s.Findings() {
		if f.Severity.AtLeast(failOn) {
			return errFindings
		}
	}
	return nil
}

// diagnosis prints the findings of the cluster and of each lock that has some, and sums up.
func (e *env) diagnosis(s *model.State, sick []*model.Lock, blind bool, limits string) error {
	if err := report.Findings(e.out, s.ClusterFindings(), ""); err != nil {
		return err
	}
	for _, l := range sick {
		if _, err := fmt.Fprintf(e.out, "%s\n", model.Printable(l.Name)); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
		if err := report.Findings(e.out, l.Findings(), "  "); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(e.out, summary(s, blind))
	if limits != "" && err == nil {
		_, err = fmt.Fprintln(e.out, limits)
	}
	return err
}

// summary is the last line of a diagnosis: how many findings of each severity, on how many
// locks.
func summary(s *model.State, blind bool) string {
	locks := many(len(s.Locks()), "lock")
	n := map[model.Severity]int{}
	for _, f := range s.Findings() {
		n[f.Severity]++
	}
	switch {
	case len(n) > 0:
		return fmt.Sprintf("%s, %s, %d info on %s", many(n[model.SevError], "error"), many(n[model.SevWarning], "warning"), n[model.SevInfo], locks)
	case blind:
		return "No problems in what could be seen of " + locks
	}
	_, claims := s.Counts()
	return fmt.Sprintf("No problems on %s (%s)", locks, many(claims, "claim"))
}

func (e *env) eventsCmd() *cobra.Command {
	var out outFlags
	var since sinceFlags
	cmd := &cobra.Command{
		Use:   "events",
		Short: "print handovers and findings as they happen",
		Long: "events prints what happens from now on. With --since-revision it begins with what etcd still\n" +
			"knows of the past: etcd keeps no times, so \"earlier\" stands for them (null in JSON), and how a\n" +
			"lease ended then is mostly unknown. Prefixes are read one after another.",
		Example: "  locktop events --prefix /jobs/ -o jsonl | jq .text\n  locktop events --since-revision all --for 5s",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkFormat(out.output); err != nil {
				return err
			}
			o, err := since.options(watcher.Options{Prefixes: e.flags.prefixes})
			if err != nil {
				return err
			}
			return e.events(cmd.Context(), out, o)
		},
	}
	cmd.Flags().StringVarP(&out.output, "output", "o", "table", formatWords()+"; json is one list, which ends when it is ended")
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

func (e *env) explainCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "explain [CODE | RECIPE]",
		Short:   "explain a finding or a recipe: mechanism, how it looks, what to do",
		Example: "  locktop explain ttl-reset\n  locktop explain vitess-lock",
		Args:    atMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return report.ExplainList(e.out)
			}
			if err := report.Explain(e.out, args[0]); err != nil {
				return badInput{err}
			}
			return nil
		},
	}
}

// atMostOne wants one argument or none.
func atMostOne(cmd *cobra.Command, args []string) error {
	if len(args) < 2 {
		return nil
	}
	return bad("%s takes one argument at most, got %d", cmd.CommandPath(), len(args))
}
