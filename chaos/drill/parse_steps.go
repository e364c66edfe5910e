package drill

import (
	"slices"
	"time"

	"go.yaml.in/yaml/v3"

	"locktop/model"
)

// waitDefault is how long a wait waits that does not say.
const waitDefault = 10 * time.Second

func (p *parser) steps(n *yaml.Node) {
	for _, part := range p.list(n, "steps") {
		p.step(part)
	}
}

// step reads one step. A repeat becomes as many steps as it says.
func (p *parser) step(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode { // "- heal" says all that there is to say
		n = &yaml.Node{Kind: yaml.MappingNode, Line: n.Line, Content: []*yaml.Node{n, {Kind: yaml.ScalarNode, Line: n.Line, Value: "all"}}}
	}
	s := Step{Line: n.Line}
	repeat := false
	seen := p.fields(n, "a step", map[string]func(*yaml.Node){
		"wait":  func(n *yaml.Node) { s.Wait = p.wait(n) },
		"fault": func(n *yaml.Node) { s.Fault = p.fault(n, false) },
		"heal":  func(n *yaml.Node) { s.Heal = p.heal(n) },
		"start": func(n *yaml.Node) { s.Start = p.start(n) },
		"tell":  func(n *yaml.Node) { s.Tell = p.tell(n) },
		"pause": func(n *yaml.Node) { s.Pause = p.duration(n, "pause") },
		"say":   func(n *yaml.Node) { s.Say = p.words(n, "say") },
		"ask":   func(n *yaml.Node) { s.Ask = p.ask(n) },
		"see":   func(*yaml.Node) { s.See = true },
		"show":  func(n *yaml.Node) { s.Show = p.show(n) },
		"repeat": func(n *yaml.Node) {
			repeat = true
			p.repeat(n)
		},
	})
	switch {
	case len(seen) > 1:
		p.fail(n.Line, "a step does one thing: begin another with a dash")
	case len(p.d.Steps) >= stepsMax:
		p.fail(n.Line, "more than %d steps: repeat less", stepsMax)
	case len(seen) == 1 && !repeat:
		p.d.Steps = append(p.d.Steps, s)
	}
}

func (p *parser) repeat(n *yaml.Node) {
	times, steps := 0, (*yaml.Node)(nil)
	p.fields(n, "repeat", map[string]func(*yaml.Node){
		"times": func(n *yaml.Node) { times = p.number(n, "times", 1) },
		"steps": func(n *yaml.Node) { steps = n },
	})
	if times == 0 || steps == nil {
		p.fail(n.Line, "repeat needs times and steps")
		return
	}
	for range times {
		mistakes, before := len(p.errs), len(p.d.Steps)
		p.steps(steps)
		if len(p.errs) > mistakes || len(p.errs) >= errorsMax {
			return // once is enough
		}
		if len(p.d.Steps) == before {
			p.fail(n.Line, "repeat repeats nothing: give it steps")
			return
		}
	}
}

// show reads WHAT, or {WHAT: LOCK}.
func (p *parser) show(n *yaml.Node) *Show {
	s := &Show{What: Picture(n.Value)}
	if n.Kind == yaml.MappingNode && len(n.Content) == 2 {
		s.What, s.Lock = Picture(n.Content[0].Value), p.lock(n.Content[1])
	}
	p.oneOf(n.Line, "show", string(s.What), Pictures())
	switch s.What {
	case PictureQueue, PictureCost, PictureResource:
		s.Lock = p.onlyLock(n.Line, "show", s.Lock)
	}
	if s.What == PictureCost {
		p.d.Lab.Counts = true
	}
	return s
}

func (p *parser) start(n *yaml.Node) string {
	name := p.text(n, "start")
	for _, one := range p.d.Lab.Several(name) {
		p.knownContender(n.Line, one)
		if c, ok := p.d.Lab.Contender(one); ok && !c.Later {
			p.fail(n.Line, "%s is started with the lab: give it later: true", name)
			break
		}
	}
	return name
}

