package drill

import (
	"time"

	"locktop/model"
	"locktop/model/journal"
)

// Drill is a rehearsal: a lab, steps, and what is expected.
type Drill struct {
	Name  string `yaml:"name" says:"What it is called; the name of the file if left out."`
	Title Text   `yaml:"title" says:"One line: what happens, and what comes of it. Needed, but a lesson has its own."`
	Why   Text   `yaml:"why" says:"A paragraph: the mechanism, and what to do about it."`
	// Defect is of etcd or of a client, and the expectations are that it shows. Empty: none.
	Defect string        `yaml:"defect" says:"The thread of a known defect that it shows, like etcd-io/etcd#22082."`
	Seed   uint64        `yaml:"seed" min:"0" says:"Makes its chances repeat; 1 if left out."`
	Least  int           `yaml:"least" min:"0" says:"With fewer acquisitions a run says nothing: unknown."`
	Lab    Lab           `yaml:"lab" needed:"true" says:"The members and the programs."`
	Steps  []Step        `yaml:"steps" form:",own" says:"What is done, one after another."`
	Lesson *Lesson       `yaml:"lesson" form:",own" says:"Makes it a lesson of the course."`
	Guide  *Guide        `yaml:"guide" says:"Makes it the guide of a lab that runs: with it there is neither lab nor steps nor expect."`
	Expect []Expectation `yaml:"expect" form:",own" needed:"true" says:"What has to be so. Each is judged; the worst verdict is that of the run."`
}

// Lab is what a drill runs on.
type Lab struct {
	Members    int         `yaml:"members" words:"1,3,5" says:"How many members the cluster has; 3 if left out."`
	Processes  bool        `yaml:"processes" says:"Members are processes of their own, which can be paused."`
	Fence      Fence       `yaml:"fence" says:"Which accesses of the guarded resource want a token that is not old."`
	Contenders []Contender `yaml:"contenders" form:",own" says:"The programs that compete."`
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
	Line int    // in the file
	Name string `yaml:"name" needed:"true" says:"Small letters, digits and dashes, a letter first."`
	// Count is 0 or 1 for one that is named NAME.
	Count int `yaml:"count" max:"64" says:"Makes that many, named NAME1, NAME2, and so on."`
	// Locks each begin with a slash. They are let go in the opposite order.
	Locks  []string `yaml:"lock" also:"locks" form:"lock, or a list" says:"What it competes for. Of several it takes one after another, with one session."`
	Recipe string   `yaml:"recipe" says:"How it locks; mutex if left out. \"locktop contend --help\" says what each does."`
	Owner  string   `yaml:"owner" says:"What it writes as the owner of a key, or as the leader; its name if left out."`
	// TTL is 0 for the lab's default.
	TTL     time.Duration `yaml:"ttl" form:"whole seconds" says:"The TTL of its lease."`
	NoLease bool          `yaml:"no-lease" says:"It asks for no lease; lock-rpc and election-rpc allow that."`
	// Hold and Think are means: they vary by a third and by 60 %.
	Hold  time.Duration `yaml:"hold" says:"How long it holds, give or take a third."`
	Think time.Duration `yaml:"think" says:"How long it does without, give or take."`
	Full  bool          `yaml:"full" says:"It holds for anything from nothing to twice hold."`
	// Rounds is 0 for one that does not end.
	Rounds  int    `yaml:"rounds" says:"It ends after so many turns."`
	Manual  bool   `yaml:"manual" says:"It does what a step tells it, and nothing by itself."`
	Later   bool   `yaml:"later" says:"A step starts it, and not the lab."`
	Workers int    `yaml:"workers" max:"64" says:"So many compete with one session, as NAME.1, NAME.2, and so on."`
	Member  string `yaml:"member" says:"The only member that it talks to, like m1."`
	// IgnoreDone: the end of its session does not stop it.
	IgnoreDone bool `yaml:"ignore-done" says:"It works on when its session says that the lease is gone."`
	Guarded    bool `yaml:"guarded" says:"While it holds it reads the guarded resource, works, and writes it."`
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
	PictureSaid     Picture = "said"     // what each program said last, and whom etcd names
	PictureStores   Picture = "stores"   // the model of small stores
	PictureText     Picture = "text"     // nothing but the texts
)

