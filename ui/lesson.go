package ui

import (
	"context"
	"strconv"
	"time"

	"locktop/ui/draw"

	tea "github.com/charmbracelet/bubbletea"
)

// Lesson is a rehearsal that is told step by step, in a pane under every page. It
// is told in the language of the person already.
type Lesson struct {
	// Title is a line, Why a paragraph. It is read before the first step is asked for.
	Title, Why string
	// Next blocks until there is a next step. After StepSay and StepAsk it is called
	// when Answer was; after StepVerdict and StepDone no more. An error ends the
	// lesson, and is shown.
	Next func(ctx context.Context) (LessonStep, error)
	// Answer says that the person goes on: with the option chosen, from 1, after
	// StepAsk, with 0 after StepSay. It is not called on the goroutine of the screen.
	Answer func(choice int)
}

// StepKind is what a step of a lesson is.
type StepKind string

// Kinds of steps.
const (
	StepSay     StepKind = "say"     // a text, until the person goes on
	StepAsk     StepKind = "ask"     // a question that the person answers
	StepDo      StepKind = "do"      // what is being done now
	StepWait    StepKind = "wait"    // what is waited for
	StepVerdict StepKind = "verdict" // how it ended, the last step
	StepDone    StepKind = "done"    // it ended without a verdict
)

// LessonStep is one step of a lesson. Its texts need not be fit for a terminal.
type LessonStep struct {
	Kind StepKind
	// Text is what is said, asked, done ("kill a") or waited for ("b to hold /l"); a
	// StepWait without one lets time pass. An empty line parts paragraphs. For StepVerdict it is a remark, or empty.
	Text string
	// Options are the answers to StepAsk; Right is the one that is so, from 1, or 0
	// if none is.
	Options []string
	Right   int
	// Within bounds a StepWait; 0: it is not bounded.
	Within time.Duration
	// Verdict is the word of a StepVerdict, and Lines its expectations.
	Verdict Verdict
	Lines   []LessonLine
}

// Verdict says whether what was expected was so.
type Verdict string

// Verdicts. Any other word is shown like VerdictUnknown.
const (
	VerdictHeld     Verdict = "held"
	VerdictViolated Verdict = "violated"
	VerdictUnknown  Verdict = "unknown"
)

// LessonLine is an expectation with what was measured and the bound it has.
type LessonLine struct {
	Name, Measured, Bound string
	Verdict               Verdict
}

// lessonPane is how far a lesson has come.
type lessonPane struct {
	l      *Lesson
	step   LessonStep // of no kind before the first one
	log    []string   // what was done and waited for since the last text
	since  time.Time  // when the step came
	err    error
	begun  bool // its why was read
	folded bool // only its title is shown
	closed bool

	page, pages int  // of the text, as far as it does not fit
	has         bool // the keyboard is with the options
	at          int  // the option under the cursor, from 0
	chosen      int  // the answer, from 1; 0: none yet
	steps       int  // how many there were
	drawn       drawn
	body        [][]draw.Span // what was drawn of it
	right       int           // how many predictions were right, of how many
	asked       int
}

type lessonMsg struct {
	step LessonStep
	err  error
}

// lessonLogMax bounds how much of what was done stands in the pane.
const lessonLogMax = 32

// showing says whether there is a pane.
func (p *lessonPane) showing() bool { return p != nil && !p.closed }

// over says whether nothing more will come.
func (p *lessonPane) over() bool {
	return p.err != nil || p.step.Kind == StepVerdict || p.step.Kind == StepDone
}

// acts says whether the lab does something, and nothing is waited for from the
// person.
func (p *lessonPane) acts() bool { return p.step.Kind == StepDo || p.step.Kind == StepWait }

// begin asks for the first step, once the person has read what the lesson is for.
func (a *App) begin() tea.Cmd {
	a.lesson.begun, a.lesson.since, a.lesson.page = true, a.now, 0
	return a.nextStep()
}

func (a *App) nextStep() tea.Cmd {
	l, ctx := a.lesson.l, a.ctx
	return func() tea.Msg {
		step, err := l.Next(ctx)
		return lessonMsg{step, err}
	}
}

