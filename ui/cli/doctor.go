package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/model/fold"
	"locktop/ui/report"
)

func (e *env) doctorCmd() *cobra.Command {
	var out outFlags
	var failOn string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "print what is wrong: findings, with evidence and what to do",
		Long: "doctor prints findings only. It exits with 0 if there is none as bad as --fail-on, with 1 if\n" +
			"there is, and otherwise with 2 if it could not look, or lost sight of something that was asked for.\n" +
			"Beside what it found it says of what it lost sight, and for how long. Some findings need time:\n" +
			"--for 30s.",
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := out.check(cmd); err != nil {
				return err
			}
			return e.doctor(cmd.Context(), out, model.Severity(failOn))
		},
	}
	out.add(cmd, "heads")
	cmd.Flags().BoolVar(&out.leaseLists, "lease-lists", false, "compare the lists of leases of the members, too (needs root where auth is on)")
	addWord(cmd.Flags(), &failOn, "fail-on", "", "severity", []string{string(model.SevError), string(model.SevWarning), string(model.SevInfo)},
		"the least severity that makes it exit with 1: error, warning or info")
	return cmd
}

func (e *env) doctor(ctx context.Context, out outFlags, failOn model.Severity) error {
	on, not, err := e.look(ctx, e.flags.prefixes, &out)
	if err != nil {
		return couldNotRun(ctx, err) // 1 would be findings
	}
	s := on.State
	var sick []*model.Lock
	for _, l := range s.Locks() {
		if len(l.Findings()) > 0 {
			sick = append(sick, l)
		}
	}
	limits := e.limits(not, out.past.file != "")
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
	if err != nil {
		return err
	}
	for _, m := range s.Cluster().Members {
		if m.ID == 0 && m.Err != "" { // which member it is nobody knows, so there is no finding
			fmt.Fprintf(e.err, "%s did not say how its member does: %s\n", model.Told(m.Endpoint), model.Short(model.Told(m.Err), lineMax))
		}
	}
	notSeen := notSeen(on.Name, not.blind)
	for _, f := range s.Findings() {
		if f.Severity.AtLeast(failOn) { // certain, whatever was not seen besides
			if notSeen != nil {
				tellError(e.err, notSeen)
			}
			return errFindings
		}
	}
	return notSeen
}

// diagnosis prints the findings of the cluster and of each lock that has some, and sums up.
func (e *env) diagnosis(s *fold.State, sick []*model.Lock, blind bool, limits string) error {
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
	_, err := fmt.Fprintln(e.out, report.Summary(s, blind))
	if limits != "" && err == nil {
		_, err = fmt.Fprintln(e.out, limits)
	}
	return err
}
