package runner

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/chaos/drill"
	"locktop/model"
)

const measuredSteps = `
  - wait: {holder: a, waiters: [b]}
  - ask:
      en: How long?
      measure: {until-held: b}
      options: [{en: at once, is: "..1"}, {en: three seconds, is: "2..5"}, {en: for ever, is: "6.."}]
      answer: %d
  - fault: {kill: a}
  - wait: {holder: b, within: 8s}
  - see
`

// TestWhatIsRightIsMeasured: a file whose answer is not what was measured fails its check, and
// one in which no option fits cannot be told.
func TestWhatIsRightIsMeasured(t *testing.T) {
	for _, r := range []struct {
		answer  int
		gone    time.Duration
		right   int
		verdict drill.Verdict
		reason  string
	}{
		{2, 3 * time.Second, 2, drill.Held, "the answer is what was measured"},
		{1, 3 * time.Second, 2, drill.Violated, "the file says at once"},
		{3, 3 * time.Second, 2, drill.Violated, "the file says for ever"},
		{2, 5500 * time.Millisecond, 0, drill.Unknown, "between the options"},
		{2, 7 * time.Second, 3, drill.Violated, "this lab is slower than the file"},
	} {
		p := crashPlay()
		p.acts["kill a"] = func(p *scriptedLab) { p.goes(r.gone, "a"); p.says(r.gone, "b", holding) }
		round := Play(t.Context(), crashDrill(t, fmt.Sprintf(measuredSteps, r.answer), "  - one-holder\n"), p.stage(), Options{Seed: 9})
		right := ""
		if len(round.Screens) == 1 && round.Screens[0].Right > 0 {
			right = round.Screens[0].Question.Options[round.Screens[0].Right-1].Text.In("en")
		}
		want := []string{"", "at once", "three seconds", "for ever"}[r.right]
		if round.Verdict != r.verdict || right != want {
			t.Errorf("%s: %s, right is %q: want %s, %q\n%+v", r.reason, round.Verdict, right, r.verdict, want, round.Results)
		}
	}
}

// listener is a trainer who answers always the same, and has done some things to the lab.
type listener struct {
	choice int
	hand   []string
	missed []drill.Step
	seen   []Seen
	exam   []error
}

func (l *listener) Step(int)                                {}
func (l *listener) Say(context.Context, drill.Text)         {}
func (l *listener) Ask(context.Context, drill.Question) int { return l.choice }
func (l *listener) See(_ context.Context, s Seen)           { l.seen = append(l.seen, s) }
func (l *listener) Missed(_ context.Context, s drill.Step)  { l.missed = append(l.missed, s) }
func (l *listener) Actions() []string                       { return l.hand }
func (l *listener) Unseen(time.Time, bool, bool)            {}
func (l *listener) End(context.Context, *Run)               {}
func (l *listener) Explain(context.Context)                 {}
func (l *listener) Tries(*drill.Step)                       {}

func (l *listener) Exercise(context.Context, Exercise) map[string]string {
	return nil
}

func (l *listener) Came(_ context.Context, e Exercise, _ bool, _ drill.Text, _ *drill.Step) {
	if e.Exam {
		l.exam = append(l.exam, e.Err)
	}
}

// TestALessonGoesOnFromWhatIs: who meddles is told what did not come to pass, and gets
// the rest of the story. A drill without a trainer ends there.
func TestALessonGoesOnFromWhatIs(t *testing.T) {
	steps := "  - wait: {holder: a}\n  - wait: {holder: b, within: 60s}\n" + fmt.Sprintf(measuredSteps, 2)
	run := func(o Options) Run {
		return Play(t.Context(), crashDrill(t, steps, "  - one-holder\n"), crashPlay().stage(), o)
	}

	meddler := &listener{choice: 1, hand: []string{"pause b"}}
	round := run(Options{Seed: 3, Trainer: meddler})
	if len(round.Missed) != 1 || len(meddler.missed) != 1 || !strings.Contains(round.Missed[0], "waited 5s for b to hold /x") || meddler.missed[0].In("en") != "b holds /x" {
		t.Errorf("missed %q, told %+v: want the one step, after 5 s", round.Missed, meddler.missed)
	}
	if len(meddler.seen) != 1 || round.Err != nil || !slices.Equal(round.Actions, meddler.hand) {
		t.Errorf("the story was not told to its end: %+v", round)
	}
	quiet := run(Options{Seed: 3, Trainer: &listener{choice: 1}})
	if quiet.Verdict != drill.Unknown || len(quiet.Missed) != 1 || len(quiet.Screens) != 1 {
		t.Errorf("the lab did not do as planned, and nobody meddled: %s, %q", quiet.Verdict, quiet.Missed)
	}
	if alone := run(Options{}); len(alone.Screens) != 0 || alone.Verdict != drill.Unknown {
		t.Errorf("a drill that nobody reads went on: %s", alone.Verdict)
	}
}

// TestAStartIsHeardBeforeTheNextStep: the lab's word that a program runs may be late. Who then ends
// everything that runs, as an exam does first, has to know of it.
func TestAStartIsHeardBeforeTheNextStep(t *testing.T) {
	p := crashPlay()
	var killed time.Time
	p.acts["start c"] = func(p *scriptedLab) {
		p.after(2*time.Second, func(at time.Time) model.Event {
			return model.Contender{At: at, Name: "c", PID: 4712, Lock: "/x", Proc: model.ProcRunning}
		})
	}
	p.acts["kill a"] = func(p *scriptedLab) { killed = p.now }
	d, err := drill.Parse("late", []byte("title: Late\nlab: {contenders: [{name: a, lock: x}, {name: b, lock: x}, {name: c, lock: x, later: true}]}\nsteps:\n  - start: c\n  - fault: {kill: a}\nexpect: [one-holder]\n"))
	if err != nil {
		t.Fatal(err)
	}
	round := Play(t.Context(), d, p.stage(), Options{Seed: 1})
	if after := killed.Sub(epoch); after != 2*time.Second {
		t.Errorf("a was killed after %s, before c was heard of: %q, %v", after, p.did, round.Err)
	}
}