func (p *parser) tell(n *yaml.Node) *Tell {
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		p.fail(n.Line, "tell is %s: want {CONTENDER: WORD}", kindName(n))
		return nil
	}
	t := &Tell{Contender: p.text(n.Content[0], "tell"), Word: p.text(n.Content[1], "tell")}
	p.knownContender(n.Line, t.Contender)
	if c, ok := p.d.Lab.Contender(t.Contender); ok && !c.Manual {
		p.fail(n.Line, "%s does what it wants: give it manual: true", t.Contender)
	}
	return t
}

func (p *parser) ask(n *yaml.Node) *Question {
	q := &Question{}
	if n.Kind != yaml.MappingNode {
		p.fail(n.Line, "ask is %s: want {en: ..., options: [...], answer: N}", kindName(n))
		return q
	}
	text := &yaml.Node{Kind: yaml.MappingNode, Line: n.Line}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch key.Value {
		case "options":
			for _, o := range p.list(value, "options") {
				p.option(q, o)
			}
		case "answer":
			q.Answer = p.number(value, "answer", 1)
		case "measure":
			q.Measure = p.measure(value)
		case "after":
			q.After = p.words(value, "after")
		default:
			text.Content = append(text.Content, key, value)
		}
	}
	q.Text = p.words(text, "ask")
	if len(q.Options) < 2 || q.Answer < 1 || q.Answer > len(q.Options) {
		p.fail(n.Line, "ask has %d options and the answer %d: want two or more, and the number of the right one", len(q.Options), q.Answer)
	}
	p.decided(n.Line, q)
	return q
}

func (p *parser) wait(n *yaml.Node) *Wait {
	w := &Wait{Within: waitDefault, Queue: -1}
	names := func(to *[]string, what string) func(*yaml.Node) {
		return func(n *yaml.Node) { *to = p.contenders(n, what) }
	}
	seen := p.fields(n, "wait", map[string]func(*yaml.Node){
		"within": func(n *yaml.Node) { w.Within = p.duration(n, "within") },
		"lock":   func(n *yaml.Node) { w.Lock = p.lock(n) },
		"holder": func(n *yaml.Node) {
			if w.Nobody = n.Value == "nobody"; !w.Nobody {
				w.Holders = p.contenders(n, "holder")
			}
		},
		"waiters":      names(&w.Waiters, "waiters"),
		"gone":         names(&w.Gone, "gone"),
		"queue":        func(n *yaml.Node) { w.Queue = p.number(n, "queue", 0) },
		"belief":       func(n *yaml.Node) { w.Beliefs = p.beliefs(n) },
		"says":         func(n *yaml.Node) { w.Says = p.saidBy(n) },
		"alive":        names(&w.Alive, "alive"),
		"ended":        names(&w.Ended, "ended"),
		"finding":      func(n *yaml.Node) { w.Findings = p.codes(n, "finding") },
		"no-finding":   func(n *yaml.Node) { w.Absent = p.codes(n, "no-finding") },
		"acquisitions": func(n *yaml.Node) { w.Acquisitions = p.number(n, "acquisitions", 1) },
		"leader": func(n *yaml.Node) {
			w.Leader = p.text(n, "leader")
			p.oneOf(n.Line, "leader", w.Leader, append(p.d.Lab.MemberNames(), "any", "none"))
		},
		"up": func(n *yaml.Node) { w.Up = p.number(n, "up", 1) },
	})
	delete(seen, "within")
	delete(seen, "lock")
	if len(seen) == 0 && n.Kind == yaml.MappingNode {
		p.fail(n.Line, "wait for nothing: want holder, waiters, belief, finding, ...; to let time go by, write pause")
	}
	if seen["holder"] || seen["waiters"] || seen["gone"] || seen["queue"] {
		w.Lock = p.onlyLock(n.Line, "wait", w.Lock)
	}
	return w
}

