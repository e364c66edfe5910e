package runner

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"locktop/chaos/drill"
)

func TestThresholds(t *testing.T) {
	runs := func(seconds ...float64) (all []Figures) {
		for _, s := range seconds {
			all = append(all, Figures{"handover": {s / 2, s}})
		}
		return all
	}
	twenty := runs(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 9)
	for _, r := range []struct {
		text   string
		asked  int
		runs   []Figures
		want   drill.Verdict
		says   string
		reason string
	}{
		{"handover p95 < 6s", 20, twenty, drill.Held, "handover p95 of 20 runs: 5 s, to be below 6s", "one of twenty may be slower"},
		{"handover p95<5s", 20, twenty, drill.Violated, "5 s, to be below 5s", "below is not at"},
		{"handover max < 9s", 20, twenty, drill.Violated, "handover max of 20 runs: 9 s", "the slowest of all"},
		{"handover p50 < 1500ms", 20, twenty, drill.Held, ": 1 s, to be below 1.5s", "the middle"},
		{"handover p95 < 6s", 4, runs(1, 1, 1, 7), drill.Violated, "of 4 runs: 7 s", "of few runs the slowest counts"},
		{"handover p95 < 6s", 4, runs(1, 1, 1), drill.Unknown, "1 runs have no such figure; to know it: each run has to measure handover", "a run that measured nothing"},
		{"handover max < 6s", 4, runs(1, 7, 1), drill.Violated, "7 s", "too slow whatever the fourth had been"},
		{"handover p50 < 6s", 4, runs(7, 7), drill.Unknown, "p50 of 2 runs: 7 s", "the other two may have been fast"},
		{"stops max < 6s", 2, runs(1, 1), drill.Unknown, "nothing measured", "nothing at all"},
	} {
		th, err := ParseThreshold(r.text)
		if err != nil {
			t.Fatal(err)
		}
		if c := th.Check(r.asked, r.runs); c.Verdict() != r.want || !strings.Contains(c.Text(), r.says) {
			t.Errorf("%s: %s, %q; want %s and %q", r.reason, c.Verdict(), c.Text(), r.want, r.says)
		}
	}
	for _, bad := range []struct{ text, want string }{
		{"", "want NAME pNN < DURATION"}, {"handover < 6s", "want NAME"}, {"handover p95 > 6s", "want NAME"}, {"handover p100 < 6s", "want NAME"},
		{"fifo p95 < 6s", `no expectation "fifo" that measures a time`}, {"handover p95 < 6", "missing unit"}, {"handover p95 < -1s", "want more than 0"},
	} {
		if _, err := ParseThreshold(bad.text); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%q: %v, want %q", bad.text, err, bad.want)
		}
	}
	for _, name := range drill.Timed() {
		if _, ok := drill.Info(name); !ok {
			t.Errorf("there is no expectation %s", name)
		}
	}
}

// TestSeriesInReports: what came of all runs together stands in every report, and decides.
func TestSeriesInReports(t *testing.T) {
	round := func(v drill.Verdict, took float64) Run {
		return Run{Verdict: v, Results: []drill.Result{{Expectation: drill.Expectation{Name: "handover"}, Verdict: v, Measured: &took, Unit: drill.Seconds}}}
	}
	r := Report{Drill: &drill.Drill{Name: "d", Expect: []drill.Expectation{{Name: "handover"}}}, Rounds: []Run{round(drill.Held, 4), round(drill.Violated, 8)}}
	for _, tt := range []struct {
		need  int
		below time.Duration
		want  drill.Verdict
		json  string
		junit string
	}{
		{0, 9 * time.Second, drill.Violated, `"held": 1`, `<failure message="expected held in 2 of 2 runs; seen: held in 1 of 2 runs">`},
		{1, 9 * time.Second, drill.Held, `"text": "handover max of 2 runs: 8 s, to be below 9s"`, `<testcase classname="d" name="handover max"></testcase>`},
		{1, 7 * time.Second, drill.Violated, `"threshold": "handover max < 7s"`, `<failure message="handover max of 2 runs: 8 s, to be below 7s">`},
	} {
		th := Threshold{Name: "handover", Percentile: "max", Below: tt.below}
		r.Repeats = r.Together(Repeats{Asked: 2, Need: tt.need}, []Threshold{th, {Name: "stops", Percentile: "p50", Below: 1}},
			[]Figures{r.Rounds[0].Figures(), r.Rounds[1].Figures()})
		var text, object, junit bytes.Buffer
		if err := r.Repeats.Text(&text, "d"); err != nil {
			t.Fatal(err)
		}
		if err := r.JSON(&object); err != nil {
			t.Fatal(err)
		}
		if err := r.JUnit(&junit); err != nil {
			t.Fatal(err)
		}
		if len(r.Repeats.Checks) != 1 {
			t.Errorf("%d thresholds, want that of what the drill expects alone", len(r.Repeats.Checks))
		}
		if r.Verdict() != tt.want || r.Repeats.ExitCode(drill.Violated.ExitCode()) != tt.want.ExitCode() || !strings.Contains(object.String(), tt.json) || !strings.Contains(junit.String(), tt.junit) {
			t.Errorf("%+v: %s\n%s\n%s\n%s", tt, r.Verdict(), text.String(), object.String(), junit.String())
		}
		if !strings.Contains(text.String(), "d: held in 1 of 2 runs") || !strings.Contains(text.String(), "handover max of 2 runs: 8 s") {
			t.Errorf("%s", text.String())
		}
	}
	for _, tt := range []struct {
		s       Repeats
		want    drill.Verdict
		says    string
		element string
		reason  string
	}{
		{Repeats{Asked: 20, Held: 20}, drill.Held, "held in 20 of 20 runs", "></testcase>", "all"},
		{Repeats{Asked: 20, Held: 3}, drill.Unknown, "held in 3 of 20 runs, unknown in 17", "<error ", "a series that was cut off judged less than was asked"},
		{Repeats{Asked: 20, Held: 19, Violated: 1}, drill.Violated, "held in 19 of 20 runs", "<failure ", "one that an earlier call ran counts, too"},
		{Repeats{Asked: 20, Held: 15, Need: 19}, drill.Unknown, "unknown in 5", "<error ", "they may have held"},
		{Repeats{Asked: 20, Held: 15, Violated: 2, Need: 19}, drill.Violated, "unknown in 3", "<failure ", "too few, whatever the others were"},
		{Repeats{Asked: 20, Held: 19, Need: 19}, drill.Held, "unknown in 1", "></testcase>", "as many as are needed"},
	} {
		var junit bytes.Buffer
		report := Report{Drill: &drill.Drill{Name: "d"}, Repeats: &tt.s, Rounds: []Run{{Verdict: drill.Held}}}
		if err := report.JUnit(&junit); err != nil {
			t.Fatal(err)
		}
		_, last, _ := strings.Cut(junit.String(), "all runs")
		if report.Verdict() != tt.want || tt.s.ExitCode(0) != tt.want.ExitCode() || !strings.Contains(tt.s.sentence(), tt.says) || !strings.Contains(last, tt.element) {
			t.Errorf("%s: %s, %q; want %s, %q\n%s", tt.reason, report.Verdict(), tt.s.sentence(), tt.want, tt.says, last)
		}
	}
	if got := (Repeats{Asked: 2}).ExitCode(drill.ExitCouldNotRun); got != drill.ExitCouldNotRun {
		t.Errorf("exit %d: a run that could not be run is no help to anybody", got)
	}
}
