package tutor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
	"locktop/ui/table"
)

// TestWords: a wait reads as a sentence, with its bound once.
func TestWords(t *testing.T) {
	rows := []struct {
		step          Step
		took          time.Duration
		present, past string
	}{
		{Step{Kind: StepWait, Text: "a to hold /l", Met: "a holds /l", Within: 10 * time.Second}, 0, "waiting for a to hold /l, at most 10s", "a holds /l"},
		{Step{Kind: StepWait, Text: "a to hold /l", Met: "a holds /l", Within: 10 * time.Second}, 3 * time.Second, "waiting for a to hold /l, at most 10s", "a holds /l (after 3s)"},
		{Step{Kind: StepWait, Text: "a to hold /l", Met: "a holds /l"}, time.Second, "waiting for a to hold /l", "a holds /l (after 1s)"},
		{Step{Kind: StepWait, Within: 10 * time.Second}, 10 * time.Second, "letting it run for 10s", "let it run for 10s"},
		{Step{Kind: StepDo, Text: "pause a"}, 0, "", "pause a"},
	}
	th := plainTheme()
	if got := pastOf(th, &rows[0].step, time.Minute, true); got != "waited in vain for a to hold /l" {
		t.Errorf("what did not come is told as %q", got)
	}
	for _, r := range rows {
		if got := pastOf(th, &r.step, r.took, false); got != r.past {
			t.Errorf("got %q, want %q", got, r.past)
		}
		if r.present != "" && present(th, &r.step) != r.present {
			t.Errorf("got %q, want %q", present(th, &r.step), r.present)
		}
	}
}

// TestWhatWasNotReadDoesNotGoOn: the time that was given to one text counts for no other, and
// for nobody who stopped it. Another page of the same text is given its own.
func TestWhatWasNotReadDoesNotGoOn(t *testing.T) {
	here := turn{3, 0}
	for _, r := range []struct {
		plays  bool
		kind   StepKind
		read   turn
		goes   bool
		reason string
	}{
		{true, StepSay, here, true, "it was read"},
		{true, StepAsk, here, true, "so was the question"},
		{false, StepSay, here, false, "it was stopped meanwhile"},
		{true, StepSay, turn{2, 0}, false, "the person was quicker"},
		{true, StepSay, turn{3, 1}, false, "another page is there: the person turned it, or the window is larger"},
		{true, StepDo, here, false, "the lab acts"},
		{true, StepVerdict, here, false, "the verdict stays"},
	} {
		p := &Panel{l: &Lesson{Answer: func(int) {}}, begun: true, plays: r.plays, steps: 3, step: Step{Kind: r.kind}}
		wants := p.Stepped(still(), StepMsg{read: &r.read})
		again := r.plays && r.read != here && r.read.steps == p.steps
		if got := len(wants) > 0; got != (r.goes || again) || r.goes != (p.steps != 3) {
			t.Errorf("%s: goes on or reads again %v, at step %d", r.reason, got, p.steps)
		}
	}
}

func plainTheme() *draw.Theme {
	return draw.NewTheme(draw.ThemeDark, termenv.Ascii, draw.SignsUnicode)
}

// still is a console on which nothing happens.
func still() host.View {
	return host.View{Frame: page.Frame{View: table.View{S: store.New().View, Th: plainTheme()}}}
}

// TestThePathShowsWhereOneIs: at every height the lesson under the cursor is there with what it
// teaches, and how many there are is said.
func TestThePathShowsWhereOneIs(t *testing.T) {
	p := &Path{Title: "locktop learn", Hint: "enter begin", Theme: draw.NewTheme(draw.ThemeMono, termenv.Ascii, draw.SignsUnicode)}
	for i := range 14 {
		p.Lessons = append(p.Lessons, PathRow{Number: i + 1, Title: fmt.Sprintf("lesson %c", 'A'+i), Teaches: fmt.Sprintf("teaches %c", 'A'+i)})
	}
	for i, name := range []string{"First", "Second", "Third", "Fourth"} {
		p.Lessons[i*4].Chapter = name
	}
	for h := 7; h < 45; h++ {
		p.Update(tea.WindowSizeMsg{Width: 80, Height: h})
		for p.At = range p.Lessons {
			text := p.View()
			if lines := strings.Count(text, "\n") + 1; lines != h {
				t.Fatalf("%d lines of %d", lines, h)
			}
			for _, want := range []string{p.Lessons[p.At].Title, p.Lessons[p.At].Teaches, fmt.Sprintf("%d/14", p.At+1), "enter begin"} {
				if !strings.Contains(text, want) {
					t.Errorf("no %s at %d rows:\n%s", want, h, text)
				}
			}
		}
	}
}

