package drill

import (
	"slices"

	"locktop/model"
	"locktop/model/journal"
)

// Form is how a value is written.
type Form string

// Forms.
const (
	FormText     Form = "text"
	FormNumber   Form = "number"
	FormFlag     Form = "true or false"
	FormDuration Form = "time" // like 500ms
	FormSeconds  Form = "whole seconds"
	FormWords    Form = "sentence" // or one in each of several languages
	FormNames    Form = "name, or a list"
	FormLock     Form = "lock"
	FormLocks    Form = "lock, or a list"
	FormStep     Form = "number of a step"
	FormList     Form = "list of" // Field.Of
	FormObject   Form = "fields of"
	FormByName   Form = "by contender" // a value for each contender
	FormFault    Form = "fault"
	FormOptions  Form = "list of sentences"
	FormMeasure  Form = "measure"
	FormPicture  Form = "what is shown"
	FormAnything Form = "anything"
)

// Field is a key that a file may have, for whoever writes or checks one. What Parse knows is
// held against it by a test.
type Field struct {
	Name   string
	Form   Form
	Says   string   // for a person
	Of     string   // the object that Form speaks of
	Words  []string // all that it may be; empty: anything
	Needed bool
}

// Object is a part of a file with its fields.
type Object struct {
	Name, Says string
	Fields     []Field
}

// Targets are the ways to say whom a fault is done to.
const Targets = "a contender's name, holder, waiter 1, holder of LOCK, waiter 2 of LOCK, lease of NAME, all; for members m1, leader, a follower, member of NAME"

