package drill

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"locktop/model"
	"locktop/model/smallstores"
)

// Languages are those of the course, by code, English first.
func Languages() []string { return []string{"en", "zh"} }

// Chapter is a part of the course.
type Chapter string

// The chapters, in their order on the path.
const (
	ChapterOrder     Chapter = "order"
	ChapterLease     Chapter = "lease"
	ChapterSafety    Chapter = "safety"
	ChapterOperating Chapter = "operating"
)

// Lesson is what makes a drill a lesson of the course.
type Lesson struct {
	Number    int      `yaml:"number" needed:"true" says:"Its place on the path."`
	Chapter   Chapter  `yaml:"chapter" says:"The chapter that it stands in."`
	Minutes   int      `yaml:"minutes" needed:"true" says:"How long it takes."`
	Title     Text     `yaml:"title" needed:"true" says:"One line."`
	Teaches   Text     `yaml:"teaches" needed:"true" says:"What one knows afterwards."`
	Elsewhere Text     `yaml:"elsewhere" needed:"true" says:"How other systems do it."`
	Etcdctl   []string `yaml:"etcdctl" form:"text,own" needed:"true" says:"The lines that do it."`
	// Go are the lines that do it in a program, none where another lesson shows them. They are no
	// part of the file: whoever has the lesson sets them.
	Go   []string
	Task *Task `yaml:"task" says:"What the reader does at the end."`
	Exam *Exam `yaml:"exam" says:"A fault that the reader finds and heals after that."`
}

// Exam is a fault that the person finds and heals, on a lab that shows only what etcd shows.
type Exam struct {
	Text  Text   `yaml:"text" needed:"true" says:"What is to be healed."`
	Cases []Case `yaml:"cases" needed:"true" says:"The faults."`
	// Asks are counted as steps after those of the story, see [Drill.Question].
	Asks []Question `yaml:"asks" says:"Questions that only the review asks, beside no lab."`
}

// Question is what a step asks, which counts from 1, nil for nothing. After the steps of the story come
// the questions of the review.
func (d *Drill) Question(step int) *Question {
	after := step - len(d.Steps)
	switch {
	case step < 1:
	case after <= 0:
		return d.Steps[step-1].Ask
	case d.Lesson != nil && d.Lesson.Exam != nil && after <= len(d.Lesson.Exam.Asks):
		return &d.Lesson.Exam.Asks[after-1]
	}
	return nil
}

// Scene is the last text before a step, without which its question cannot be answered elsewhere; empty
// for a question of the review.
func (d *Drill) Scene(step int) (said Text) {
	if step > len(d.Steps) {
		return nil
	}
	for _, s := range d.Steps[:max(0, step-1)] {
		if s.Say != nil {
			said = s.Say
		}
	}
	return said
}

// Case is a fault of an exam.
type Case struct {
	Steps       []Step  `yaml:"steps" form:",own" needed:"true" says:"What brings it about, unseen; the last waits for how it shows."`
	Done        *Wait   `yaml:"done" needed:"true" says:"By what one sees that it is healed."`
	Wrong       []*Wait `yaml:"wrong" says:"By what one sees that a wrong cure was taken, any of these for a while: then it is over."`
	Explanation Text    `yaml:"told" needed:"true" says:"What it was, and how it showed."`
}

// Draw is the case that a seed decides.
func (e *Exam) Draw(seed uint64) Case {
	return e.Cases[rand.New(rand.NewPCG(seed, 0x6578616d)).IntN(len(e.Cases))]
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
	ofModel     bool
	unit        Unit // "": a word
}{
	"holder":       {},                                 // who holds the lock by etcd, joined by +, or nobody
	"believers":    {},                                 // who says that it holds, likewise
	"until-held":   {ofContender: true, unit: Seconds}, // from the last fault, or the question, until it holds
	"overlap":      {unit: Seconds},                    // longest time of two beliefs at once
	"in-vain":      {unit: Count},                      // attempts that failed
	"failed-txns":  {ofContender: true, unit: Count},   // transactions whose condition did not hold, as the proxy counts
	"stale-writes": {unit: Count},                      // writes accepted with a token that was not the newest claim's
	"refused":      {unit: Count},                      // accesses that the resource refused
	"lost":         {unit: Count},                      // acknowledged updates that are gone
	"named":        {ofContender: true},                // whom it named last as the leader
	"stores":       {ofModel: true},                    // who believes to hold, in the model of small stores
}

// Shuffled is the question with its options in an order that the seed decides.
func (q Question) Shuffled(seed uint64, step int) Question {
	order := rand.New(rand.NewPCG(seed, uint64(step))).Perm(len(q.Options))
	s := q
	s.Options = nil
	for at, from := range order {
		s.Options = append(s.Options, q.Options[from])
		if from == q.Answer-1 {
			s.Answer = at + 1
		}
	}
	return s
}

// ReviewOnly are the numbers of the questions that only the review asks.
func (d *Drill) ReviewOnly() (steps []int) {
	for step := len(d.Steps) + 1; d.Question(step) != nil; step++ {
		steps = append(steps, step)
	}
	return steps
}

