package drill

import (
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Steady is the name under which a report has a question of the user's own (--steady, --recovers). No file has it.
const Steady = "steady"

// ExpectationInfo is what is known of an expectation. How it is judged stands in the package
// check, under the same name.
type ExpectationInfo struct {
	Name string
	// Says is what it expects, in a sentence or two for a person.
	Says string
	// Takes are the fields that mean something. Of each of Needs one has to be given:
	// "below|at-least".
	Takes, Needs []string
	// Counts: at-least is a number, not a time. OneLock: it has to name the lock, where
	// there are several.
	Counts, OneLock bool
}

// kinds are all expectations, by name.
var kinds = map[string]ExpectationInfo{
	"one-holder": {Says: "Nobody was told that it holds while its claim was not first. That it works on after it lost its claim is overlap.",
		Takes: []string{"lock"}},
	"fifo": {Says: "The claims were served in the order in which they were made.",
		Takes: []string{"lock"}},
	"tokens-grow": {Says: "Each holder's token is higher than that of the holder before.",
		Takes: []string{"lock"}},
	"no-late-write": {Says: "etcd accepted no write of the contender, which is a program of your own, to a key that begins with the prefix, after it said that it does not hold. One that never speaks has the time of within after its claim went.",
		Takes: []string{"contender", "prefix", "within"}, Needs: []string{"contender", "prefix"}},
	"no-old-token": {Says: "The guarded resource accepted no write with a token older than one that it had seen.",
		Takes: []string{"lock"}},
	"no-lost-update": {Says: "No acknowledged update of the guarded resource was lost.",
		Takes: []string{"lock"}},
	"lost-updates": {Says: "At least so many acknowledged updates of the guarded resource were lost.",
		Takes: []string{"lock", "at-least"}, Needs: []string{"at-least"}, Counts: true},
	"served": {Says: "Whoever asked came first within that time. Who left by itself does not count.",
		Takes: []string{"lock", "within", "except"}, Needs: []string{"within"}},
	"overlap": {Says: "The longest time in which two contenders both believed that they hold: below a bound, or at least one.",
		Takes: []string{"lock", "below", "at-least"}, Needs: []string{"below|at-least"}},
	"handover": {Says: "The lock changed hands, for a cause and within a time: from the step of after, else from the fault on its holder, else from the end of the holder before.",
		Takes: []string{"lock", "to", "from", "cause", "within", "at-least", "after"}, OneLock: true},
	"finding": {Says: "The diagnosis found the code: after the step of after, else after the last fault, else at any time.",
		Takes: []string{"code", "lock", "within", "confidence", "after"}, Needs: []string{"code"}},
	"no-finding": {Says: "The diagnosis never found the code.",
		Takes: []string{"code", "lock"}, Needs: []string{"code"}},
	"quiet": {Says: "The diagnosis found nothing worse than an information, but for the codes that are excepted.",
		Takes: []string{"lock", "except"}},
	"acquired": {Says: "The contender said that it holds: after the step of after, else after the last fault, else at any time.",
		Takes: []string{"contender", "lock", "within", "after"}, Needs: []string{"contender"}},
	"never-holds": {Says: "The contender neither came first nor said that it holds.",
		Takes: []string{"contender", "lock", "after"}, Needs: []string{"contender"}},
	"acquisitions": {Says: "At least so many claims came to hold.",
		Takes: []string{"lock", "contender", "at-least"}, Needs: []string{"at-least"}, Counts: true},
	"failed-attempts": {Says: "At least so many waits for the lock ended without it.",
		Takes: []string{"lock", "contender", "at-least"}, Needs: []string{"at-least"}, Counts: true},
	"belief": {Says: "What the contender believes at the end: within that time after every fault is healed, 10s if left out.",
		Takes: []string{"contender", "lock", "state", "within"}, Needs: []string{"contender", "state"}},
	"empty": {Says: "At the end there is no claim left: within that time after every fault is healed, 10s if left out.",
		Takes: []string{"lock", "within"}},
	"stuck": {Says: "For at least that long others waited and nothing moved.",
		Takes: []string{"lock", "for"}, Needs: []string{"for"}, OneLock: true},
	"moving": {Says: "After the healing no holder with waiters behind it stayed for longer than that.",
		Takes: []string{"lock", "within"}},
	"linearizable": {Says: "What the contenders said fits one order in which the lock was taken and freed.",
		Takes: []string{"lock"}},
	"stops": {Says: "The contender stopped believing that it holds within that time after it lost its claim.",
		Takes: []string{"contender", "lock", "within"}, Needs: []string{"contender", "within"}},
	"stays": {Says: "The contender kept its claim: from the step of after on, else from when it first held, until the end.",
		Takes: []string{"contender", "lock", "after"}, Needs: []string{"contender"}, OneLock: true},
	"heeds": {Says: "Nobody believed for longer than that that it holds, after it lost its claim. Whether anybody lost one does not matter.",
		Takes: []string{"lock", "within"}, Needs: []string{"within"}},
	"taken": {Says: "From the step of after on somebody believed to hold, but for times that are shorter.",
		Takes: []string{"lock", "within", "after"}, Needs: []string{"within"}},
	"refused": {Says: "The guarded resource refused at least so many accesses because their token was old.",
		Takes: []string{"lock", "contender", "at-least"}, Needs: []string{"at-least"}, Counts: true},
	"says": {Says: "The contender said a line that contains the text: after the step of after, else at any time.",
		Takes: []string{"contender", "text", "within", "after"}, Needs: []string{"contender", "text"}},
	"gap": {Says: "The longest time in which nobody believed to hold, though somebody had asked, is below that.",
		Takes: []string{"lock", "below"}, Needs: []string{"below"}},
}

// Info is what is known of an expectation, false if there is none of that name.
func Info(name string) (ExpectationInfo, bool) {
	info, ok := kinds[name]
	info.Name = name
	return info, ok
}

// Timed are the expectations that measure a time, sorted.
func Timed() []string {
	return []string{"acquired", "finding", "gap", "handover", "heeds", "moving", "overlap", "says", "served", "stops", "stuck", "taken"}
}

// Guards says whether an expectation is about the guarded resource.
func Guards(name string) bool {
	return slices.Contains([]string{"no-old-token", "no-lost-update", "lost-updates", "refused"}, name)
}

// Expectations returns the names of all expectations, sorted.
func Expectations() []string {
	return slices.Sorted(maps.Keys(kinds))
}

// read reads a name, or {name: {fields}}.
func (e *Expectation) read(p *parser, n *yaml.Node, _ string) {
	e.Line, e.Name = n.Line, n.Value
	args := (*yaml.Node)(nil)
	if key, value, ok := pair(n); ok {
		e.Name, args = key.Value, value
	} else if n.Kind != yaml.ScalarNode {
		p.fail(n.Line, "an expectation is %s: want NAME, or {NAME: {...}}, each behind a dash", kindName(n))
		return
	}
	k, ok := kinds[e.Name]
	if !ok {
		p.fail(n.Line, "there is no expectation %q: want one of %s", e.Name, orList(Expectations()))
		return
	}
	seen := map[string]*yaml.Node{}
	if args != nil && args.Tag != "!!null" {
		seen = p.fields(args, e.Name, e, slices.DeleteFunc(expectationFields(), func(f Field) bool { return !slices.Contains(k.Takes, f.Name) }))
	}
	e.rest(p, k, seen)
	for _, need := range k.Needs {
		if !slices.ContainsFunc(strings.Split(need, "|"), func(field string) bool { return seen[field] != nil }) {
			p.fail(n.Line, "%s needs %s", e.Name, strings.ReplaceAll(need, "|", " or "))
		}
	}
	if e.Below > 0 && e.AtLeast > 0 {
		p.fail(n.Line, "%s has both below and at-least: make it two", e.Name)
	}
	if k.OneLock {
		e.Lock = p.onlyLock(n.Line, e.Name, e.Lock)
	}
}

// rest reads the fields that are written in one way or another by the kind.
func (e *Expectation) rest(p *parser, k ExpectationInfo, seen map[string]*yaml.Node) {
	switch n := seen["at-least"]; {
	case n == nil:
	case k.Counts:
		e.Count = p.number(n, "at-least", Field{Min: 1})
	default:
		e.AtLeast = p.duration(n, "at-least")
	}
	if n := seen["except"]; n != nil {
		for _, part := range p.list(n, "except") {
			if e.Name == "quiet" {
				e.Except = append(e.Except, string(p.code(part, "except")))
			} else {
				e.Except = append(e.Except, p.contenders(part.Line, p.text(part, "except"))...)
			}
		}
	}
	if n := seen["after"]; n != nil && e.After > len(p.d.Steps) {
		p.fail(n.Line, "after step %d: the drill has %d", e.After, len(p.d.Steps))
	}
}