// Grammar is what a file may say, each part by itself. The expectations stand in [Info], the
// faults in [model.FaultKinds].
func Grammar() []Object {
	states := FieldWords("state")
	return []Object{
		{"a drill", "A file is one drill.", []Field{
			{Name: "name", Form: FormText, Says: "What it is called; the name of the file if left out."},
			{Name: "title", Form: FormText, Says: "One line: what happens, and what comes of it. Needed, but a lesson has its own."},
			{Name: "why", Form: FormText, Says: "A paragraph: the mechanism, and what to do about it."},
			{Name: "defect", Form: FormText, Says: "The thread of a known defect that it shows, like etcd-io/etcd#22082."},
			{Name: "seed", Form: FormNumber, Says: "Makes its chances repeat; 1 if left out."},
			{Name: "least", Form: FormNumber, Says: "With fewer acquisitions a run says nothing: unknown."},
			{Name: "lab", Form: FormObject, Of: "lab", Says: "The members and the programs.", Needed: true},
			{Name: "steps", Form: FormList, Of: "a step", Says: "What is done, one after another."},
			{Name: "lesson", Form: FormObject, Of: "lesson", Says: "Makes it a lesson of the course."},
			{Name: "expect", Form: FormList, Of: "expectation", Says: "What has to be so. Each is judged; the worst verdict is that of the run.", Needed: true},
		}},
		{"lab", "What the drill runs on.", []Field{
			{Name: "members", Form: FormNumber, Says: "How many members the cluster has; 3 if left out.", Words: []string{"1", "3", "5"}},
			{Name: "processes", Form: FormFlag, Says: "Members are processes of their own, which can be paused."},
			{Name: "fence", Form: FormText, Says: "Which accesses of the guarded resource want a token that is not old.", Words: FieldWords("fence")},
			{Name: "contenders", Form: FormList, Of: "a contender", Says: "The programs that compete."},
		}},
		{"a contender", "One program, or several of a kind.", []Field{
			{Name: "name", Form: FormText, Says: "Small letters, digits and dashes, a letter first.", Needed: true},
			{Name: "count", Form: FormNumber, Says: "Makes that many, named NAME1, NAME2, and so on."},
			{Name: "lock", Form: FormLocks, Says: "What it competes for. Of several it takes one after another, with one session."},
			{Name: "locks", Form: FormLocks, Says: "The same."},
			{Name: "recipe", Form: FormText, Says: "How it locks; mutex if left out. \"locktop contend --help\" says what each does."},
			{Name: "owner", Form: FormText, Says: "What it writes as the owner of a key, or as the leader; its name if left out."},
			{Name: "ttl", Form: FormSeconds, Says: "The TTL of its lease."},
			{Name: "no-lease", Form: FormFlag, Says: "It asks for no lease; lock-rpc and election-rpc allow that."},
			{Name: "hold", Form: FormDuration, Says: "How long it holds, give or take a third."},
			{Name: "think", Form: FormDuration, Says: "How long it does without, give or take."},
			{Name: "full", Form: FormFlag, Says: "It holds for anything from nothing to twice hold."},
			{Name: "rounds", Form: FormNumber, Says: "It ends after so many turns."},
			{Name: "manual", Form: FormFlag, Says: "It does what a step tells it, and nothing by itself."},
			{Name: "later", Form: FormFlag, Says: "A step starts it, and not the lab."},
			{Name: "workers", Form: FormNumber, Says: "So many compete with one session, as NAME.1, NAME.2, and so on."},
			{Name: "member", Form: FormText, Says: "The only member that it talks to, like m1."},
			{Name: "ignore-done", Form: FormFlag, Says: "It works on when its session says that the lease is gone."},
			{Name: "guarded", Form: FormFlag, Says: "While it holds it reads the guarded resource, works, and writes it."},
		}},
		{"a step", "A step does one thing: exactly one of these.", []Field{
			{Name: "wait", Form: FormObject, Of: "wait", Says: "Waits until all of it is so at once; the drill ends as unknown if it does not come."},
			{Name: "fault", Form: FormFault, Says: "Does something to somebody: {KIND: TARGET}, or a bare KIND."},
			{Name: "heal", Form: FormFault, Says: "Ends a fault: {KIND: TARGET}, KIND, or all."},
			{Name: "start", Form: FormText, Says: "Starts a contender that has later: true, or all of a kind with a count."},
			{Name: "tell", Form: FormByName, Says: "Tells a manual contender a word: {NAME: WORD}."},
			{Name: "pause", Form: FormDuration, Says: "Lets it run for that long."},
			{Name: "say", Form: FormWords, Says: "Tells the reader something: a sentence, or {en: ..., zh: ...}."},
			{Name: "ask", Form: FormObject, Of: "ask", Says: "Asks the reader for a prediction."},
			{Name: "see", Form: FormAnything, Says: "Measures what the last question asked: a step of lessons."},
			{Name: "show", Form: FormPicture, Says: "What the reader of a lesson sees beside the texts from here on: WHAT, or {WHAT: LOCK}.", Words: Pictures()},
			{Name: "repeat", Form: FormObject, Of: "repeat", Says: "Does steps several times."},
		}},
		{"wait", "All that is given has to be so at once.", []Field{
			{Name: "within", Form: FormDuration, Says: "At most that long; 10s if left out."},
			{Name: "lock", Form: FormLock, Says: "Which lock it speaks of. Needed where there are several."},
			{Name: "holder", Form: FormNames, Says: "Who holds, or nobody."},
			{Name: "waiters", Form: FormNames, Says: "Who stands behind the holder, in that order."},
			{Name: "gone", Form: FormNames, Says: "Who has no claim."},
			{Name: "queue", Form: FormNumber, Says: "How many keys there are, those that hold included."},
			{Name: "belief", Form: FormByName, Says: "What contenders think: {NAME: STATE}.", Words: states},
			{Name: "says", Form: FormByName, Says: "A text in what contenders said last: {NAME: TEXT}."},
			{Name: "alive", Form: FormNames, Says: "Who has a process, which may be paused."},
			{Name: "ended", Form: FormNames, Says: "Whose process ended."},
			{Name: "finding", Form: FormNames, Says: "Codes that the diagnosis finds. \"locktop explain\" lists them."},
			{Name: "no-finding", Form: FormNames, Says: "Codes that it does not find."},
			{Name: "acquisitions", Form: FormNumber, Says: "How many there were since the beginning, at least."},
			{Name: "leader", Form: FormText, Says: "Which member leads: its name, any or none."},
			{Name: "up", Form: FormNumber, Says: "How many members answer."},
		}},
		{"fault", "What a fault takes beside its kind. Which kind takes what, the table of faults says.", []Field{
			{Name: "for", Form: FormDuration, Says: "It ends by itself after that."},
			{Name: "by", Form: FormDuration, Says: "How long delay delays."},
			{Name: "delay", Form: FormDuration, Says: "The same, of slow and slow-member."},
			{Name: "method", Form: FormText, Says: "A method of etcd's API; every one if left out.", Words: methods},
			{Name: "direction", Form: FormText, Says: "Which way.", Words: []string{string(model.Requests), string(model.Replies)}},
			{Name: "rate", Form: FormNumber, Says: "Bytes per second."},
			{Name: "count", Form: FormNumber, Says: "On how many messages it acts; on every one if left out."},
			{Name: "value", Form: FormText, Says: "What put puts."},
			{Name: "member", Form: FormText, Says: "Only on connections to that member."},
		}},
		{"ask", "A question with its options.", []Field{
			{Name: "en", Form: FormText, Says: "The question; zh and others beside it.", Needed: true},
			{Name: "options", Form: FormOptions, Says: "Two or more; beside their words is, what is measured if they are right, and why of the wrong ones.", Needed: true},
			{Name: "answer", Form: FormNumber, Says: "Which is right; the first is 1.", Needed: true},
			{Name: "measure", Form: FormMeasure, Says: "What decides at the next see, of lessons: NAME, or {NAME: LOCK or CONTENDER}.", Words: Measures()},
			{Name: "after", Form: FormWords, Says: "What was to be learned."},
		}},
		{"lesson", "What makes a drill a lesson. Each text is told in every language of the course.", []Field{
			{Name: "number", Form: FormNumber, Says: "Its place on the path.", Needed: true},
			{Name: "minutes", Form: FormNumber, Says: "How long it takes.", Needed: true},
			{Name: "title", Form: FormWords, Says: "One line.", Needed: true},
			{Name: "teaches", Form: FormWords, Says: "What one knows afterwards.", Needed: true},
			{Name: "elsewhere", Form: FormWords, Says: "How other systems do it.", Needed: true},
			{Name: "etcdctl", Form: FormText, Says: "The line that does it.", Needed: true},
			{Name: "go", Form: FormText, Says: "The lines of Go that do it.", Needed: true},
			{Name: "task", Form: FormObject, Of: "task", Says: "What the reader does at the end."},
			{Name: "exam", Form: FormObject, Of: "exam", Says: "A fault that the reader finds and heals after that."},
		}},
		{"task", "Something for the reader to do to the lab.", []Field{
			{Name: "text", Form: FormWords, Says: "What.", Needed: true},
			{Name: "hint", Form: FormWords, Says: "How, after a while.", Needed: true},
			{Name: "done", Form: FormObject, Of: "wait", Says: "By what one sees that it is done.", Needed: true},
		}},
		{"exam", "A fault that the seed draws, and nobody names. The lab begins it empty.", []Field{
			{Name: "text", Form: FormWords, Says: "What is to be healed.", Needed: true},
			{Name: "cases", Form: FormList, Of: "case", Says: "The faults.", Needed: true},
		}},
		{"case", "One fault of an exam.", []Field{
			{Name: "steps", Form: FormList, Of: "a step", Says: "What brings it about, unseen; the last waits for how it shows.", Needed: true},
			{Name: "done", Form: FormObject, Of: "wait", Says: "By what one sees that it is healed.", Needed: true},
			{Name: "hint", Form: FormWords, Says: "Where to look, after a while.", Needed: true},
			{Name: "told", Form: FormWords, Says: "What it was, and how it showed.", Needed: true},
		}},
		{"repeat", "Steps that are done several times.", []Field{
			{Name: "times", Form: FormNumber, Says: "How often.", Needed: true},
			{Name: "steps", Form: FormList, Of: "a step", Says: "What.", Needed: true},
		}},
	}
}

