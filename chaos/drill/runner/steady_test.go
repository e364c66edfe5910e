package runner

import (
	"context"
	"errors"
	"strings"
	"testing"

	"locktop/chaos/drill"
)

// TestSteady: a question of the user's own is asked before the first fault and after the last, and a
// run that begins while it is not well says nothing.
func TestSteady(t *testing.T) {
	for _, r := range []struct {
		ask    func(n int) error
		want   drill.Verdict
		seen   string
		reason string
	}{
		{func(int) error { return nil }, drill.Held, "", "all is well"},
		{func(n int) error {
			if n == 1 {
				return errors.New("not up yet")
			}
			return nil
		}, drill.Held, "", "it may take a moment to be well"},
	} {
		n := 0
		round := Play(t.Context(), crashDrill(t, crashSteps, crashExpect), crashPlay().stage(), Options{Steady: []Steady{{Name: "exec:./jobs", Ask: func(context.Context) error { n++; return r.ask(n) }}}})
		last := round.Results[len(round.Results)-1]
		if n < 2 || last.Name != "steady" || last.Text != "exec:./jobs" || last.Verdict != r.want || !strings.Contains(strings.Join(last.Evidence, ""), r.seen) {
			t.Errorf("%s: asked %d times: %+v", r.reason, n, last)
		}
	}
	round := Play(t.Context(), crashDrill(t, "  - pause: 10ms\n", "  - quiet\n"), crashPlay().stage(), Options{Steady: []Steady{{Name: "x", Ask: func(context.Context) error { return nil }}}})
	if last := round.Results[len(round.Results)-1]; round.Verdict != drill.Unknown || !strings.Contains(last.Evidence[0], "there was no fault") {
		t.Errorf("nothing was disturbed: %+v", last)
	}
}

// TestWhatSteadyComesTo: what failed while a fault was in force is a violation, unless it may.
func TestWhatSteadyComesTo(t *testing.T) {
	bad := errors.New("two jobs")
	for _, r := range []struct {
		s      *steadyState
		want   drill.Verdict
		says   string
		reason string
	}{
		{&steadyState{began: true, over: true, asked: 9}, drill.Held, "", "well all the time"},
		{&steadyState{began: true, over: true, asked: 9, failed: 2, first: "10:00 two jobs", last: "10:01 two jobs"}, drill.Violated, "2 of 9 answers while the drill ran: the first 10:00 two jobs", "it failed meanwhile"},
		{&steadyState{Steady: Steady{Recovers: true}, began: true, over: true, asked: 9, failed: 2, first: "a", last: "b"}, drill.Held, "well afterwards: the last b", "which it may"},
		{&steadyState{Steady: Steady{Recovers: true}, began: true, over: true, after: bad}, drill.Violated, "10s after every fault was healed: two jobs", "but not for ever"},
		{&steadyState{began: true, before: bad}, drill.Unknown, "before the first fault: two jobs; to know it: ", "it was not well before"},
		{&steadyState{began: true}, drill.Unknown, "asked once more; to know it: ", "the run was cut off"},
		{&steadyState{}, drill.Unknown, "it was not asked", "nothing was done"},
	} {
		s := steadyStates{all: []*steadyState{r.s}, end: func() {}}
		if got := s.results()[0]; got.Verdict != r.want || !strings.Contains(strings.Join(got.Evidence, "\n"), r.says) {
			t.Errorf("%s: %s %q, want %s %q", r.reason, got.Verdict, got.Evidence, r.want, r.says)
		}
	}
}