// TestWhatWasWrongIsAnsweredAgain: on the path, with why a wrong answer is not so; and the glossary.
func TestWhatWasWrongIsAnsweredAgain(t *testing.T) {
	one := &Again{Title: "Order", Scene: "a holds, b and c wait.", Text: "Who is next?", Options: []string{"b", "c"}, Whys: []string{"", "c is younger."}, Right: 1, After: "The lowest holds."}
	two := &Again{Title: "Lease", Text: "When?", Options: []string{"now", "later"}, Whys: []string{"No.", ""}, Right: 2, After: "TTL."}
	p := &Path{Title: "locktop learn", Lessons: []PathRow{{Number: 1, Title: "Order"}}, Texts: []string{"lease: what a key hangs on."}, Wrong: []*Again{one, two},
		Theme: draw.NewTheme(draw.ThemeMono, termenv.Ascii, draw.SignsUnicode)}
	p.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	press := func(keys ...string) {
		for _, k := range keys {
			msg := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(k)}
			if k == "esc" {
				msg = tea.KeyMsg{Type: tea.KeyEsc}
			}
			p.Update(msg)
		}
	}
	shows := func(want, not string) {
		t.Helper()
		if text := p.View(); !strings.Contains(text, want) || not != "" && strings.Contains(text, not) {
			t.Errorf("want %q, and not %q:\n%s", want, not, text)
		}
	}
	press("?")
	shows("lease: what a key hangs on.", "Order")
	press("esc", "w")
	shows("a holds, b and c wait.", "The lowest holds.") // without that nobody can answer
	shows("1 to 2 answer", "n next")
	press("n")
	shows("Who is next?", "When?") // it has to be answered
	press("2")
	shows("c is younger.", "")
	shows("The lowest holds.", "")
	shows("n next", "answer   ")
	press("1") // too late
	press("n", "2")
	shows("TTL.", "No.")
	press("n")
	shows("1 is not answered right yet", "When?")
	shows("esc back", "n next") // there is none
	press("esc")
	shows("Order", "right yet")
	press("w")
	shows("Who is next?", "The lowest holds.") // it is asked once more, and what was right is not
	press("1", "n")
	shows("Nothing to review", "When?")
	if one.Chosen != 1 || two.Chosen != 2 {
		t.Errorf("answered %d and %d", one.Chosen, two.Chosen)
	}
}

// TestABlankShowsWhatItOffers: under a long text with help, in few lines, too; there n sends the draft
// and turns no page.
func TestABlankShowsWhatItOffers(t *testing.T) {
	p := New(&Lesson{Title: "Fence", Next: func(context.Context) (Step, error) { return Step{}, nil }})
	p.begun, p.has = true, true
	p.step = Step{Kind: StepTask, Text: strings.Repeat("A text that is long. ", 20), Hints: 1,
		Draft: &Draft{Lines: []string{"refuse if token {op} kept"}, Blanks: []Blank{{Name: "op", Options: []Choice{{"<", "<"}, {">", ">"}}}}}}
	p.fills = newFilling(p.step.Draft)
	f := still().Frame
	f.ViewState = &page.ViewState{Height: 24}
	text := ansi.Strip(strings.Join(p.Lines(host.View{Frame: f}, f, 80, 8, false), "\n"))
	for _, want := range []string{"refuse if token", "1 <", "2 >", "try it"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q:\n%s", want, text)
		}
	}
}

// TestWhatCameOfAQuestionHidesBehindNothing: in few lines what was done before gives way, the newest
// last; and the lines are as wide as the screen is now.
func TestWhatCameOfAQuestionHidesBehindNothing(t *testing.T) {
	p := New(&Lesson{Title: "Order", Next: func(context.Context) (Step, error) { return Step{}, nil }})
	p.begun = true
	for i := range 12 {
		p.log = append(p.log, fmt.Sprintf("thing %d", i))
	}
	p.step = Step{Kind: StepSee, Options: []string{"b", "c"}, Chosen: 2, Right: 1, Measured: "b", Why: "c is younger.", Text: "The lowest holds."}
	f := still().Frame
	f.ViewState = &page.ViewState{Height: 24}
	for _, r := range []struct {
		high     int
		has, not string
		reason   string
	}{
		{5, "The lowest holds.", "thing", "there is room for the answer alone"},
		{8, "thing 11", "thing 0", "the last things have room"},
		{24, "thing 0", "", "all has"},
	} {
		text := ansi.Strip(strings.Join(p.Lines(host.View{Frame: f}, f, 80, r.high, false), "\n"))
		for _, want := range []string{"Measured: b.", "c is younger.", r.has} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q:\n%s", r.reason, want, text)
			}
		}
		if r.not != "" && strings.Contains(text, r.not+"\n") {
			t.Errorf("%s: %q is there:\n%s", r.reason, r.not, text)
		}
	}
}

