package runner

import (
	"io"
	"strings"
	"testing"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

// TestAProgramThatRepeatsItself: the timeline has a line for each change of what a program
// believes, and nobody can fill the memory by saying the same again.
func TestAProgramThatRepeatsItself(t *testing.T) {
	p := crashPlay()
	for i := range 500 {
		p.says(time.Duration(i)*time.Millisecond, "a", holding)
	}
	d := crashDrill(t, crashSteps, crashExpect)
	d.Lab.Contenders[0].Program = &drill.Program{Command: []string{"w"}}
	var lines []string
	for _, l := range Play(t.Context(), d, p.stage(), Options{}).Lines {
		if strings.Contains(l.Text, " says that it is ") {
			lines = append(lines, l.Text)
		}
	}
	if want := "a says that it is waiting, a says that it is holding"; strings.Join(lines, ", ") != want {
		t.Errorf("%q, want %q: b is a contender of the lab, which are not quoted", lines, want)
	}
}

// TestAVerdictTellsLateWrites: what etcd accepted of a program after its word stands beside each
// verdict, one that held too, wherever the verdict does.
func TestAVerdictTellsLateWrites(t *testing.T) {
	p := crashPlay()
	p.acts["kill b"] = func(p *scriptedLab) {
		p.says(0, "a", model.BeliefIdle)
		for i := range 6 {
			p.after(time.Duration(i+3)*100*time.Millisecond, func(at time.Time) model.Event {
				return model.Wrote{At: at, Asked: at, Client: model.Client{Name: "a", Certain: true}, Key: "/work", Rev: 9, Told: true}
			})
		}
	}
	d := crashDrill(t, "  - wait: {holder: a, waiters: [b]}\n  - fault: {kill: b}\n  - pause: 2s\n", "  - one-holder\n")
	d.Lab.Contenders[0].Program = &drill.Program{Command: []string{"w"}}
	r := Report{Drill: d, Rounds: []Run{Play(t.Context(), d, p.stage(), Options{})}}
	if v := r.Verdict(); v != drill.Held {
		t.Fatalf("%s, want a run that holds: %+v", v, r.Rounds[0].Results)
	}
	const want = "etcd accepted 6 writes of a after it said idle: /work; the last at "
	for name, write := range map[string]func(io.Writer) error{"the text": func(w io.Writer) error { return r.Text(w, false) }, "JSON": r.JSON, "JUnit": r.JUnit,
		"JSON of a suite": Suite{Reports: []Report{r}}.JSON, "JUnit of a suite": Suite{Reports: []Report{r}}.JUnit} {
		var b strings.Builder
		if err := write(&b); err != nil || strings.Count(b.String(), want) != 1 {
			t.Errorf("%s: %v, want once %q in\n%s", name, err, want, b.String())
		}
	}
}

// TestAProgramThatChangesItsMind all the time fills no report: what is left out is counted.
func TestAProgramThatChangesItsMind(t *testing.T) {
	p := crashPlay()
	for i := range 10 * quotesMax {
		p.says(time.Duration(i)*time.Microsecond, "a", []model.BeliefState{holding, model.BeliefIdle}[i%2])
	}
	d := crashDrill(t, crashSteps, crashExpect)
	d.Lab.Contenders[0].Program = &drill.Program{Command: []string{"w"}}
	lines := Play(t.Context(), d, p.stage(), Options{}).Lines
	if last := lines[len(lines)-1].Text; len(lines) > quotesMax+100 || !strings.HasSuffix(last, " more words of contenders are left out") {
		t.Errorf("%d lines, the last is %q", len(lines), last)
	}
}
