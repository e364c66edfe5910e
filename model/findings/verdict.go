package findings

import (
	"cmp"
	"slices"
	"strings"

	"locktop/model"
	"locktop/model/text"
)

// Verdict is the worst of what is wrong as one story: however many locks suffer from the
// same, they are told of once.
type Verdict struct {
	// Finding is the one that stands for all of the same code: the surest, and of those the
	// oldest.
	Finding model.Finding
	// Locks is how many locks have it, 0 where it is about the cluster.
	Locks int
	// Errors and Warnings are how many locks, or the cluster, have something else that is
	// wrong; a deadlock counts once.
	Errors, Warnings int
}

// Verdict returns the worst of what is wrong, and false while nothing is. What is only
// worth knowing is no verdict. It looks at every lock that has a finding.
func (set *Set) Verdict() (Verdict, bool) {
	var v Verdict
	errors, warnings := map[model.Code]int{}, map[model.Code]int{}
	var told deadlocks
	take := func(found []model.Finding) {
		for i := range found {
			f := &found[i]
			if f.Severity == model.SevInfo {
				continue
			}
			if v.Finding.Code == "" || worse(f, &v.Finding) < 0 {
				v.Finding = *f
			}
			if slices.ContainsFunc(found[:i], func(g model.Finding) bool { return g.Code == f.Code && g.Lock == f.Lock }) {
				continue // of this lock already
			}
			if told.again(f) {
				continue
			}
			if f.Severity == model.SevError {
				errors[f.Code]++
			} else {
				warnings[f.Code]++
			}
		}
	}
	take(set.cluster)
	for _, found := range set.known {
		take(found)
	}
	if v.Finding.Code == "" {
		return Verdict{}, false
	}
	same := errors[v.Finding.Code] + warnings[v.Finding.Code]
	if v.Finding.Code == model.CodeLockCycle {
		same = set.ofCycle(&v)
	}
	delete(errors, v.Finding.Code)
	delete(warnings, v.Finding.Code)
	for _, n := range errors {
		v.Errors += n
	}
	for _, n := range warnings {
		v.Warnings += n
	}
	if v.Finding.Lock != "" {
		v.Locks = same
	}
	return v, true
}

// ofCycle returns how many locks are in the deadlock of a verdict, and counts the other ones.
func (set *Set) ofCycle(v *Verdict) (n int) {
	var others []model.Message
	for _, found := range set.known {
		for i := range found {
			switch f := &found[i]; {
			case f.Code != model.CodeLockCycle || f.Severity == model.SevInfo:
			case f.Summary.Same(v.Finding.Summary):
				n++
			case slices.ContainsFunc(others, f.Summary.Same):
			case f.Severity == model.SevError:
				others, v.Errors = append(others, f.Summary), v.Errors+1
			default:
				others, v.Warnings = append(others, f.Summary), v.Warnings+1
			}
		}
	}
	return n
}

// worse orders findings for a verdict: the severity, then what is more than a hint, then what lets two
// act or stops the whole cluster, then the order of the catalogue, and of the same kind the surest and the
// oldest first.
func worse(f, g *model.Finding) int {
	return cmp.Or(f.Severity.Compare(g.Severity), guess(f)-guess(g), urgency(f.Code)-urgency(g.Code), f.Confidence.Compare(g.Confidence),
		f.Since.Compare(g.Since), strings.Compare(f.Lock, g.Lock), strings.Compare(f.Claim.Key, g.Claim.Key))
}

// urgent are the kinds that come before all others of their severity.
var urgent = []model.Code{model.CodeNoQuorum, model.CodeNoSpace, model.CodeMassRevocation, model.CodeStaleHolder, model.CodeSameSession,
	model.CodeGhostLeader, model.CodeExpiredWaiterWins, model.CodeRWExpiredWriter, model.CodeLockCycle}

// guess is 1 for a hint: it may stand for hours, and takes no room from what is known.
func guess(f *model.Finding) int {
	if f.Confidence == model.Hint {
		return 1
	}
	return 0
}

func urgency(code model.Code) int {
	if i := slices.Index(urgent, code); i >= 0 {
		return i - len(urgent)
	}
	return slices.Index(order, code)
}

// what names what it is about: the lock, or how many. A headline speaks of one holder and one key, which each of
// several locks has; but a deadlock is one thing.
func (v Verdict) what() model.Message {
	switch {
	case v.Locks <= 1:
		return model.Say("lock", v.Finding.Lock)
	case v.Finding.Code == model.CodeLockCycle:
		return model.Say("locks", v.Locks)
	}
	return model.Say("each-of-locks", v.Locks)
}

// Title is the headline.
func (v Verdict) Title() model.Message {
	what := v.what()
	if v.Finding.Code == model.CodeLockCycle && v.Finding.Confidence == model.Hint {
		return model.Say("headline-cycle-perhaps", what)
	}
	if soon := v.soon(); soon != nil {
		return soon(what)
	}
	e, _ := Explain(v.Finding.Code)
	title := e.Story
	if len(title.Args) > 0 {
		title.Args = []any{what} // in the place of theLock
	}
	return title
}

