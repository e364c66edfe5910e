package drill

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"locktop/model"
	"locktop/model/journal"
)

// The grammar of a file are the structs that it is read into. A field that a file may have has
// these tags:
//
//	yaml      its name; ",inline" collects what has no name of its own
//	says      what it says, for a person
//	form      how it is written, where its type does not tell; ",own": not by its type, but by the
//	          method read of its struct
//	words     all that it may be, where its type does not tell
//	names     what a text has to name: contender
//	also      another name for the same
//	min, max  of a number; min is 1 where it is left out
//	needed    it has to be there

// Form is how a value is written.
type Form string

// Forms.
const (
	formText     Form = "text"
	formNumber   Form = "number"
	formFlag     Form = "true or false"
	formDuration Form = "time" // like 500ms
	formSeconds  Form = "whole seconds"
	formWords    Form = "sentence" // or one in each of several languages
	formNames    Form = "name, or a list"
	formLock     Form = "lock"
	formLocks    Form = "lock, or a list"
	formStep     Form = "number of a step"
	formList     Form = "list of" // Field.Of
	formObject   Form = "fields of"
	formByName   Form = "by contender" // a value for each contender
	formFault    Form = "fault"
	formOptions  Form = "list of sentences"
	formMeasure  Form = "measure"
	formPicture  Form = "what is shown"
	formAnything Form = "anything"
)

// Field is a key that a file may have.
type Field struct {
	Name   string
	Form   Form
	Says   string   // for a person
	Of     string   // the object that Form speaks of
	Words  []string // all that it may be; empty: anything
	Needed bool
	// Min and Max bound a number; Max is 0 for no bound.
	Min, Max int

	index       []int // of the field of its struct
	own, inline bool
	contender   bool // it names one contender
}

// Object is a part of a file with its fields.
type Object struct {
	Name, Says string
	Fields     []Field
}

// Targets are the ways to say whom a fault is done to.
const Targets = "a contender's name, holder, waiter 1, holder of LOCK, waiter 2 of LOCK, lease of NAME, all; for members m1, leader, a follower, member of NAME"

// objects are the parts of a file: what each is called, and the struct of its fields.
var objects = []struct {
	name, says string
	form       reflect.Type
}{
	{"a drill", "A file is one drill.", reflect.TypeFor[Drill]()},
	{"lab", "What the drill runs on.", reflect.TypeFor[Lab]()},
	{"a contender", "One program, or several of a kind.", reflect.TypeFor[Contender]()},
	{"a step", "A step does one thing: exactly one of these.", reflect.TypeFor[stepForm]()},
	{"wait", "All that is given has to be so at once.", reflect.TypeFor[Wait]()},
	{"fault", "What a fault takes beside its kind. Which kind takes what, the table of faults says.", reflect.TypeFor[faultForm]()},
	{"ask", "A question with its options.", reflect.TypeFor[Question]()},
	{"lesson", "What makes a drill a lesson. Each text is told in every language of the course.", reflect.TypeFor[Lesson]()},
	{"task", "Something for the reader to do to the lab. It begins with every program of the lab started anew.", reflect.TypeFor[Task]()},
	{"draft", "Lines with blanks that the reader fills in. A word in braces is a blank.", reflect.TypeFor[Draft]()},
	{"blank", "What may stand in a blank: one of its options, or a number.", reflect.TypeFor[Blank]()},
	{"wrong", "What shows that the task can no longer be done.", reflect.TypeFor[Wrong]()},
	{"reaction", "What the lab does by itself, after the reactions before it.", reflect.TypeFor[Reaction]()},
	{"exam", "A fault that the seed draws, and nobody names. The lab begins it empty.", reflect.TypeFor[Exam]()},
	{"case", "One fault of an exam.", reflect.TypeFor[Case]()},
	{"guide", "What makes a drill a guide. Each text is told in every language of the course.", reflect.TypeFor[Guide]()},
	{"guided task", "Something for the person to do, until it is seen.", reflect.TypeFor[GuideTask]()},
	{"repeat", "Steps that are done several times.", reflect.TypeFor[repeatForm]()},
}

// objectName is what a part of a file is called, "" for a struct that is none.
func objectName(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[Step]():
		return "a step"
	case reflect.TypeFor[Expectation]():
		return "expectation" // in an error each is called by its own name
	}
	for _, o := range objects {
		if o.form == t {
			return o.name
		}
	}
	return ""
}