// stepped takes a step in.
func (a *App) stepped(m lessonMsg) tea.Cmd {
	p := a.lesson
	if m.err != nil {
		if a.ctx.Err() == nil {
			p.err, p.has, p.page = m.err, false, 0
		}
		return nil
	}
	switch {
	case !p.acts():
		p.log = nil
	default:
		if text := p.step.past(a.now.Sub(p.since)); text != "" {
			p.log = append(p.log[max(0, len(p.log)-lessonLogMax+1):], text)
		}
	}
	p.steps++
	p.step, p.since, p.page, p.at, p.chosen, p.has = m.step, a.now, 0, 0, 0, false
	if p.acts() {
		return a.nextStep()
	}
	return nil
}

func (a *App) whyNoLesson() string {
	switch p := a.lesson; {
	case !p.showing():
		return "no lesson is being told"
	case p.folded || p.page < p.pages-1 || p.over() || !p.begun:
		return ""
	case p.step.Kind != StepSay && p.step.Kind != StepAsk:
		return "the lesson goes on by itself, when the lab has done its part"
	}
	return ""
}

// goOn is what the lesson waits for: the rest of a text, the next step, the answer
// to a question, or the end.
func (a *App) goOn() tea.Cmd {
	p := a.lesson
	switch {
	case p.folded:
		p.folded = false
	case p.page < p.pages-1:
		p.page++
	case !p.begun:
		return a.begin()
	case p.over():
		p.closed, p.has = true, false
	case p.step.Kind == StepAsk && p.chosen == 0:
		p.has = true
	default:
		return a.answer(p.chosen)
	}
	return nil
}

// fold hides the lesson but for its title, which says when it waits, or shows it again.
func (a *App) fold() {
	a.lesson.folded = !a.lesson.folded
}

func (a *App) whyNoFold() string {
	if !a.lesson.showing() {
		return "no lesson is being told"
	}
	return ""
}

// answer tells the lesson and asks for its next step.
func (a *App) answer(choice int) tea.Cmd {
	p := a.lesson
	l, next := p.l, a.nextStep()
	p.step = LessonStep{Kind: StepWait}
	p.steps++
	p.page, p.log, p.since = 0, nil, a.now
	return func() tea.Msg {
		l.Answer(choice)
		return next()
	}
}

// predict takes the answer to a question. The person sees whether it was right
// before the lesson goes on.
func (a *App) predict(choice int) {
	p := a.lesson
	if choice < 1 || choice > len(p.step.Options) {
		a.say(draw.Late, "there is no such answer")
		return
	}
	p.chosen, p.at, p.has = choice, choice-1, false
	if p.step.Right > 0 {
		p.asked++
		if choice == p.step.Right {
			p.right++
		}
	}
}

// answersWord says which digits answer; the first stands before it.
func (a *App) answersWord() string {
	if n := min(9, len(a.lesson.step.Options)); n > 1 {
		return "to " + strconv.Itoa(n) + " answer"
	}
	return "answers"
}

// lessonKeys are those of the lesson: one for whatever it waits for, and those of
// its question.
func lessonKeys(on places) []binding {
	digits := []string{"1", "2", "3", "4", "5", "6", "7", "8", "9"}
	return []binding{
		{keys: []string{"n"}, in: on.all | inHelp | inSheet, short: "lesson", what: "go on with the lesson, or to its question", needs: needsLesson,
			why: (*App).whyNoLesson, do: (*App).goOn, frozen: true},
		{keys: []string{"L"}, in: on.all, what: "hide the lesson but for its title, or show it again", needs: needsLesson,
			why: (*App).whyNoFold, do: run((*App).fold), frozen: true},
		{keys: []string{"up", "k"}, in: inLesson, what: "answer above", do: run(func(a *App) { a.lesson.at = max(0, a.lesson.at-1) }), frozen: true},
		{keys: []string{"down", "j"}, in: inLesson, what: "answer below", do: run(func(a *App) {
			a.lesson.at = max(0, min(a.lesson.at+1, len(a.lesson.step.Options)-1))
		}), frozen: true},
		{keys: digits, in: inLesson, short: "answer", brief: (*App).answersWord, what: "that answer", needs: needsLesson,
			do: run(func(a *App) { a.predict(int(a.pressed[0] - '0')) }), frozen: true},
		{keys: []string{"enter", " ", "n"}, in: inLesson, short: "this answer", what: "the answer under the cursor", needs: needsLesson,
			do: run(func(a *App) { a.predict(a.lesson.at + 1) }), frozen: true},
		{keys: []string{"esc", "tab"}, in: inLesson, short: "to the page", what: "back to the page, the question waits", do: run(func(a *App) { a.lesson.has = false }), frozen: true},
	}
}