// soonTitles are the headlines of what blocks nobody yet, as its turn has not come.
var soonTitles = map[model.Code]func(what any) model.Message{
	model.CodeOrphanKey:     func(what any) model.Message { return model.Say("soon-orphan-key", what) },
	model.CodeLeaseDetached: func(what any) model.Message { return model.Say("soon-orphan-key", what) },
	model.CodeForeignKey:    func(what any) model.Message { return model.Say("soon-foreign-key", what) },
	model.CodeNestedPrefix:  func(what any) model.Message { return model.Say("soon-nested-prefix", what) },
}

// soon is the headline of what blocks nobody yet, nil for what does.
func (v Verdict) soon() func(what any) model.Message {
	if v.Finding.Summary.ID != "when-it-becomes-first" {
		return nil
	}
	return soonTitles[v.Finding.Code]
}

// pastTitles are the headlines of what is over, about whom it was, how long it was and since when it is not:
// of the kinds whose problem says too little by its name alone.
var pastTitles = map[model.Code]func(what, lasted, ago any) model.Message{
	model.CodeStaleHolder: func(what, lasted, ago any) model.Message { return model.Say("was-stale-holder", what, lasted, ago) },
	model.CodeOrphanKey:   func(what, lasted, ago any) model.Message { return model.Say("was-orphan-key", what, lasted, ago) },
	model.CodeForeignKey:  func(what, lasted, ago any) model.Message { return model.Say("was-foreign-key", what, lasted, ago) },
	model.CodeDeadHolder:  func(what, lasted, ago any) model.Message { return model.Say("was-dead-holder", what, lasted, ago) },
	model.CodeLongHeld:    func(what, lasted, ago any) model.Message { return model.Say("was-long-held", what, lasted, ago) },
	model.CodeKeepaliveStalled: func(what, lasted, ago any) model.Message {
		return model.Say("was-keepalive-stalled", what, lasted, ago)
	},
}

// Past is the headline once it is over: problem is what it is called, lasted how long it was, and ago since
// when it is not.
func (v Verdict) Past(problem, lasted, ago any) model.Message {
	what, past := v.what(), pastTitles[v.Finding.Code]
	switch {
	case v.soon() != nil:
		return model.Say("was-in-the-way", what, lasted, ago)
	case past != nil:
		return past(what, lasted, ago)
	case v.Finding.Lock == "":
		return model.Say("was-of-cluster", problem, lasted, ago)
	}
	return model.Say("was", problem, what, lasted, ago)
}

// NotFenced says that the resource behind the lock accepted what was done with an old token.
func (v Verdict) NotFenced() bool {
	return slices.ContainsFunc(v.Finding.Evidence, func(m model.Message) bool { return m.ID == "the-resource-accepted-its-token" })
}

// Key is the key that does what there is to do first, "" for none: in a lab the old holder can be
// stopped, and what a break cures can be broken by who may.
func (v Verdict) Key(lab, armed bool) string {
	switch {
	case v.Do().ID == "stop" && lab:
		return "K"
	case BreakingOf(v.Finding.Code).Effect == BreakCures && !v.Finding.Claim.IsZero() && v.Finding.Confidence != model.Hint && armed:
		return "x"
	}
	return ""
}

// How says how it came, in a language and for a terminal: of the lock that stands for all.
func (v Verdict) How(lang string) string {
	s := text.Render(lang, v.Finding.Summary)
	for _, begins := range []string{"a new ", "a reading ", "the ", "members "} { // a client may be called a
		if strings.HasPrefix(s, begins) {
			return model.Capital(s)
		}
	}
	return s // it begins with a name, which keeps its letters, or with a number
}

// Do is what to do first, the zero Message for nothing.
func (v Verdict) Do() model.Message {
	if len(v.Finding.Advice) == 0 {
		return model.Message{}
	}
	return v.Finding.Advice[0]
}

// Dont is what would do harm, the zero Message for nothing.
func (v Verdict) Dont() model.Message {
	if BreakingOf(v.Finding.Code).Effect == BreakWrong {
		return model.Say("dont-break")
	}
	return model.Message{}
}

// Problem is what a finding is called where it stands for itself: the word of the state of a lock,
// or a longer name where that word alone says too little.
func Problem(f *model.Finding) model.Message {
	switch f.Code {
	case model.CodeStaleHolder:
		return model.Say("problem-two-programs-act")
	case model.CodeOrphanKey:
		return model.Say("problem-key-without-a-lease")
	case model.CodeForeignKey:
		return model.Say("problem-foreign-key")
	}
	e, _ := Explain(f.Code)
	if f.Code == model.CodeLockCycle && f.Confidence == model.Hint {
		return model.Say("state-perhaps", e.Word)
	}
	return e.Word
}

// Problems are what the findings of some codes are called, each name once: two codes may share one.
func Problems(codes []model.Code) []model.Message {
	var all []model.Message
	for _, c := range codes {
		name := Problem(&model.Finding{Code: c})
		if !slices.ContainsFunc(all, func(m model.Message) bool { return text.English(m) == text.English(name) }) {
			all = append(all, name)
		}
	}
	return all
}

// StateWord is the state of a lock or of a session in plain words. For programs its name
// is the code of the finding from which it follows.
func StateWord(c model.Condition) model.Message {
	e, known := Explain(c.Code())
	switch {
	case e.Code == model.CodeLockCycle && c.Hint():
		return model.Say("state-perhaps", e.Word)
	case known:
		return e.Word
	}
	return c.Called()
}