// ExpectationFields are the fields of expectations. Which expectation takes what, [Info] says.
func ExpectationFields() []Field {
	return []Field{
		{Name: "lock", Form: FormLock, Says: "The lock; all of them if left out."},
		{Name: "contender", Form: FormText, Says: "A contender, or one of its workers."},
		{Name: "from", Form: FormText, Says: "Who had it."},
		{Name: "to", Form: FormText, Says: "Who gets it."},
		{Name: "cause", Form: FormText, Says: "Why the holder before lost it.", Words: FieldWords("cause")},
		{Name: "code", Form: FormText, Says: "A code of the diagnosis."},
		{Name: "confidence", Form: FormText, Says: "At least as sure as that.", Words: FieldWords("confidence")},
		{Name: "state", Form: FormText, Says: "What it believes.", Words: FieldWords("state")},
		{Name: "text", Form: FormText, Says: "Part of the line."},
		{Name: "within", Form: FormDuration, Says: "At most that long."},
		{Name: "below", Form: FormDuration, Says: "Less than that."},
		{Name: "for", Form: FormDuration, Says: "At least that long."},
		{Name: "at-least", Form: FormText, Says: "A time, or a number where something is counted."},
		{Name: "except", Form: FormNames, Says: "Contenders that do not count; of quiet codes."},
		{Name: "after", Form: FormStep, Says: "From which step on time counts. \"locktop drill run FILE --dry-run\" numbers the steps."},
	}
}

// FieldWords are the words that a field may be, nil if there is no such list.
func FieldWords(field string) []string {
	switch field {
	case "fence":
		return []string{string(FenceNone), string(FenceWrites), string(FenceAll)}
	case "cause":
		return []string{string(journal.CauseReleased), string(journal.CauseExpired), string(journal.CauseRevoked), string(journal.CauseDeleted)}
	case "confidence":
		return []string{string(model.Certain), string(model.Strong), string(model.Hint)}
	case "state":
		return slices.Clone(beliefStates)
	}
	return nil
}