// Grammar is what a file may say, each part by itself. The expectations stand in [Info], the
// faults in [model.FaultKinds].
func Grammar() []Object {
	var all []Object
	for _, o := range objects {
		all = append(all, Object{o.name, o.says, fieldsOf(o.form)})
	}
	return all
}

// expectationFields are the fields of expectations. Which expectation takes what, [Info] says.
func expectationFields() []Field { return fieldsOf(reflect.TypeFor[Expectation]()) }

// fieldsOf are the fields of a struct that a file may have, in the order in which they are read.
func fieldsOf(t reflect.Type) []Field {
	var all []Field
	for i := range t.NumField() {
		of := t.Field(i)
		if of.Anonymous {
			for _, f := range fieldsOf(of.Type) {
				f.index = append([]int{i}, f.index...)
				all = append(all, f)
			}
			continue
		}
		name, inline := strings.CutSuffix(of.Tag.Get("yaml"), ",inline")
		if name == "" && !inline {
			continue
		}
		form, own := strings.CutSuffix(of.Tag.Get("form"), ",own")
		f := Field{Name: cmp.Or(name, "en"), Form: Form(form), Says: of.Tag.Get("says"), Needed: of.Tag.Get("needed") != "",
			index: []int{i}, own: own, inline: inline, contender: of.Tag.Get("names") == "contender"}
		f.Min, _ = strconv.Atoi(cmp.Or(of.Tag.Get("min"), "1"))
		f.Max, _ = strconv.Atoi(of.Tag.Get("max"))
		typical, object := formOf(of.Type)
		f.Form, f.Words = cmp.Or(f.Form, typical), vocabulary(of.Type)
		if words := of.Tag.Get("words"); words != "" {
			f.Words = strings.Split(words, ",")
		}
		if f.Form == formList || f.Form == formObject {
			f.Of = object
		}
		if all = append(all, f); of.Tag.Get("also") != "" {
			f.Name, f.Says = of.Tag.Get("also"), "The same."
			all = append(all, f)
		}
	}
	return all
}

// formOf is how a type is written, and which object it is or is a list of.
func formOf(t reflect.Type) (Form, string) {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return formDuration, ""
	case reflect.TypeFor[Text]():
		return formWords, ""
	case reflect.TypeFor[[]Text]():
		return formOptions, ""
	}
	switch t.Kind() {
	case reflect.Bool:
		return formFlag, ""
	case reflect.Int, reflect.Uint64:
		return formNumber, ""
	case reflect.Map:
		return formByName, ""
	case reflect.Pointer:
		return formOf(t.Elem())
	case reflect.Struct:
		return formObject, objectName(t)
	case reflect.Slice:
		if _, of := formOf(t.Elem()); of != "" {
			return formList, of
		}
		return formNames, ""
	}
	return formText, ""
}

// vocabulary are all words that a value of a type may be, nil where there is no such list.
func vocabulary(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[Chapter]():
		return []string{string(ChapterOrder), string(ChapterLease), string(ChapterSafety), string(ChapterOperating)}
	case reflect.TypeFor[Fence]():
		return []string{string(FenceNone), string(FenceWrites), string(FenceAll)}
	case reflect.TypeFor[journal.Cause]():
		return []string{string(journal.CauseReleased), string(journal.CauseExpired), string(journal.CauseRevoked), string(journal.CauseDeleted)}
	case reflect.TypeFor[model.Confidence]():
		return []string{string(model.Certain), string(model.Strong), string(model.Hint)}
	case reflect.TypeFor[model.BeliefState](), reflect.TypeFor[map[string]model.BeliefState]():
		return []string{string(model.BeliefIdle), string(model.BeliefWaiting), string(model.BeliefHolding), string(model.BeliefLeaving), string(model.BeliefLost)}
	case reflect.TypeFor[model.Direction]():
		return []string{string(model.Requests), string(model.Replies)}
	case reflect.TypeFor[method]():
		return slices.Clone(methods)
	case reflect.TypeFor[*Show]():
		return Pictures()
	case reflect.TypeFor[*Measure]():
		return Measures()
	}
	return nil
}
