package drill

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"locktop/model"
)

// Languages are those of the course, by code, English first.
func Languages() []string { return []string{"en", "zh"} }

// Lesson is what makes a drill a lesson of the course.
type Lesson struct {
	// Number is its place on the path, Minutes how long it takes.
	Number, Minutes int
	// Teaches is a line, Elsewhere says how other systems do it.
	Title, Teaches, Elsewhere Text
	// Etcdctl and Go are the lines that do the same by hand.
	Etcdctl, Go []string
	// Task is for the person to do; nil: none.
	Task *Task
	// Exam comes after the task; nil: none.
	Exam *Exam
}

// Exam is a fault that the person finds and heals, on a lab that shows only what etcd shows.
type Exam struct {
	Text  Text
	Cases []Case
}

// Case is a fault of an exam: the steps that bring it about, by what one sees that it is healed, a
// hint where to look, and what it was and how it showed.
type Case struct {
	Steps      []Step
	Done       *Wait
	Hint, Told Text
}

// Draw is the case that a seed decides.
func (e *Exam) Draw(seed uint64) Case {
	return e.Cases[rand.New(rand.NewPCG(seed, 0x6578616d)).IntN(len(e.Cases))]
}

// Task is something that the person does to the lab, and how one sees that it is done.
type Task struct {
	Text, Hint Text
	Done       *Wait
}

// Measure is what decides which answer to a question is right.
type Measure struct {
	// Name is one of the table of measures; Lock or Contender is what it speaks of.
	Name, Lock, Contender string
}

// Measured is what a measure found: a word, or a number of Unit. Neither: it could not tell.
type Measured struct {
	Name, Word string
	Number     *float64
	Unit       Unit
}

// measures are all measures: what they are of, and what they count.
var measures = map[string]struct {
	ofContender bool
	unit        Unit // "": a word
}{
	"holder":       {},                                 // who holds the lock by etcd, joined by +, or nobody
	"believers":    {},                                 // who says that it holds, likewise
	"until-held":   {ofContender: true, unit: Seconds}, // from the last fault, or the question, until it holds
	"overlap":      {unit: Seconds},                    // longest time of two beliefs at once
	"in-vain":      {unit: Count},                      // attempts that failed
	"stale-writes": {unit: Count},                      // writes accepted with a token that was not the newest claim's
	"refused":      {unit: Count},                      // accesses that the resource refused
	"lost":         {unit: Count},                      // acknowledged updates that are gone
}

// Shuffled is the question with its options in an order that the seed decides.
func (q Question) Shuffled(seed uint64, step int) Question {
	order := rand.New(rand.NewPCG(seed, uint64(step))).Perm(len(q.Options))
	s := q
	s.Options, s.Why, s.Is = nil, nil, nil
	for at, from := range order {
		s.Options = append(s.Options, q.Options[from])
		if q.Measure != nil {
			s.Why, s.Is = append(s.Why, q.Why[from]), append(s.Is, q.Is[from])
		}
		if from == q.Answer-1 {
			s.Answer = at + 1
		}
	}
	return s
}

// Right is the option that says what was measured, from 1, or 0 if none does.
func (q Question) Right(m Measured) int {
	for i, is := range q.Is {
		if m.Number == nil && m.Word != "" && is == m.Word {
			return i + 1
		}
		if lo, hi, ok := span(is); ok && m.Number != nil && lo <= *m.Number && *m.Number <= hi {
			return i + 1
		}
	}
	return 0
}

// spanMost stands for an end that is open.
const spanMost = 1e9

// span reads "7", "2..5", "2.." or "..5".
func span(s string) (lo, hi float64, ok bool) {
	from, to, open := strings.Cut(s, "..")
	if !open {
		to = from
	}
	lo, hi = 0, spanMost
	var errs [2]error
	if from != "" {
		lo, errs[0] = strconv.ParseFloat(from, 64)
	}
	if to != "" {
		hi, errs[1] = strconv.ParseFloat(to, 64)
	}
	return lo, hi, errs[0] == nil && errs[1] == nil && from+to != "" && lo <= hi
}

