package drill

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"locktop/model"
)

// kind is one name that an expectation may have, and its fields. How it is judged
// stands in the package judge, under the same name.
type kind struct {
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
	"one-holder":      {takes: []string{"lock"}},
	"fifo":            {takes: []string{"lock"}},
	"tokens-grow":     {takes: []string{"lock"}},
	"no-old-token":    {takes: []string{"lock"}},
	"no-lost-update":  {takes: []string{"lock"}},
	"lost-updates":    {takes: []string{"lock", "at-least"}, needs: []string{"at-least"}, counts: true},
	"served":          {takes: []string{"lock", "within", "except"}, needs: []string{"within"}},
	"overlap":         {takes: []string{"lock", "below", "at-least"}, needs: []string{"below|at-least"}},
	"handover":        {takes: []string{"lock", "to", "from", "cause", "within", "at-least", "after"}, oneLock: true},
	"finding":         {takes: []string{"code", "lock", "within", "confidence", "after"}, needs: []string{"code"}},
	"no-finding":      {takes: []string{"code", "lock"}, needs: []string{"code"}},
	"quiet":           {takes: []string{"lock", "except"}},
	"acquired":        {takes: []string{"contender", "lock", "within", "after"}, needs: []string{"contender"}},
	"never-holds":     {takes: []string{"contender", "lock", "after"}, needs: []string{"contender"}},
	"acquisitions":    {takes: []string{"lock", "contender", "at-least"}, needs: []string{"at-least"}, counts: true},
	"failed-attempts": {takes: []string{"lock", "contender", "at-least"}, needs: []string{"at-least"}, counts: true},
	"belief":          {takes: []string{"contender", "lock", "state", "within"}, needs: []string{"contender", "state"}},
	"empty":           {takes: []string{"lock", "within"}},
	"stuck":           {takes: []string{"lock", "for"}, needs: []string{"for"}, oneLock: true},
	"moving":          {takes: []string{"lock", "within"}},
	"linearizable":    {takes: []string{"lock"}},
}

// Expectations returns the names of all expectations, sorted.
func Expectations() []string {
	var all []string
	for name := range kinds {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
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

func (p *parser) cause(n *yaml.Node) model.Cause {
	word := p.text(n, "cause")
	p.oneOf(n.Line, "cause", word, []string{string(model.CauseReleased), string(model.CauseExpired), string(model.CauseRevoked), string(model.CauseDeleted)})
	return model.Cause(word)
}

func (p *parser) confidence(n *yaml.Node) model.Confidence {
	word := p.text(n, "confidence")
	p.oneOf(n.Line, "confidence", word, []string{string(model.Certain), string(model.Strong), string(model.Hint)})
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