// Pictures are all of them.
func Pictures() []string {
	return []string{string(PictureQueue), string(PictureTime), string(PictureCost), string(PictureResource), string(PictureGraph), string(PictureSaid), string(PictureStores), string(PictureText)}
}

// Step is one step of a drill. Exactly one field besides Line and Try is set.
type Step struct {
	Line int // in the file
	// Try: that it cannot be done now does not end the drill.
	Try  bool  `yaml:"try" says:"Beside a fault or a start: the drill goes on if that cannot be done now, as nobody holds, its target has ended, or it runs already."`
	Wait *Wait `yaml:"wait" says:"Waits until all of it is so at once; the drill ends as unknown if it does not come."`
	// Target and Member of a fault may be phrases, resolved when it is done. Heal of the kind ""
	// heals all.
	Fault  *model.Fault  `yaml:"fault" form:"fault,own" says:"Does something to somebody: {KIND: TARGET}, or a bare KIND."`
	Heal   *model.Fault  `yaml:"heal" form:"fault,own" says:"Ends a fault: {KIND: TARGET}, KIND, or all."`
	Start  string        `yaml:"start" says:"Starts a contender that has later: true, or all of a kind with a count."`
	Tell   *Tell         `yaml:"tell" form:"by contender" says:"Tells a manual contender a word: {NAME: WORD}."`
	Pause  time.Duration `yaml:"pause" says:"Lets it run for that long."`
	Say    Text          `yaml:"say" says:"Tells the reader something: a sentence, or {en: ..., zh: ...}."`
	Ask    *Question     `yaml:"ask" says:"Asks the reader for a prediction."`
	See    bool          `yaml:"see" form:"anything,own" says:"Measures what the last question asked: a step of lessons."`
	Stores string        `yaml:"stores" says:"Does something in the model of small stores that a lesson shows, like a asks 1."`
	Show   *Show         `yaml:"show" form:"what is shown" says:"What the reader of a lesson sees beside the texts from here on: WHAT, or {WHAT: LOCK}."`
}

// stepForm is a step as a file has it: a repeat becomes as many steps as it says.
type stepForm struct {
	Step
	Repeat *repeatForm `yaml:"repeat" form:"fields of,own" says:"Does steps several times."`
}

// repeatForm is a repeat as a file has it.
type repeatForm struct {
	Times int    `yaml:"times" needed:"true" says:"How often."`
	Steps []Step `yaml:"steps" needed:"true" form:",own" says:"What."`
}

