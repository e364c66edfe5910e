package play

import (
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
	for _, l := range Run(t.Context(), d, p.stage(), Options{}).Lines {
		if strings.Contains(l.Text, " says that it is ") {
			lines = append(lines, l.Text)
		}
	}
	if want := "a says that it is waiting, a says that it is holding"; strings.Join(lines, ", ") != want {
		t.Errorf("%q, want %q: b is a contender of the lab, which are not quoted", lines, want)
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
	lines := Run(t.Context(), d, p.stage(), Options{}).Lines
	if last := lines[len(lines)-1].Text; len(lines) > quotesMax+100 || !strings.HasSuffix(last, " more words of contenders are left out") {
		t.Errorf("%d lines, the last is %q", len(lines), last)
	}
}