// TestADraftFitsTheScreenAsItIsNow: neither an option nor a line with blanks is cut off, right after it became
// narrower and where it stands beside a page.
func TestADraftFitsTheScreenAsItIsNow(t *testing.T) {
	p := New(&Lesson{Title: "Order", Next: func(context.Context) (Step, error) { return Step{}, nil }})
	p.begun, p.has = true, true
	a, b := strings.Repeat("a", 24), "b "+strings.Repeat("b", 24)+" c d e f g end"
	p.step = Step{Kind: StepTask, Text: "Choose.", Draft: &Draft{Lines: []string{"If   create revision(\"/lock|||job\") {op} my lease", "  Then {op}", "Watch(Kvs[0].Key, WithRev(Header.Revision + 1))"},
		Blanks: []Blank{{Name: "op", Options: []Choice{{a, "a"}, {b, "b"}}}}}}
	p.fills = newFilling(p.step.Draft)
	f := still().Frame
	f.ViewState = &page.ViewState{Height: 36}
	for _, w := range []int{120, 80, 41, 30} {
		var all []string
		for _, l := range p.Lines(host.View{Frame: f}, f, w, 24, w < 80) {
			if draw.Width(l) != w {
				t.Errorf("at %d columns a line is %d wide: %q", w, draw.Width(l), l)
			}
			all = append(all, strings.Fields(ansi.Strip(l))...)
		}
		if w > 30 && !slices.ContainsFunc(all, func(word string) bool { return strings.Contains(word, "WithRev(Header.Revision") }) {
			t.Errorf("at %d columns a word is broken: %q", w, all)
		}
		text := strings.Join(all, "") // where it is broken is no matter here
		for _, want := range []string{"1 " + a, "2 " + b, "If create revision(\"/lock|||job\") >?< my lease Then >?<"} {
			if !strings.Contains(text, strings.ReplaceAll(want, " ", "")) {
				t.Errorf("at %d columns there is no %q:\n%s", w, want, text)
			}
		}
	}
}

// TestWhatFitsBesideAPage: a text does, and code that none of is cut off there.
func TestWhatFitsBesideAPage(t *testing.T) {
	for _, r := range []struct {
		code   []string
		w      int
		want   bool
		reason string
	}{
		{nil, 41, true, "a text is wrapped"},
		{[]string{"m.Lock(ctx)", "if err != nil {"}, 41, true, "short code fits"},
		{[]string{"m.Lock(ctx)", strings.Repeat("x", 35)}, 41, true, "the longest line fits"},
		{[]string{"m.Lock(ctx)", strings.Repeat("x", 36)}, 41, false, "the longest line would be cut off"},
		{[]string{strings.Repeat("锁", 18)}, 41, false, "cells count, not letters"},
	} {
		p := New(&Lesson{Title: "Order", Next: func(context.Context) (Step, error) { return Step{}, nil }})
		p.begun, p.step = true, Step{Kind: StepSay, Text: "In Go:", Code: r.code}
		if got := p.FitsBeside(r.w); got != r.want {
			t.Errorf("%s: %v", r.reason, got)
		}
		if f := still().Frame; r.want {
			f.ViewState = &page.ViewState{Height: 36}
			if text := ansi.Strip(strings.Join(p.Lines(host.View{Frame: f}, f, r.w, 30, true), "\n")); strings.Contains(text, "…") {
				t.Errorf("%s:\n%s", r.reason, text)
			}
		}
	}
}

// TestALessonIsPassedWithAllOfIt: a story that came as expected is not enough.
func TestALessonIsPassedWithAllOfIt(t *testing.T) {
	for _, r := range []struct {
		judged bool
		task   model.DrillVerdict
		want   string
		reason string
	}{
		{false, model.DrillHeld, "Passed.", "the task is done"},
		{false, model.DrillUnknown, "Not passed yet.", "the task is left"},
		{true, model.DrillUnknown, "HELD", "a drill has no task: its verdict stands"},
	} {
		p := New(&Lesson{Title: "Order", Judged: r.judged, Next: func(context.Context) (Step, error) { return Step{}, nil }})
		p.begun = true
		p.step = Step{Kind: StepVerdict, Verdict: model.DrillHeld, Lines: []Line{{Name: "one holder", Verdict: model.DrillHeld}, {Name: "task", Verdict: r.task}}}
		f := still().Frame
		f.ViewState = &page.ViewState{Height: 24}
		if text := ansi.Strip(strings.Join(p.Lines(host.View{Frame: f}, f, 80, 8, false), "\n")); !strings.Contains(text, " "+r.want) {
			t.Errorf("%s: no %q:\n%s", r.reason, r.want, text)
		}
	}
}

// TestNothingIsHiddenAfterTheLastQuestion: findings speak again once it was seen what came of the last
// question of a lesson, so also at its task and after its exam.
func TestNothingIsHiddenAfterTheLastQuestion(t *testing.T) {
	l := &Lesson{Asks: 1}
	for _, r := range []struct {
		kind   StepKind
		saw    int
		asks   bool
		reason string
	}{
		{StepSay, 0, true, "a question is to come"},
		{StepAsk, 0, true, "it is open"},
		{StepWait, 0, true, "its answer is not measured yet"},
		{StepSay, 1, false, "the lesson explains, or the exam is over"},
		{StepWait, 1, false, "the task is set up"},
	} {
		p := &Panel{l: l, begun: true, step: Step{Kind: r.kind}, saw: r.saw}
		if got := p.Asks(); got != r.asks {
			t.Errorf("%s: %v, want %v", r.reason, got, r.asks)
		}
	}
}
