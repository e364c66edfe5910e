package drill

import (
	"time"

	"locktop/model"
	"locktop/model/journal"
)

// Drill is a rehearsal: a lab, steps, and what is expected.
type Drill struct {
	// Name is that of its file, Title a line, Why a paragraph for the person.
	Name, Title, Why string
	// Defect names the thread of a known defect of etcd or of a client, and the
	// expectations are then that the defect shows. Empty: none.
	Defect string
	Seed   uint64
	// Least is the number of acquisitions below which a run says nothing.
	Least  int
	Lab    Lab
	Steps  []Step
	Expect []Expectation
	// Lesson is set where the drill is one of the course.
	Lesson *Lesson
}

// Lab is what a drill runs on.
type Lab struct {
	// Members is 1, 3 or 5; Processes makes them processes, which can be paused.
	Members   int
	Processes bool
	// Fence says what the guarded resource demands a token for.
	Fence      Fence
	Contenders []Contender
	// Counts: what the contenders ask is counted, for a lesson that shows what waiting costs.
	Counts bool
}

// Fence says which accesses the guarded resource refuses with an old token.
type Fence string

// Fences. The zero value is FenceNone.
const (
	FenceNone   Fence = "none"
	FenceWrites Fence = "writes"
	FenceAll    Fence = "reads and writes"
)

// Contender is one program of the drill, or several of a kind.
type Contender struct {
	Line int // in the file
	Name string
	// Count makes that many, named NAME1, NAME2, ...; 0 and 1 make one, named NAME.
	Count int
	// Locks are what it competes for, taken one after another with one session and
	// let go in the opposite order. Each begins with a slash.
	Locks  []string
	Recipe string
	// TTL is what it asks for. 0 is the lab's default; NoLease asks for none, where
	// the recipe allows that.
	TTL     time.Duration
	NoLease bool
	// Hold and Think are means: they vary by a third and by 60 %, or with Full Hold
	// is anything from nothing to twice the mean.
	Hold, Think time.Duration
	Full        bool
	// Rounds is after how many turns it ends; 0: it does not.
	Rounds int
	// Manual: it does what it is told (Step.Tell) and nothing by itself.
	Manual bool
	// Later: not the lab starts it, but a step.
	Later bool
	// Workers compete with one session, each as NAME.1, NAME.2, ...; 0 and 1: no such.
	Workers int
	// Member pins it to one member's listener; empty: it knows them all.
	Member string
	// Owner is what it writes as the owner of a key, or as the leader; empty: its name.
	Owner string
	// IgnoreDone: it works on when its session says that the lease is gone.
	IgnoreDone bool
	// Guarded: while it holds it reads the guarded resource, works, and writes it.
	Guarded bool
	// Program plays the role in the place of a contender of the lab; nil: none. No file
	// says it.
	Program *Program
}

// Show is what a lesson shows beside its texts, from a step on.
type Show struct {
	What Picture
	Lock string // "" where it is about all of them
}

// Picture is one of the pictures of a lesson.
type Picture string

// Pictures.
const (
	PictureQueue    Picture = "queue"    // the page of a lock's queue
	PictureTime     Picture = "time"     // the page of the time
	PictureCost     Picture = "cost"     // what each program asked of the members, and in vain
	PictureResource Picture = "resource" // what was read and written under a lock, accepted or refused
	PictureGraph    Picture = "graph"    // who waits for whom
	PictureText     Picture = "text"     // nothing but the texts
)

// Pictures are all of them.
func Pictures() []string {
	return []string{string(PictureQueue), string(PictureTime), string(PictureCost), string(PictureResource), string(PictureGraph), string(PictureText)}
}

// Step is one step of a drill. Exactly one field besides Line is set.
type Step struct {
	Line  int // in the file
	Show  *Show
	Wait  *Wait
	Fault *model.Fault // Target and Member may be phrases, resolved when it is done
	Heal  *model.Fault // of kind "" it heals all
	Start string       // a contender with Later, or all of its kind
	Tell  *Tell
	Say   Text
	Ask   *Question
	See   bool          // what came of the last question
	Pause time.Duration // let it run for that long
}

// Tell tells a manual contender something: "lock", "unlock", ...
type Tell struct{ Contender, Word string }

// Text is the same in several languages: by language code, at least "en".
type Text map[string]string

// In returns the text in a language, in English where there is none.
func (t Text) In(lang string) string {
	if s := t[lang]; s != "" {
		return s
	}
	return t["en"]
}

// Question asks for a prediction. Answer counts from 1.
type Question struct {
	Text    Text
	Options []Text
	Answer  int
	// Measure decides which is right, at the next step See: the option whose Is says what
	// was measured. Why says of each of the others why it is not, After what was to be
	// learned. nil: Answer alone says which is right.
	Measure *Measure
	Is      []string
	Why     []Text
	After   Text
}

// Wait ends when all that is set is so at once, or fails after Within.
type Wait struct {
	Within time.Duration
	// Lock is what Holders, Waiters, Queue and Gone speak of, and Acquisitions,
	// Findings and Absent if it is not empty.
	Lock string
	// Holders all hold; Nobody: no claim does. Waiters are the first behind them, in
	// order. Gone have no claim.
	Holders, Waiters, Gone []string
	Nobody                 bool
	// Queue is the number of keys, those that hold included; negative: any.
	Queue int
	// Beliefs are what contenders think, on Lock if that is given. Alive have a
	// process, which may be paused, Ended have none.
	Beliefs      map[string]model.BeliefState
	Alive, Ended []string
	// Says is in the words that contenders said last.
	Says map[string]string
	// Findings are there at once, Absent are not.
	Findings, Absent []model.Code
	// Acquisitions is how many there were since the run began.
	Acquisitions int
	// Leader is a member's name, "any" or "none"; empty: it does not matter.
	Leader string
	// Up is how many members answer; 0: it does not matter.
	Up int
}

// Expectation is one row of what is expected. Which of the fields mean something
// for a name stands in the table of expectations; where one is not given, the zero
// value means "any", or the default that the table names.
type Expectation struct {
	Line int
	Name string

	Lock, Contender, From, To string

	Cause      journal.Cause
	Code       model.Code
	Confidence model.Confidence
	State      model.BeliefState
	// Within and Below are upper bounds, AtLeast and For lower ones.
	Within, Below, AtLeast, For time.Duration
	// Count is the lower bound of what is counted.
	Count int
	// Text is part of what is said.
	Text string
	// Except are contenders, or codes, that do not count.
	Except []string
	// After is the step, from 1, from which time counts.
	After int
}
