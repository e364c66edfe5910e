package tutor

import (
	"time"

	"locktop/model"
	"locktop/ui/draw"
)

// Panel is how far a lesson has come.
type Panel struct {
	l      *Lesson
	step   Step      // of no kind before the first one
	log    []string  // what was done and waited for since the last text
	since  time.Time // when the step came
	err    error
	begun  bool // its why was read
	folded bool // only its title is shown
	closed bool
	plays  bool // it goes on by itself

	readSteps []read // what was read, in that order
	back      int    // how many of them the person has gone back, 0: not at all

	page, pages int      // of the text, as far as it does not fit
	has         bool     // the keyboard is with the options
	at          int      // the option under the cursor, from 0
	chosen      int      // the answer, from 1; 0: none yet
	fills       filling  // of the draft of a task
	goesOn      bool     // the keyboard goes back to the draft once the lab has tried it
	steps       int      // how many there were
	lock        string   // that was selected for the person last
	about       string   // the lock that the steps are about, which need not be there yet
	queue       bool     // the queue of a lock was opened for the person
	opened      turned   // that was opened for the person last
	base        requests // what was asked before the last question, or text after something was done
	drawn       drawn
	body        [][]draw.Span // what was drawn of it
	curve       curve         // of the lease of who holds
	told        int           // lines of body that say what was done before
	tour
	right     int // how many predictions were right, of how many
	questions int
	// saw counts what came of questions.
	saw int
}

// StepMsg is the next step, or says that a text was there for long enough.
type StepMsg struct {
	step Step
	err  error
	read *turn
}

// turn is a page of a step.
type turn struct{ steps, page int }

// New returns the panel of a lesson.
func New(l *Lesson) *Panel {
	p := &Panel{l: l}
	if p.guides() {
		p.begun, p.step, p.scene = true, l.Steps[0], scene{lock: l.Lock}
	}
	return p
}

// Showing says whether there is a panel.
func (p *Panel) Showing() bool { return p != nil && !p.closed }

// Has says whether the keyboard is with its question.
func (p *Panel) Has() bool { return p.Showing() && p.has }

// ShowsModel says whether the lesson is shown by a model, of which etcd has nothing.
func (p *Panel) ShowsModel() bool { return p.Showing() && p.l.Model }

// ended says whether nothing more will come.
func (p *Panel) ended() bool {
	return p.err != nil || p.step.Kind == StepVerdict || p.step.Kind == StepDone
}

// Asks says whether a question of a lesson is open, or comes before its answer was measured: then
// nothing else tells what comes next.
func (p *Panel) Asks() bool {
	switch {
	case !p.Showing() || p.guides():
		return false
	case p.l.Judged && p.questions >= p.l.Asks, !p.l.Judged && p.l.Asks > 0 && p.saw >= p.l.Asks:
		return false // the last was answered, and of a lesson seen
	}
	switch p.visible().step.Kind {
	case StepSay, StepAsk, StepDo, StepWait:
		return true
	}
	return false
}

// acts says whether the lab does something, and nothing is waited for from the
// person.
func (p *Panel) acts() bool { return p.step.Kind == StepDo || p.step.Kind == StepWait }

// read is a text that the person left: the panel as it stood then, and that moment.
type read struct {
	panel *Panel
	at    time.Time
}

// drawn is what the content of the panel depends on, besides its step.
type drawn struct {
	w          int
	steps      int
	at, chosen int
	has, broke bool
	begun      bool
	age        time.Duration // of a wait
	// Of a draft.
	filled, said string
	blank        int
}

// turned is a page that was opened for the person.
type turned struct {
	show  Picture
	about string
}

// requests is what each program has asked.
type requests map[string]model.Asked
