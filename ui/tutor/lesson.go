package tutor

import (
	"context"
	"time"

	"locktop/model"
	"locktop/model/smallstores"
)

// Lesson is a rehearsal that is told step by step, in a panel under every page. It
// is told in the language of the person already.
type Lesson struct {
	// Title is a line, Why a paragraph. It is read before the first step is asked for.
	Title, Why string
	// Judged: at the end each verdict stands with its word, as the report of a drill has it.
	Judged bool
	// Asks is how many questions it will ask: until the last was answered, and in a lesson until what
	// came of it was seen, nothing else on the screen says what comes next. 0: nobody knows.
	Asks int
	// Model: some of it is shown by a model of small stores, of which etcd has nothing.
	Model bool
	// Steps, if set, make it a guide: tasks on a lab that runs, of which the panel sees by itself that
	// they are done, and a StepDone. Nobody is asked for more. Lock is whose queue they are about, as
	// long as nobody has selected another one.
	Steps []Step
	Lock  string
	// Next blocks until there is a next step. After StepSay and StepAsk it is called
	// when Answer was; after StepVerdict and StepDone no more. An error ends the
	// lesson, and is shown. It is nil where the lesson is told by [Panel.Tell], and waits for nobody.
	Next func(ctx context.Context) (Step, error)
	// Reads is how long a person takes for one cell of a text, where the lesson is played for
	// them; 0: as long as most do.
	Reads time.Duration
	// Answer says that the person goes on: with the option chosen, from 1, after
	// StepAsk, with 0 after StepSay. It is not called on the goroutine of the screen.
	Answer func(choice int)
	// Fill says what the person filled into the draft of a StepTask, by the names of its blanks.
	Fill func(filled map[string]string)
}

// Judges says whether it tells itself what is wrong, so that nothing over the page has to. A guide
// does not.
func (l *Lesson) Judges() bool { return l != nil && len(l.Steps) == 0 }

// StepKind is what a step of a lesson is.
type StepKind string

// Kinds of steps.
const (
	StepSay     StepKind = "say"     // a text, until the person goes on
	StepAsk     StepKind = "ask"     // a question that the person answers
	StepDo      StepKind = "do"      // what is being done now
	StepWait    StepKind = "wait"    // what is waited for
	StepSee     StepKind = "see"     // what came of a question
	StepTask    StepKind = "task"    // something for the person to do, until it is done or given up
	StepVerdict StepKind = "verdict" // how it ended, the last step
	StepDone    StepKind = "done"    // it ended without a verdict
)

// Step is one step of a lesson. Its texts need not be fit for a terminal.
type Step struct {
	Kind StepKind
	// Text is what is said, asked, done ("kill a") or waited for ("b to hold /l"); a
	// StepWait without one lets time pass. An empty line parts paragraphs. For StepVerdict it is a remark, or empty.
	Text string
	// Met says that what a StepWait waited for is so: "b holds /l".
	Met string
	// Missed says that what the step before this one waited for did not come.
	Missed bool
	// Options are the answers to StepAsk; Right is the one that is so, from 1, or 0
	// if none is, or nobody knows yet.
	Options []string
	Right   int
	// Of StepSee: what was answered, from 1, or 0, what was measured, and why the answer
	// is not so. Text is what is to be learned.
	Chosen        int
	Measured, Why string
	// Hints is how many stages of help a StepTask has left for who goes on: then it comes again,
	// with the next. At 0 who goes on gives the task up.
	Hints int
	// Draft is what the person completes in a StepTask, nil for nothing.
	Draft *Draft
	// Guided is what there is to a StepTask of a guide.
	Guided *Guided
	// Code are lines that stand under the text as they are.
	Code []string
	// Lock is the one that the step is about, which the console selects then; "": it stays.
	Lock string
	// Show is what stands beside the text, "" for nothing, and About the lock that it is about,
	// "" for all of them.
	Show  Picture
	About string
	// Stores are what PictureStores shows.
	Stores *smallstores.Model
	// Within bounds a StepWait; 0: it is not bounded.
	Within time.Duration
	// Verdict is the word of a StepVerdict, and Lines its expectations.
	Verdict model.DrillVerdict
	Lines   []Line
}

// Guided is a task that is done once it is seen. In its texts and in that of its step, which says what
// to do, a word in braces is a fact of the lab, and one in backticks a key.
type Guided struct {
	// Sees is the name of a sight of sights.go; Does is the kind of a fault, "" to end one.
	Sees string
	Does model.FaultKind
	// Title is a word or two, Why stands above what is asked, Wait is said until it is seen, then
	// Result with More below it. Ended and Silent are results, where a false belief did not end by
	// itself.
	Title, Why, Wait, Result, Ended, Silent, More string
}

// Picture is what a step shows beside its text: a page of the console, or lines in the panel.
type Picture string

// Pictures. Any other is none.
const (
	PictureQueue    Picture = "queue"
	PictureTime     Picture = "time"
	PictureCost     Picture = "cost"
	PictureResource Picture = "resource"
	PictureGraph    Picture = "graph"
	PictureSaid     Picture = "said"
	PictureStores   Picture = "stores"
)

// Line is an expectation with what was measured and the bound it has.
type Line struct {
	Name, Measured, Bound string
	Verdict               model.DrillVerdict
}
