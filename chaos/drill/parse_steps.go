package drill

import (
	"cmp"
	"reflect"
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"locktop/model"
)

// waitDefault is how long a wait waits that does not say.
const waitDefault = 10 * time.Second

// steps reads a list of steps.
func (p *parser) steps(n *yaml.Node) []Step {
	var all []Step
	for _, part := range p.list(n, "steps") {
		if all = append(all, p.step(part)...); len(all) > stepsMax {
			p.fail(part.Line, "more than %d steps: repeat less", stepsMax)
			break
		}
	}
	return all
}

// step reads one step. A repeat becomes as many steps as it says.
func (p *parser) step(n *yaml.Node) []Step {
	if n.Kind == yaml.ScalarNode { // "- heal" says all that there is to say
		n = &yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Content: []*yaml.Node{n, {Kind: yaml.ScalarNode, Line: n.Line, Value: "all"}}}
	}
	s := stepForm{}
	seen := p.object(n, &s)
	try := seen["try"]
	delete(seen, "try")
	if try != nil && seen["fault"] == nil && seen["start"] == nil {
		p.fail(n.Line, "try stands beside a fault or a start")
	}
	if len(seen) > 1 {
		p.fail(n.Line, "a step does one thing: begin another with a dash")
	}
	if f := seen["fault"]; f != nil {
		s.Fault = p.fault(f, false)
	}
	if h := seen["heal"]; h != nil {
		s.Heal = p.heal(h)
	}
	if s.Start != "" {
		p.start(seen["start"].Line, s.Start)
	}
	if r := seen["repeat"]; r != nil {
		return p.repeat(r)
	}
	if len(seen) == 0 {
		return nil
	}
	s.Line, s.See = n.Line, seen["see"] != nil
	return []Step{s.Step}
}

func (p *parser) repeat(n *yaml.Node) []Step {
	r := repeatForm{}
	seen := p.object(n, &r)
	if seen["times"] == nil || seen["steps"] == nil {
		return nil
	}
	mistakes := len(p.wrong)
	steps := p.steps(seen["steps"])
	if len(steps) == 0 {
		if len(p.wrong) == mistakes {
			p.fail(n.Line, "repeat repeats nothing: give it steps")
		}
		return nil
	}
	return slices.Repeat(steps, min(r.Times, stepsMax/len(steps)+1)) // whoever gets too many says so
}

// read reads WHAT, or {WHAT: LOCK}.
func (s *Show) read(p *parser, n *yaml.Node, what string) {
	s.What = Picture(n.Value)
	if key, lock, ok := pair(n); ok {
		s.What, s.Lock = Picture(key.Value), p.lock(lock, what)
	}
	p.oneOf(n.Line, what, string(s.What), Pictures())
	switch s.What {
	case PictureQueue, PictureCost, PictureResource:
		s.Lock = p.onlyLock(n.Line, what, s.Lock)
	case PictureSaid: // of several locks it is about all
		if locks := p.d.Lab.Locks(); s.Lock == "" && len(locks) == 1 {
			s.Lock = locks[0]
		}
	}
	if s.What == PictureCost {
		p.d.Lab.Counts = true
	}
}

// start checks who is started.
func (p *parser) start(line int, name string) {
	for _, one := range p.contenders(line, name) {
		if c, ok := p.d.Lab.Contender(one); ok && !c.Later {
			p.fail(line, "%s is started with the lab: give it later: true", name)
			return
		}
	}
}

func (t *Tell) read(p *parser, n *yaml.Node, what string) {
	name, word, ok := pair(n)
	if !ok {
		p.fail(n.Line, "%s is %s: want {CONTENDER: WORD}", what, kindName(n))
		return
	}
	if t.Word = p.text(word, what); p.course && blankName.MatchString(name.Value) {
		t.Contender = name.Value
		return // the draft that it belongs to fills it in
	}
	t.Contender = p.contender(name, what)
	if c, ok := p.d.Lab.Contender(t.Contender); ok && !c.Manual {
		p.fail(n.Line, "%s does what it wants: give it manual: true", t.Contender)
	}
}

func (q *Question) read(p *parser, n *yaml.Node, what string) {
	if n.Kind != yaml.MappingNode {
		p.fail(n.Line, "%s is %s: want {en: ..., options: [...], answer: N}", what, kindName(n))
		return
	}
	seen := p.object(n, q)
	if seen["options"] == nil || seen["answer"] == nil {
		return
	}
	if len(q.Options) < 2 || q.Answer < 1 || q.Answer > len(q.Options) {
		p.fail(n.Line, "ask has %d options and the answer %d: want two or more, and the number of the right one", len(q.Options), q.Answer)
	}
	p.decided(n.Line, q)
}

// read reads a sentence, or {en: ..., is: ..., why: {...}}.
func (o *Option) read(p *parser, n *yaml.Node, _ string) {
	if n.Kind != yaml.MappingNode {
		o.Text.read(p, n, "an option")
		return
	}
	p.fields(n, "an option", o, fieldsOf(reflect.TypeFor[Option]()))
}

