package drill

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"locktop/model"
	"locktop/model/journal"
)

// kind is one name that an expectation may have, and its fields. How it is judged
// stands in the package judge, under the same name.
type kind struct {
	// says is what it expects, in a sentence or two for a person.
	says string
	// takes are the fields that mean something, needs those without which it says
	// nothing; of either only one of a group "below|at-least" is needed.
	takes, needs []string
	// counts: at-least is a number, not a time.
	counts bool
	// oneLock: where several locks are competed for, it must name one.
	oneLock bool
}

// kinds are all expectations, by name.
var kinds = map[string]kind{
	"one-holder": {says: "Nobody was told that it holds while its claim was not first. That it works on after it lost its claim is overlap.",
		takes: []string{"lock"}},
	"fifo": {says: "The claims were served in the order in which they were made.",
		takes: []string{"lock"}},
	"tokens-grow": {says: "Each holder's token is higher than that of the holder before.",
		takes: []string{"lock"}},
	"no-old-token": {says: "The guarded resource accepted no write with a token older than one that it had seen.",
		takes: []string{"lock"}},
	"no-lost-update": {says: "No acknowledged update of the guarded resource was lost.",
		takes: []string{"lock"}},
	"lost-updates": {says: "At least so many acknowledged updates of the guarded resource were lost.",
		takes: []string{"lock", "at-least"}, needs: []string{"at-least"}, counts: true},
	"served": {says: "Whoever asked came first within that time. Who left by itself does not count.",
		takes: []string{"lock", "within", "except"}, needs: []string{"within"}},
	"overlap": {says: "The longest time in which two contenders both believed that they hold: below a bound, or at least one.",
		takes: []string{"lock", "below", "at-least"}, needs: []string{"below|at-least"}},
	"handover": {says: "The lock changed hands, for a cause and within a time: from the step of after, else from the fault on its holder, else from the end of the holder before.",
		takes: []string{"lock", "to", "from", "cause", "within", "at-least", "after"}, oneLock: true},
	"finding": {says: "The diagnosis found the code: after the step of after, else after the last fault, else at any time.",
		takes: []string{"code", "lock", "within", "confidence", "after"}, needs: []string{"code"}},
	"no-finding": {says: "The diagnosis never found the code.",
		takes: []string{"code", "lock"}, needs: []string{"code"}},
	"quiet": {says: "The diagnosis found nothing worse than an information, but for the codes that are excepted.",
		takes: []string{"lock", "except"}},
	"acquired": {says: "The contender said that it holds: after the step of after, else after the last fault, else at any time.",
		takes: []string{"contender", "lock", "within", "after"}, needs: []string{"contender"}},
	"never-holds": {says: "The contender neither came first nor said that it holds.",
		takes: []string{"contender", "lock", "after"}, needs: []string{"contender"}},
	"acquisitions": {says: "At least so many claims came to hold.",
		takes: []string{"lock", "contender", "at-least"}, needs: []string{"at-least"}, counts: true},
	"failed-attempts": {says: "At least so many waits for the lock ended without it.",
		takes: []string{"lock", "contender", "at-least"}, needs: []string{"at-least"}, counts: true},
	"belief": {says: "What the contender believes at the end: within that time after every fault is healed, 10s if left out.",
		takes: []string{"contender", "lock", "state", "within"}, needs: []string{"contender", "state"}},
	"empty": {says: "At the end there is no claim left: within that time after every fault is healed, 10s if left out.",
		takes: []string{"lock", "within"}},
	"stuck": {says: "For at least that long others waited and nothing moved.",
		takes: []string{"lock", "for"}, needs: []string{"for"}, oneLock: true},
	"moving": {says: "After the healing no holder with waiters behind it stayed for longer than that.",
		takes: []string{"lock", "within"}},
	"linearizable": {says: "What the contenders said fits one order in which the lock was taken and freed.",
		takes: []string{"lock"}},
	"stops": {says: "The contender stopped believing that it holds within that time after it lost its claim.",
		takes: []string{"contender", "lock", "within"}, needs: []string{"contender", "within"}},
	"refused": {says: "The guarded resource refused at least so many accesses because their token was old.",
		takes: []string{"lock", "contender", "at-least"}, needs: []string{"at-least"}, counts: true},
	"says": {says: "The contender said a line that contains the text: after the step of after, else at any time.",
		takes: []string{"contender", "text", "within", "after"}, needs: []string{"contender", "text"}},
	"gap": {says: "The longest time in which nobody believed to hold, though somebody had asked, is below that.",
		takes: []string{"lock", "below"}, needs: []string{"below"}},
}

// ExpectationInfo is what is known of an expectation.
type ExpectationInfo struct {
	Name, Says string
	// Takes are its fields. Of each of Needs one has to be given: "below|at-least".
	Takes, Needs []string
	// Counts: at-least is a number, not a time. OneLock: it has to name the lock, where
	// there are several.
	Counts, OneLock bool
}

// Info is what is known of an expectation, false if there is none of that name.
func Info(name string) (ExpectationInfo, bool) {
	k, ok := kinds[name]
	return ExpectationInfo{name, k.says, k.takes, k.needs, k.counts, k.oneLock}, ok
}

