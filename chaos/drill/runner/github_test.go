package runner

import (
	"strings"
	"testing"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

// TestWhatGitHubShows: each run that did not hold has an annotation at its line of the file, and its
// place in the summary, with what to mend; what was let pass is a warning.
func TestWhatGitHubShows(t *testing.T) {
	took, bound, start := 7.0, 5.0, time.Unix(0, 0).UTC()
	late := Run{Verdict: drill.Violated, Seed: 7, Started: start, Results: []drill.Result{{Expectation: drill.Expectation{Line: 9, Name: "handover", Lock: "/x", Within: 5 * time.Second},
		Verdict: drill.Violated, Measured: &took, Bound: &bound, Unit: drill.Seconds, Evidence: []string{"b waited 100% | 7 s"}}},
		Targets: []*drill.Target{{Fault: model.Fault{Kind: model.FaultKill, Target: "a"}, At: start.Add(time.Second), Done: true}}}
	why := "Close the session."
	for _, r := range []struct {
		report    Report
		notRun    []string
		notes     string
		summary   string
		junit     string
		reason    string
		noFailure bool
	}{
		{Report{Drill: &drill.Drill{Name: "d", Why: drill.Text{"en": why}}, File: "drills/a,b.yaml", Rounds: []Run{late}}, nil,
			"::error title=locktop drill d%2C run 1%3A violated,file=drills/a%2Cb.yaml,line=9::handover: lock /x, within 5s: 7 s, at most 5 s%0Ab waited 100%25 | 7 s%0Aabout this drill: Close the session.\n",
			"| `d` | violated | held in 0 of 1 runs | handover: lock /x: 7 s, at most 5 s; b waited 100% \\| 7 s; violated |", `value="1.0 s: kill a"`, "it stands at its line", false},
		{Report{Drill: &drill.Drill{Name: "d", Why: drill.Text{"en": why}}, Rounds: []Run{{Verdict: drill.Unknown, Reason: "step 3: it was free"}}}, nil,
			"::error title=locktop drill d%2C run 1%3A unknown::step 3: it was free%0Aabout", "- step 3: it was free", `<error message="step 3: it was free">`, "why nothing is known", false},
		{Report{Drill: &drill.Drill{Name: "d"}, Rounds: []Run{{Verdict: drill.Held, Seed: 1}, late}, Repeats: &Repeats{Asked: 2, Held: 1, Violated: 1, Need: 1}}, nil,
			"::warning title=locktop drill d%2C run 2%3A violated::", "flaky: held in 1 of 2 runs; run 2 (seed 7) was violated: handover: lock /x: 7 s, at most 5 s; b waited 100% \\| 7 s; violated; run 1 (seed 1) held",
			`<flakyFailure message="expected handover: lock /x, within 5s; seen: 7 s`, "a flake that was let pass", true},
		{Report{Drill: &drill.Drill{Name: "d"}, Rounds: []Run{{Verdict: drill.Held, Seed: 1}, late}, Repeats: &Repeats{Asked: 2, Held: 1, Violated: 1}}, nil,
			"::error title=locktop drill d::held in 1 of 2 runs\n", "| held in 1 of 2 runs |", `<failure message="expected held in 2 of 2 runs; seen: held in 1 of 2 runs">`, "and one that was not", false},
		{Report{Drill: &drill.Drill{Name: "d"}, Rounds: []Run{{Verdict: drill.Held}}}, []string{"e"}, "::error title=locktop drill e::it was not run\n", "| `e` | unknown | not run | |", `name="drill e"`, "one that was left out", false},
	} {
		s := Suite{Reports: []Report{r.report}, NotRun: r.notRun}
		for name, write := range map[string]func(*strings.Builder) error{
			r.notes: func(b *strings.Builder) error { return s.Annotations(b) }, r.summary: func(b *strings.Builder) error { return s.Summary(b) }, r.junit: func(b *strings.Builder) error { return s.JUnit(b) },
		} {
			var b strings.Builder
			if err := write(&b); err != nil || !strings.Contains(b.String(), name) {
				t.Errorf("%s: want %s (%v) in\n%s", r.reason, name, err, b.String())
			}
			if r.noFailure && strings.Contains(b.String(), "<failure") {
				t.Errorf("%s: it fails the build\n%s", r.reason, b.String())
			}
		}
	}
}

// TestWhatToMendIsSaidOnce: sixteen drills may fail for two faults of a program. Who has the output alone is told
// of the faults first, with the drills that want them mended.
func TestWhatToMendIsSaidOnce(t *testing.T) {
	failed := func(name, mend string) Report {
		return Report{Drill: &drill.Drill{Name: name}, Rounds: []Run{{Verdict: drill.Violated, Results: []drill.Result{{Verdict: drill.Violated, Mend: mend}, {Verdict: drill.Violated, Mend: mend}}}}}
	}
	ended := Report{Drill: &drill.Drill{Name: "d"}, Rounds: []Run{{Verdict: drill.Unknown, Mend: "ask again"}}}
	passed := Report{Drill: &drill.Drill{Name: "e"}, Rounds: []Run{{Verdict: drill.Held, Results: []drill.Result{{Verdict: drill.Held, Mend: "nothing"}}}}}
	s := Suite{Reports: []Report{failed("a", "let go"), failed("b", "end the work"), failed("c", "end the work"), ended, passed, failed("f", "")}}
	for _, r := range []struct {
		write  func(*strings.Builder) error
		want   string
		reason string
	}{
		{func(b *strings.Builder) error { return s.Text(b) }, "to mend: end the work (b, c)\nto mend: ask again (d)\nto mend: let go (a)\n6 drills: 1 held", "most drills first, each fault once"},
		{func(b *strings.Builder) error { return s.Annotations(b) }, "::error title=locktop%3A what to mend::end the work (b, c)%0Aask again (d)%0Alet go (a)\n::error title=locktop drill a", "before those of the drills: a page shows ten"},
		{func(b *strings.Builder) error { return s.Summary(b) }, "#### What to mend\n\n- end the work (b, c)\n- ask again (d)\n- let go (a)\n", "on the page of the job"},
	} {
		var b strings.Builder
		if err := r.write(&b); err != nil || !strings.Contains(b.String(), r.want) {
			t.Errorf("%s: want %q (%v) in\n%s", r.reason, r.want, err, b.String())
		}
	}
}

// TestNamesStay: a case is called the same whatever its bounds are, and two of one name are told apart.
func TestNamesStay(t *testing.T) {
	names := func(ttl time.Duration) string {
		round := Run{Results: []drill.Result{{Expectation: drill.Expectation{Name: "handover", Lock: "/x", To: "b", Within: ttl}, Verdict: drill.Held},
			{Expectation: drill.Expectation{Name: "handover", Lock: "/x", To: "b", After: 3, Within: ttl}, Verdict: drill.Held}}}
		var all []string
		for _, c := range (Report{Drill: &drill.Drill{Name: "d"}}).junit(0, round).Cases {
			all = append(all, c.Name)
		}
		return strings.Join(all, "; ")
	}
	const want = "handover: lock /x, to b; handover: lock /x, to b (2); the run"
	for _, ttl := range []time.Duration{2 * time.Second, 9 * time.Second} {
		if got := names(ttl); got != want {
			t.Errorf("%s: %s", ttl, got)
		}
	}
}