func (w *Wait) read(p *parser, n *yaml.Node, _ string) {
	w.Within, w.Queue = waitDefault, -1
	seen := p.object(n, w)
	if holder := seen["holder"]; holder != nil {
		if w.Nobody = holder.Value == "nobody"; !w.Nobody {
			for _, part := range p.list(holder, "holder") {
				w.Holders = append(w.Holders, p.contenders(part.Line, p.text(part, "holder"))...)
			}
		}
	}
	if leader := seen["leader"]; leader != nil {
		p.oneOf(leader.Line, "leader", w.Leader, append(p.d.Lab.MemberNames(), "any", "none"))
	}
	delete(seen, "within")
	delete(seen, "lock")
	if len(seen) == 0 && n.Kind == yaml.MappingNode {
		p.fail(n.Line, "wait for nothing: want holder, waiters, belief, finding, ...; to let time go by, write pause")
	}
	if seen["holder"] != nil || seen["waiters"] != nil || seen["gone"] != nil || seen["queue"] != nil {
		w.Lock = p.onlyLock(n.Line, "wait", w.Lock)
	}
}

// heal reads "all" or what a fault is read from, where only the kind must be given.
func (p *parser) heal(n *yaml.Node) *model.Fault {
	if n.Kind == yaml.ScalarNode && n.Value == "all" {
		return &model.Fault{}
	}
	return p.fault(n, true)
}

// fault reads {KIND: TARGET, ...}, or a bare KIND of what needs no target.
func (p *parser) fault(n *yaml.Node, heal bool) *model.Fault {
	f := &model.Fault{}
	if n.Kind == yaml.ScalarNode {
		f.Kind = model.FaultKind(n.Value)
		p.checkFault(n.Line, *f, heal)
		return f
	}
	if n.Kind != yaml.MappingNode {
		p.fail(n.Line, "fault is %s: want {KIND: TARGET}", kindName(n))
		return f
	}
	kind := faultKind(n)
	if kind == "" {
		p.fail(n.Line, "no kind of fault is named: want one of %s", orList(faultNames()))
		return f
	}
	form, mistakes := faultForm{}, len(p.wrong)
	fields := slices.DeleteFunc(fieldsOf(reflect.TypeFor[faultForm]()), func(f Field) bool { return f.Name == kind })
	seen := p.fields(n, kind, &form, append(fields, Field{Name: kind, own: true}))
	*f = model.Fault{Kind: model.FaultKind(kind), For: form.For, Delay: cmp.Or(form.By, form.Delay), Method: string(form.Method),
		Direction: form.Direction, Rate: form.Rate, Count: form.Count, Value: form.Value, Member: form.Member}
	if info, _ := f.Kind.Info(); info.Target != model.TargetCluster {
		f.Target = p.text(seen[kind], kind)
	}
	if member := seen["member"]; member != nil {
		p.memberPhrase(member.Line, f.Member)
	}
	if len(p.wrong) == mistakes {
		p.checkFault(n.Line, *f, heal)
	}
	return f
}

// faultKind finds the field that names the kind. "delay" is a kind, and a number of
// other kinds.
func faultKind(n *yaml.Node) string {
	found := ""
	for i := 0; i+1 < len(n.Content); i += 2 {
		if key := n.Content[i].Value; slices.Contains(faultNames(), key) && (found == "" || found == string(model.FaultDelay)) {
			found = key
		}
	}
	return found
}

func faultNames() []string {
	var all []string
	for _, i := range model.FaultKinds() {
		all = append(all, string(i.Kind))
	}
	return all
}

// checkFault checks a fault and its target against the lab.
func (p *parser) checkFault(line int, f model.Fault, heal bool) {
	info, ok := f.Kind.Info()
	if !ok {
		p.fail(line, "there is no fault %q: want one of %s", f.Kind, orList(faultNames()))
		return
	}
	if heal {
		if info.Instant {
			p.fail(line, "%s is over at once: there is nothing to heal", f.Kind)
		}
		if f.Target == "" {
			return // of that kind, whatever the target
		}
	} else if err := f.Check(); err != nil {
		p.fail(line, "%v", err)
		return
	}
	if info.Needs == model.NeedsProcesses && !p.d.Lab.Processes {
		p.fail(line, "%s needs members that are processes: add processes: true to lab", f.Kind)
	}
	p.target(line, f, info)
}

// method is one of etcd's API, as faults name them.
type method string

var methods = []string{
	"KV/Range", "KV/RangeStream", "KV/Put", "KV/DeleteRange", "KV/Txn", "KV/Compact", "Watch/Watch",
	"Lease/LeaseGrant", "Lease/LeaseRevoke", "Lease/LeaseKeepAlive", "Lease/LeaseTimeToLive", "Lease/LeaseLeases",
	"Lock/Lock", "Lock/Unlock",
	"Election/Campaign", "Election/Proclaim", "Election/Leader", "Election/Observe", "Election/Resign",
	"Cluster/MemberList", "Maintenance/Status", "Maintenance/Alarm", "Auth/Authenticate",
}