// lesson reads what makes a drill a lesson.
func (p *parser) lesson(n *yaml.Node) {
	l := &Lesson{}
	p.d.Lesson = l
	seen := p.fields(n, "lesson", map[string]func(*yaml.Node){
		"number":    func(n *yaml.Node) { l.Number = p.number(n, "number", 1) },
		"minutes":   func(n *yaml.Node) { l.Minutes = p.number(n, "minutes", 1) },
		"title":     func(n *yaml.Node) { l.Title = p.both(n, "title"); p.d.Title = l.Title.In("en") },
		"teaches":   func(n *yaml.Node) { l.Teaches = p.both(n, "teaches"); p.d.Why = l.Teaches.In("en") },
		"elsewhere": func(n *yaml.Node) { l.Elsewhere = p.both(n, "elsewhere") },
		"etcdctl":   func(n *yaml.Node) { l.Etcdctl = codeLines(p.text(n, "etcdctl")) },
		"go":        func(n *yaml.Node) { l.Go = codeLines(p.text(n, "go")) },
		"task":      func(n *yaml.Node) { l.Task = p.task(n) },
		"exam":      func(n *yaml.Node) { l.Exam = p.exam(n) },
	})
	for _, name := range []string{"number", "minutes", "title", "teaches", "elsewhere", "etcdctl", "go"} {
		if !seen[name] {
			p.fail(n.Line, "a lesson without %s: add it", name)
		}
	}
	p.questions()
	p.gated()
	for _, s := range p.d.Steps {
		if s.Say != nil {
			p.whole(s.Line, "say", s.Say)
		}
	}
}

func codeLines(s string) []string { return strings.Split(strings.TrimRight(s, "\n"), "\n") }

// both reads a text that has every language of the course.
func (p *parser) both(n *yaml.Node, what string) Text {
	t := p.words(n, what)
	p.whole(n.Line, what, t)
	return t
}

func (p *parser) whole(line int, what string, t Text) {
	for _, lang := range Languages() {
		if t[lang] == "" {
			p.fail(line, "%s has no %s: a lesson is told in %s", what, lang, orList(Languages()))
		}
	}
}

func (p *parser) task(n *yaml.Node) *Task {
	t := &Task{}
	seen := p.fields(n, "task", map[string]func(*yaml.Node){
		"text": func(n *yaml.Node) { t.Text = p.both(n, "text") },
		"hint": func(n *yaml.Node) { t.Hint = p.both(n, "hint") },
		"done": func(n *yaml.Node) { t.Done = p.wait(n) },
	})
	if !seen["text"] || !seen["hint"] || !seen["done"] {
		p.fail(n.Line, "task wants text, hint and done")
	}
	return t
}

func (p *parser) exam(n *yaml.Node) *Exam {
	e := &Exam{}
	seen := p.fields(n, "exam", map[string]func(*yaml.Node){
		"text": func(n *yaml.Node) { e.Text = p.both(n, "text") },
		"cases": func(n *yaml.Node) {
			for _, part := range p.list(n, "cases") {
				e.Cases = append(e.Cases, p.examCase(part))
			}
		},
	})
	if !seen["text"] || len(e.Cases) == 0 {
		p.fail(n.Line, "exam wants text and cases")
	}
	return e
}

func (p *parser) examCase(n *yaml.Node) (c Case) {
	seen := p.fields(n, "case", map[string]func(*yaml.Node){
		"steps": func(n *yaml.Node) {
			story := p.d.Steps
			p.d.Steps = nil
			p.steps(n)
			c.Steps, p.d.Steps = p.d.Steps, story
		},
		"done": func(n *yaml.Node) { c.Done = p.wait(n) },
		"hint": func(n *yaml.Node) { c.Hint = p.both(n, "hint") },
		"told": func(n *yaml.Node) { c.Told = p.both(n, "told") },
	})
	if !seen["steps"] || !seen["done"] || !seen["hint"] || !seen["told"] {
		p.fail(n.Line, "case wants steps, done, hint and told")
	}
	for i, s := range c.Steps {
		if s.Say != nil || s.Ask != nil || s.See || s.Show != nil {
			p.fail(s.Line, "a step of an exam that is told: nobody may see what is done")
		} else if i == len(c.Steps)-1 && s.Wait == nil {
			p.fail(s.Line, "the fault may not be there yet when it is looked for: end with a wait for how it shows")
		}
	}
	return c
}

// questions checks that each question of a lesson is measured, and seen after its steps.
func (p *parser) questions() {
	open := 0
	for _, s := range p.d.Steps {
		switch {
		case s.Ask != nil && open > 0:
			p.fail(s.Line, "a question while that of line %d is open: add see before it", open)
		case s.Ask != nil && s.Ask.Measure == nil:
			p.fail(s.Line, "a question of a lesson is decided by a measure: add one")
		case s.Ask != nil:
			open = s.Line
			for i, t := range append([]Text{s.Ask.Text, s.Ask.After}, s.Ask.Options...) {
				p.whole(s.Line, []string{"ask", "after", "an option"}[min(i, 2)], t)
			}
			for i, why := range s.Ask.Why {
				if i+1 != s.Ask.Answer {
					p.whole(s.Line, "the why of a wrong option", why)
				}
			}
		case s.See && open == 0:
			p.fail(s.Line, "see without a question before it")
		case s.See:
			open = 0
		}
	}
	if open > 0 {
		p.fail(open, "a question that nothing answers: add see after the steps that show it")
	}
}