// onlyLock is the lock that is meant where none is named.
func (p *parser) onlyLock(line int, what, name string) string {
	locks := p.d.Lab.Locks()
	switch {
	case name != "":
		return name
	case len(locks) == 1:
		return locks[0]
	case len(locks) > 1:
		p.fail(line, "%s for which lock? Add lock: %s", what, orList(locks))
	}
	return ""
}

func (p *parser) beliefs(n *yaml.Node) map[string]model.BeliefState {
	all := map[string]model.BeliefState{}
	if n.Kind != yaml.MappingNode {
		p.fail(n.Line, "belief is %s: want {CONTENDER: STATE}", kindName(n))
		return all
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		state := p.belief(n.Content[i+1])
		for _, name := range p.d.Lab.Several(n.Content[i].Value) {
			p.knownContender(n.Content[i].Line, name)
			all[name] = state
		}
	}
	return all
}

// saidBy reads {CONTENDER: TEXT}.
func (p *parser) saidBy(n *yaml.Node) map[string]string {
	all := map[string]string{}
	if n.Kind != yaml.MappingNode {
		p.fail(n.Line, "says is %s: want {CONTENDER: TEXT}", kindName(n))
		return all
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i].Value
		p.knownContender(n.Content[i].Line, name)
		all[name] = p.text(n.Content[i+1], "says")
	}
	return all
}

var beliefStates = []string{string(model.BeliefIdle), string(model.BeliefWaiting), string(model.BeliefHolding), string(model.BeliefLeaving),
	string(model.BeliefLost)}

func (p *parser) belief(n *yaml.Node) model.BeliefState {
	word := p.text(n, "belief")
	p.oneOf(n.Line, "belief", word, beliefStates)
	return model.BeliefState(word)
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
	known := map[string]func(*yaml.Node){
		"for":       func(n *yaml.Node) { f.For = p.duration(n, "for") },
		"by":        func(n *yaml.Node) { f.Delay = p.duration(n, "by") },
		"delay":     func(n *yaml.Node) { f.Delay = p.duration(n, "delay") },
		"method":    func(n *yaml.Node) { f.Method = p.text(n, "method"); p.oneOf(n.Line, "method", f.Method, methods) },
		"direction": func(n *yaml.Node) { f.Direction = model.Direction(p.text(n, "direction")) },
		"rate":      func(n *yaml.Node) { f.Rate = p.number(n, "rate", 1) },
		"count":     func(n *yaml.Node) { f.Count = p.number(n, "count", 1) },
		"value":     func(n *yaml.Node) { f.Value = p.text(n, "value") },
		"member":    func(n *yaml.Node) { f.Member = p.text(n, "member"); p.memberPhrase(n.Line, f.Member) },
	}
	if kind == "" {
		p.fail(n.Line, "no kind of fault is named: want one of %s", orList(faultNames()))
		return f
	}
	f.Kind = model.FaultKind(kind)
	info, _ := f.Kind.Info()
	known[kind] = func(n *yaml.Node) {
		if info.Target != model.TargetCluster {
			f.Target = p.text(n, kind)
		}
	}
	p.fields(n, string(kind), known)
	p.checkFault(n.Line, *f, heal)
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

// methods are those of etcd's API, as faults name them.
var methods = []string{
	"KV/Range", "KV/RangeStream", "KV/Put", "KV/DeleteRange", "KV/Txn", "KV/Compact", "Watch/Watch",
	"Lease/LeaseGrant", "Lease/LeaseRevoke", "Lease/LeaseKeepAlive", "Lease/LeaseTimeToLive", "Lease/LeaseLeases",
	"Lock/Lock", "Lock/Unlock",
	"Election/Campaign", "Election/Proclaim", "Election/Leader", "Election/Observe", "Election/Resign",
	"Cluster/MemberList", "Maintenance/Status", "Maintenance/Alarm", "Auth/Authenticate",
}
