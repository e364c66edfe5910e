package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui/report"
)

func doctorCmd(e *env) *cobra.Command {
	var out outFlags
	var failOn string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "print what is wrong: findings, with evidence and what to do",
		Long: "doctor prints findings only, the worst first, and how the members answer. It exits with 1 if a finding\n" +
			"is as bad as --fail-on, which is an error unless you say otherwise: a script that is to hear of\n" +
			"warnings says --fail-on warning. Otherwise doctor exits with 2 if it could not look, or lost sight of\n" +
			"something that you asked for, and with 0 if all is well. It prints what it lost sight of, and for how\n" +
			"long. One look cannot tell all: doctor then says what, and that --for 65s does. A warning or an error\n" +
			"that came and went in that time is told, too, and counts for the exit.\n" +
			"With --expect it also exits with 1 if a lock has fewer contenders than you said when doctor answers,\n" +
			"or if there is no lock under that prefix. Where no lock is, nothing is judged: doctor then says how\n" +
			"many keys are there, and which prefixes near it have keys.\n" +
			"Findings of one cause are one story, which is printed once: ten locks or more of the same client or\n" +
			"lease, or the locks of one deadlock or one shared lease. JSON has each finding: those of one story\n" +
			"have the same number in story, and count says how many they are. A finding alone has null.\n" + beyondPrefix,
		Example: "  locktop doctor --for 65s\n  locktop doctor /jobs/ --for 30s --fail-on warning || echo 'something is wrong with the locks'\n" +
			"  locktop doctor --for 30s --fail-on warning -o json | jq -r '.findings[], .locks[].findings[] | .summary'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := out.check(cmd); err != nil {
				return err
			}
			at, err := e.lookAround(cmd.Context(), &out)
			if err != nil {
				return couldNotRun(err) // 1 would be findings
			}
			return tellDoctor(e, at, out, model.Severity(failOn))
		},
	}
	out.add(cmd, "heads")
	cmd.Flags().BoolVar(&out.leaseLists, "lease-lists", false, "compare the lists of leases of the members, too (needs root where auth is on)")
	addWord(cmd.Flags(), &failOn, "fail-on", "", "severity", []string{string(model.SevError), string(model.SevWarning), string(model.SevInfo)},
		"the least severity that makes it exit with 1: error, warning or info")
	addPlaces(cmd)
	return cmd
}

// oneLookWords say what one look at a cluster cannot tell, "" where more was seen.
func oneLookWords(out outFlags) string {
	if !out.oneLook() {
		return ""
	}
	return "One look does not tell how long anybody waits, whether leases are renewed, how fast the cluster agrees, or a deadlock from a moment: locktop doctor --for 65s"
}

// tellDoctor prints what is wrong with what was looked at.
func tellDoctor(e *env, at *observation, out outFlags, failOn model.Severity) (err error) {
	s, asked := at.State, at.locks()
	told := s.StoriesOf(at.isAsked)
	withFindings := slices.DeleteFunc(slices.Clone(asked), func(l *locks.Lock) bool { return len(s.FindingsOf(l)) == 0 })
	seen := out.observation(at)
	if out.watch > 0 && out.past.file == "" { // of a recording it tells one moment
		seen.Over = report.OverBy(s.View, at.isAsked)
	}
	beside := append(report.OverWords(seen), report.UnmetWords(at.expected)...)
	limits := at.not.limits(e.flags.leaseBudget, out.past.file != "")
	switch out.output {
	case "table":
		err = diagnosis(e.out, s, told, withFindings, report.Summary(s.View, asked, seen, len(at.not.blind)+len(at.skipped) > 0), limits, oneLookWords(out))
		for _, line := range beside {
			fmt.Fprintln(e.out, line)
		}
	case "json":
		err = report.JSON(e.out, s.View, withFindings, seen)
	default:
		err = report.Diagnoses(e.out, told, out.output)
	}
	if out.output != "table" {
		at.tellBare(e.err, out.output)
		if words := oneLookWords(out); words != "" {
			fmt.Fprintln(e.err, words)
		}
	}
	if out.output != "table" && out.output != "json" {
		for _, line := range beside {
			fmt.Fprintln(e.err, line)
		}
	}
	at.tellSkipped(e.err)
	if limits != "" && out.output != "table" {
		fmt.Fprintln(e.err, limits)
	}
	if err != nil {
		return err
	}
	for _, m := range s.Cluster().Members {
		if !m.Err.IsZero() { // one that is down is no finding: the others answer for the locks
			fmt.Fprintf(e.err, "%s did not answer when asked for its status: %s\n", model.PrintableIfNeeded(m.Endpoint), model.Short(text.English(m.Err), lineMax))
		}
	}
	notSeen := cmp.Or(notSeen(at.Name, at.not.blind), at.unmeasured(e))
	failed := slices.ContainsFunc(at.expected, func(x locks.Expectation) bool { return !x.Met() })
	failed = failed || slices.ContainsFunc(seen.Over, func(o report.Over) bool { return o.Finding.Severity.AtLeast(failOn) })
	failed = failed || slices.ContainsFunc(told, func(f model.Finding) bool { return f.Severity.AtLeast(failOn) })
	if failed && notSeen != nil { // certain, whatever was not seen besides
		tellError(e.err, notSeen)
	}
	if failed {
		return exitCode(exitFailed) // the findings were printed
	}
	return notSeen
}

// diagnosis prints the findings, the worst first: of the cluster, stories, and of each lock. Then it sums
// up, and says what it cannot tell.
func diagnosis(w io.Writer, s *store.Store, told []model.Finding, withFindings []*locks.Lock, summary string, limits ...string) error {
	for _, severity := range []model.Severity{model.SevError, model.SevWarning, model.SevInfo} {
		if err := ofSeverity(w, s, severity, told, withFindings); err != nil {
			return err
		}
	}
	for _, line := range append([]string{report.MembersLine(s.Cluster()), summary}, limits...) {
		if line == "" {
			continue
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
	}
	return nil
}

// ofSeverity prints the findings of one severity.
func ofSeverity(w io.Writer, s *store.Store, severity model.Severity, told []model.Finding, withFindings []*locks.Lock) error {
	only := func(all []model.Finding, alone bool) []model.Finding {
		return slices.DeleteFunc(slices.Clone(all), func(f model.Finding) bool { return f.Severity != severity || alone && f.Story != 0 })
	}
	if err := report.Findings(w, only(s.ClusterFindings(), false), ""); err != nil {
		return err
	}
	if err := report.Stories(w, s.View, only(told, false)); err != nil {
		return err
	}
	for _, l := range withFindings {
		found := only(s.FindingsOf(l), true)
		if len(found) == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s\n", model.Short(model.PrintableName(l.Name), lineMax)); err != nil {
			return fmt.Errorf("writing: %w", err)
		}
		if err := report.Findings(w, found, "  "); err != nil {
			return err
		}
	}
	return nil
}