// Right is the option that says what was measured, from 1, or 0 if none does.
func (q Question) Right(m Measured) int {
	for i, o := range q.Options {
		if m.Number == nil && m.Word != "" && o.Is == m.Word {
			return i + 1
		}
		if lo, hi, ok := span(o.Is); ok && m.Number != nil && lo <= *m.Number && *m.Number <= hi {
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

// read reads what makes a drill a lesson.
func (l *Lesson) read(p *parser, n *yaml.Node, _ string) {
	p.course = true
	seen := p.object(n, l)
	p.course = false
	if n.Kind != yaml.MappingNode {
		return
	}
	if lines := seen["etcdctl"]; lines != nil {
		l.Etcdctl = strings.Split(strings.TrimRight(p.text(lines, "etcdctl"), "\n"), "\n")
	}
	p.d.Title, p.d.Why = l.Title, l.Teaches
	if l.Task != nil {
		p.task(l.Task)
	}
	p.questions()
	p.stores()
	p.stillInTexts()
	for _, s := range p.d.Steps {
		if s.Say != nil {
			p.whole(s.Line, "say", s.Say)
		}
	}
}

// whole checks that a text is there in every language of the course.
func (p *parser) whole(line int, what string, t Text) {
	for _, lang := range Languages() {
		if t[lang] == "" {
			p.fail(line, "%s has no %s: a lesson is told in %s", what, lang, orList(Languages()))
		}
	}
}

func (e *Exam) read(p *parser, n *yaml.Node, _ string) {
	if cases := p.object(n, e)["cases"]; cases != nil && len(e.Cases) == 0 {
		p.fail(cases.Line, "cases is empty: want the faults of the exam")
	}
}

func (c *Case) read(p *parser, n *yaml.Node, _ string) {
	seen := p.object(n, c)
	if steps := seen["steps"]; steps != nil {
		c.Steps = p.steps(steps)
	}
	for i, s := range c.Steps {
		if s.Say != nil || s.Ask != nil || s.See || s.Show != nil {
			p.fail(s.Line, "a step of an exam that is told: nobody may see what is done")
		} else if i == len(c.Steps)-1 && s.Wait == nil {
			p.fail(s.Line, "the fault may not be there yet when it is looked for: end with a wait for how it shows")
		}
	}
}

// StoresAt is the model of small stores after so many steps.
func (d *Drill) StoresAt(step int) *smallstores.Model {
	m := &smallstores.Model{}
	for _, s := range d.Steps[:step] {
		if s.Stores != "" {
			_ = m.Do(s.Stores) // it was done when the file was read
		}
	}
	return m
}

// stores does all that is done in the model, once.
func (p *parser) stores() {
	m := &smallstores.Model{}
	for _, s := range p.d.Steps {
		if s.Stores == "" {
			continue
		}
		if err := m.Do(s.Stores); err != nil {
			p.fail(s.Line, "stores: %v", err)
			return
		}
	}
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
			p.whole(s.Line, "ask", s.Ask.Text)
			p.explained(s.Line, s.Ask)
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

// explained checks that a question says why what is wrong is so, and what was to be learned.
func (p *parser) explained(line int, q *Question) {
	p.whole(line, "after", q.After)
	for i, o := range q.Options {
		p.whole(line, "an option", o.Text)
		if i+1 != q.Answer {
			p.whole(line, "the why of a wrong option", o.Why)
		}
	}
}

// stillInTexts checks that nothing is under way while a text or a question stands: a reader may be
// slow; and that something is shown beside it.
func (p *parser) stillInTexts() {
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

// read reads NAME, or {NAME: LOCK or CONTENDER}.
func (m *Measure) read(p *parser, n *yaml.Node, _ string) {
	m.Name = n.Value
	name, arg, named := pair(n)
	if named {
		m.Name = name.Value
	}
	kind, ok := measures[m.Name]
	switch {
	case !ok:
		p.fail(n.Line, "there is no measure %q: want one of %s", m.Name, orList(Measures()))
	case kind.ofModel:
	case kind.ofContender && !named:
		p.fail(n.Line, "%s of whom? Write {%s: CONTENDER}", m.Name, m.Name)
	case kind.ofContender:
		m.Contender = p.contender(arg, m.Name)
	case named:
		m.Lock = p.lock(arg, m.Name)
	default:
		m.Lock = p.onlyLock(n.Line, m.Name, "")
	}
}

// Measures are the names of all measures, sorted.
func Measures() []string {
	return slices.Sorted(maps.Keys(measures))
}

// Unit is what a measure counts, "" for a word.
func (m Measure) Unit() Unit { return measures[m.Name].unit }

// decided checks that a measure can decide between the options.
func (p *parser) decided(line int, q *Question) {
	if q.Measure == nil {
		if p.course { // the review knows what is right
			p.whole(line, "ask", q.Text)
			p.explained(line, q)
			return
		}
		if slices.ContainsFunc(q.Options, func(o Option) bool { return o.Is != "" }) || q.After != nil {
			p.fail(line, "is and after want a measure")
		}
		return
	}
	for i, o := range q.Options {
		is := o.Is
		lo, hi, ok := span(is)
		if is == "" || q.Measure.Unit() != "" && !ok {
			p.fail(line, "option %d is %q: want what %s finds, a word or a number like 3, 2..5 or 4..", i+1, is, q.Measure.Name)
			continue
		}
		for j, o := range q.Options[:i] {
			other := o.Is
			l, h, _ := span(other)
			if is == other || q.Measure.Unit() != "" && lo <= h && l <= hi {
				p.fail(line, "options %d and %d may both be so: %s and %s", j+1, i+1, other, is)
			}
		}
	}
}