// faultForm is what a file says of a fault beside its kind and its target.
type faultForm struct {
	For       time.Duration   `yaml:"for" says:"It ends by itself after that."`
	By        time.Duration   `yaml:"by" says:"How long delay delays."`
	Delay     time.Duration   `yaml:"delay" says:"The same, of slow and slow-member."`
	Method    method          `yaml:"method" says:"A method of etcd's API; every one if left out."`
	Direction model.Direction `yaml:"direction" says:"Which way."`
	Rate      int             `yaml:"rate" says:"Bytes per second."`
	Count     int             `yaml:"count" says:"On how many messages it acts; on every one if left out."`
	Value     string          `yaml:"value" says:"What put puts."`
	Member    string          `yaml:"member" says:"Only on connections to that member."`
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

// Question asks for a prediction.
type Question struct {
	Text    Text     `yaml:",inline" form:"text" needed:"true" says:"The question; zh and others beside it."`
	Options []Option `yaml:"options" form:"list of sentences" needed:"true" says:"Two or more; beside their words is, what is measured if they are right, and why of the wrong ones."`
	// Answer counts from 1. It says which is right where Measure is nil.
	Answer  int      `yaml:"answer" needed:"true" says:"Which is right; the first is 1."`
	Measure *Measure `yaml:"measure" form:"measure" says:"What decides at the next see, of lessons: NAME, or {NAME: LOCK or CONTENDER}."`
	After   Text     `yaml:"after" says:"What was to be learned."`
}

// Option is one answer that a question offers. It is right if a measure finds Is, a word or a
// number; Why says why it is not.
type Option struct {
	Text Text   `yaml:",inline"`
	Is   string `yaml:"is"`
	Why  Text   `yaml:"why"`
}

// Wait ends when all that is set is so at once, or fails after Within.
type Wait struct {
	Within time.Duration `yaml:"within" says:"At most that long; 10s if left out."`
	// Lock is what Holders, Waiters, Queue and Gone speak of, and Beliefs, Acquisitions, Findings
	// and Absent if it is not empty.
	Lock string `yaml:"lock" form:"lock" says:"Which lock it speaks of. Needed where there are several."`
	// Holders all hold; Nobody: no claim does.
	Holders []string `yaml:"holder" form:"name, or a list,own" says:"Who holds, or nobody."`
	Nobody  bool
	Waiters []string `yaml:"waiters" says:"Who stands behind the holder, in that order."`
	Gone    []string `yaml:"gone" says:"Who has no claim."`
	// Queue is negative for any number.
	Queue        int                          `yaml:"queue" min:"0" says:"How many keys there are, those that hold included."`
	Beliefs      map[string]model.BeliefState `yaml:"belief" says:"What contenders think: {NAME: STATE}."`
	Says         map[string]string            `yaml:"says" says:"A text in what contenders said last: {NAME: TEXT}."`
	Alive        []string                     `yaml:"alive" says:"Who has a process, which may be paused."`
	Ended        []string                     `yaml:"ended" says:"Whose process ended."`
	Findings     []model.Code                 `yaml:"finding" says:"Codes that the diagnosis finds. \"locktop explain\" lists them."`
	Absent       []model.Code                 `yaml:"no-finding" says:"Codes that it does not find."`
	Acquisitions int                          `yaml:"acquisitions" says:"How many there were since the beginning, at least."`
	// Leader is empty, and Up is 0, where it does not matter.
	Leader string `yaml:"leader" says:"Which member leads: its name, any or none."`
	Up     int    `yaml:"up" says:"How many members answer."`
	// Else is for the steps of a task.
	Else Text `yaml:"else" says:"In the steps of a task: why they go no further where this does not come."`
}

// Expectation is one row of what is expected. Which of the fields mean something for a name
// stands in the table of expectations; where one is not given, the zero value means "any", or the
// default that the table names.
type Expectation struct {
	Line int
	Name string

	Lock       string            `yaml:"lock" form:"lock" says:"The lock; all of them if left out."`
	Contender  string            `yaml:"contender" names:"contender" says:"A contender, or one of its workers."`
	From       string            `yaml:"from" names:"contender" says:"Who had it."`
	To         string            `yaml:"to" names:"contender" says:"Who gets it."`
	Cause      journal.Cause     `yaml:"cause" says:"Why the holder before lost it."`
	Code       model.Code        `yaml:"code" says:"A code of the diagnosis."`
	Confidence model.Confidence  `yaml:"confidence" says:"At least as sure as that."`
	State      model.BeliefState `yaml:"state" says:"What it believes."`
	Text       string            `yaml:"text" says:"Part of the line."`
	Prefix     string            `yaml:"prefix" says:"How keys begin."`
	Within     time.Duration     `yaml:"within" says:"At most that long."`
	Below      time.Duration     `yaml:"below" says:"Less than that."`
	For        time.Duration     `yaml:"for" says:"At least that long."`
	AtLeast    time.Duration     `yaml:"at-least" form:"text,own" says:"A time, or a number where something is counted."`
	Count      int               // what at-least is where something is counted
	// Except are contenders, or codes.
	Except []string `yaml:"except" form:",own" says:"Contenders that do not count; of quiet codes."`
	// After counts from 1.
	After int `yaml:"after" form:"number of a step" says:"From which step on time counts. \"locktop drill run FILE --dry-run\" numbers the steps."`
}