// gated checks that nothing is under way while a text or a question stands: a reader may be
// slow; and that something is shown beside it.
func (p *parser) gated() {
	running := map[string]bool{} // that act by themselves
	for _, c := range p.d.Lab.Contenders {
		for _, name := range c.Names() {
			running[name] = !c.Manual && !c.Later
		}
	}
	busy, lease := "", false // what was begun, and that a lease runs out for it
	shown := false
	for _, s := range p.d.Steps {
		if shown = shown || s.Show != nil; !shown && (s.Say != nil || s.Ask != nil) {
			p.fail(s.Line, "nothing says what is shown beside this: add show before it, one of %s", orList(Pictures()))
			shown = true // once is enough
		}
		switch {
		case s.Tell != nil || s.Heal != nil:
			busy = s.Describe()
		case s.Start != "":
			for _, name := range p.d.Lab.Several(s.Start) {
				c, _ := p.d.Lab.Contender(name)
				running[name] = !c.Manual
			}
			busy = s.Describe()
		case s.Fault != nil:
			busy, lease = s.Describe(), true
		case s.Pause > 0 && !lease:
			busy = ""
		case s.Wait != nil:
			if len(s.Wait.Holders) > 0 || s.Wait.Nobody || len(s.Wait.Beliefs) > 0 || !lease {
				busy, lease = "", false
			}
			for _, name := range s.Wait.Ended {
				running[name] = false
			}
			for name, b := range s.Wait.Beliefs {
				if b == model.BeliefWaiting { // for one who is told
					running[name] = false
				}
			}
		case s.Say != nil || s.Ask != nil || s.See:
			for _, name := range p.d.Lab.Names() {
				if running[name] {
					p.fail(s.Line, "%s acts by itself while this is read: wait until it waits or has ended", name)
				}
			}
			if busy != "" {
				p.fail(s.Line, "%q is under way while this is read: wait for what it does", busy)
			}
		}
	}
}

// measure reads NAME, or {NAME: LOCK or CONTENDER}.
func (p *parser) measure(n *yaml.Node) *Measure {
	m := &Measure{Name: n.Value}
	arg := (*yaml.Node)(nil)
	if n.Kind == yaml.MappingNode && len(n.Content) == 2 {
		m.Name, arg = n.Content[0].Value, n.Content[1]
	}
	kind, ok := measures[m.Name]
	switch {
	case !ok:
		p.fail(n.Line, "there is no measure %q: want one of %s", m.Name, orList(Measures()))
	case kind.ofContender && arg == nil:
		p.fail(n.Line, "%s of whom? Write {%s: CONTENDER}", m.Name, m.Name)
	case kind.ofContender:
		m.Contender = p.oneContender(arg)
	case arg != nil:
		m.Lock = p.lock(arg)
	default:
		m.Lock = p.onlyLock(n.Line, m.Name, "")
	}
	return m
}

// Measures are the names of all measures, sorted.
func Measures() []string {
	return slices.Sorted(maps.Keys(measures))
}

// Unit is what a measure counts, "" for a word.
func (m Measure) Unit() Unit { return measures[m.Name].unit }

// option reads an answer: {en: ..., is: ..., why: {...}}.
func (p *parser) option(q *Question, n *yaml.Node) {
	var is string
	var why Text
	text := &yaml.Node{Kind: n.Kind, Line: n.Line, Value: n.Value, Tag: n.Tag}
	for i := 0; i+1 < len(n.Content); i += 2 {
		switch key, value := n.Content[i], n.Content[i+1]; key.Value {
		case "is":
			is = p.text(value, "is")
		case "why":
			why = p.words(value, "why")
		default:
			text.Content = append(text.Content, key, value)
		}
	}
	q.Options, q.Is, q.Why = append(q.Options, p.words(text, "an option")), append(q.Is, is), append(q.Why, why)
}

// decided checks that a measure can decide between the options.
func (p *parser) decided(line int, q *Question) {
	if q.Measure == nil {
		if slices.ContainsFunc(q.Is, func(s string) bool { return s != "" }) || q.After != nil {
			p.fail(line, "is and after want a measure")
		}
		q.Is, q.Why = nil, nil
		return
	}
	for i, is := range q.Is {
		lo, hi, ok := span(is)
		if is == "" || q.Measure.Unit() != "" && !ok {
			p.fail(line, "option %d is %q: want what %s finds, a word or a number like 3, 2..5 or 4..", i+1, is, q.Measure.Name)
			continue
		}
		for j, other := range q.Is[:i] {
			l, h, _ := span(other)
			if is == other || q.Measure.Unit() != "" && lo <= h && l <= hi {
				p.fail(line, "options %d and %d may both be so: %s and %s", j+1, i+1, other, is)
			}
		}
	}
}