// Timed are the expectations that measure a time, sorted.
func Timed() []string {
	return []string{"acquired", "finding", "gap", "handover", "moving", "overlap", "says", "served", "stops", "stuck"}
}

// Guards says whether an expectation is about the guarded resource.
func Guards(name string) bool {
	return slices.Contains([]string{"no-old-token", "no-lost-update", "lost-updates", "refused"}, name)
}

// Expectations returns the names of all expectations, sorted.
func Expectations() []string {
	return slices.Sorted(maps.Keys(kinds))
}

// expectation reads a name, or {name: {fields}}.
func (p *parser) expectation(n *yaml.Node) {
	e := Expectation{Line: n.Line}
	var args *yaml.Node
	switch {
	case n.Kind == yaml.ScalarNode:
		e.Name = n.Value
	case n.Kind == yaml.MappingNode && len(n.Content) == 2:
		e.Name, args = n.Content[0].Value, n.Content[1]
	default:
		p.fail(n.Line, "an expectation is %s: want NAME, or {NAME: {...}}, each behind a dash", kindName(n))
		return
	}
	k, ok := kinds[e.Name]
	if !ok {
		p.fail(n.Line, "there is no expectation %q: want one of %s", e.Name, orList(Expectations()))
		return
	}
	seen := map[string]bool{}
	if args != nil && args.Tag != "!!null" {
		seen = p.arguments(args, &e, k)
	}
	for _, need := range k.needs {
		if !slices.ContainsFunc(strings.Split(need, "|"), func(field string) bool { return seen[field] }) {
			p.fail(n.Line, "%s needs %s", e.Name, strings.ReplaceAll(need, "|", " or "))
		}
	}
	if e.Below > 0 && e.AtLeast > 0 {
		p.fail(n.Line, "%s has both below and at-least: make it two", e.Name)
	}
	if k.oneLock {
		e.Lock = p.onlyLock(n.Line, e.Name, e.Lock)
	}
	p.d.Expect = append(p.d.Expect, e)
}

// arguments reads the fields of an expectation that its kind takes.
func (p *parser) arguments(n *yaml.Node, e *Expectation, k kind) map[string]bool {
	all := map[string]func(*yaml.Node){
		"lock":       func(n *yaml.Node) { e.Lock = p.lock(n) },
		"contender":  func(n *yaml.Node) { e.Contender = p.oneContender(n) },
		"from":       func(n *yaml.Node) { e.From = p.oneContender(n) },
		"to":         func(n *yaml.Node) { e.To = p.oneContender(n) },
		"cause":      func(n *yaml.Node) { e.Cause = p.cause(n) },
		"code":       func(n *yaml.Node) { e.Code = p.code(n) },
		"confidence": func(n *yaml.Node) { e.Confidence = p.confidence(n) },
		"state":      func(n *yaml.Node) { e.State = p.belief(n) },
		"within":     func(n *yaml.Node) { e.Within = p.duration(n, "within") },
		"below":      func(n *yaml.Node) { e.Below = p.duration(n, "below") },
		"for":        func(n *yaml.Node) { e.For = p.duration(n, "for") },
		"except":     func(n *yaml.Node) { e.Except = p.except(n, e.Name) },
		"after":      func(n *yaml.Node) { e.After = p.afterStep(n) },
		"text":       func(n *yaml.Node) { e.Text = p.text(n, "text") },
		"at-least": func(n *yaml.Node) {
			if k.counts {
				e.Count = p.number(n, "at-least", 1)
				return
			}
			e.AtLeast = p.duration(n, "at-least")
		},
	}
	known := map[string]func(*yaml.Node){}
	for _, field := range k.takes {
		known[field] = all[field]
	}
	return p.fields(n, e.Name, known)
}

func (p *parser) oneContender(n *yaml.Node) string {
	name := p.text(n, "a contender")
	p.knownContender(n.Line, name)
	return name
}

func (p *parser) cause(n *yaml.Node) journal.Cause {
	word := p.text(n, "cause")
	p.oneOf(n.Line, "cause", word, FieldWords("cause"))
	return journal.Cause(word)
}

func (p *parser) confidence(n *yaml.Node) model.Confidence {
	word := p.text(n, "confidence")
	p.oneOf(n.Line, "confidence", word, FieldWords("confidence"))
	return model.Confidence(word)
}

func (p *parser) code(n *yaml.Node) model.Code {
	if all := p.codes(n, "code"); len(all) == 1 {
		return all[0]
	}
	p.fail(n.Line, "code is %s: want one", kindName(n))
	return ""
}

// except are codes for quiet, and contenders elsewhere.
func (p *parser) except(n *yaml.Node, name string) []string {
	if name != "quiet" {
		return p.contenders(n, "except")
	}
	var all []string
	for _, c := range p.codes(n, "except") {
		all = append(all, string(c))
	}
	return all
}

func (p *parser) afterStep(n *yaml.Node) int {
	i := p.number(n, "after", 1)
	if i > len(p.d.Steps) {
		p.fail(n.Line, "after step %d: the drill has %d", i, len(p.d.Steps))
		return 0
	}
	return i
}
