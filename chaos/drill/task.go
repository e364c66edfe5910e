package drill

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Task is something that the person does to the lab at the end of a lesson. It is judged by what
// happens, so any way to it is as good. Who has lost the way begins anew: every program of the lab
// is started once more, and the setup is done again.
type Task struct {
	Text  Text   `yaml:"text" needed:"true" says:"What."`
	Hints []Text `yaml:"hints" needed:"true" says:"Help for who asks, in three stages: where to look, how to go about it, what to do."`
	Setup []Step `yaml:"setup" form:",own" says:"What brings the lab there."`
	// Show is nil where what stood beside the last question is what the task needs, too.
	Show  *Show  `yaml:"show" form:"what is shown" says:"What stands beside it, WHAT or {WHAT: LOCK}; without it what stood there last."`
	Draft *Draft `yaml:"draft" says:"Lines for the reader to complete."`
	// Done may be nil where there is a draft: then it is done once the steps of the draft came to pass.
	Done *Wait `yaml:"done" says:"By what one sees that it is done; of a draft without it, by its steps."`
	// Lasts is for what is reached before it can be overdone.
	Lasts time.Duration `yaml:"lasts" says:"How long that has to be so until it counts."`
	Wrong []Wrong       `yaml:"wrong" says:"By what one sees that it can no longer be done, any of these for a while."`
	React []Reaction    `yaml:"react" says:"What the lab does when it sees something, one after the other."`
}

// hintStages is how many stages help has.
const hintStages = 3

// Wrong is what shows that a task can no longer be done, and why.
type Wrong struct {
	When *Wait `yaml:"when" needed:"true" says:"What shows it."`
	Why  Text  `yaml:"why" needed:"true" says:"Why it can no longer be done."`
}

// Reaction is what the lab does once it sees something, after the reactions before it.
type Reaction struct {
	When  *Wait  `yaml:"when" needed:"true" says:"What it sees."`
	Steps []Step `yaml:"steps" form:",own" needed:"true" says:"What it does then."`
}

// Draft is lines with blanks. Once they are filled in, the lab does Steps with them.
type Draft struct {
	Lines  []string `yaml:"lines" form:"text,own" needed:"true" says:"The lines, with {NAME} for a blank."`
	Blanks []Blank  `yaml:"blanks" needed:"true" says:"The blanks."`
	Steps  []Step   `yaml:"steps" form:",own" needed:"true" says:"What the lab does with them; {NAME} in a word that a contender is told is what was filled in."`
	// Says is whose words are the answer.
	Says string `yaml:"answers" names:"contender" says:"Whose last words the reader sees below the lines."`
}

// Blank is a place in a draft: for one of its options, or for a number.
type Blank struct {
	Name    string   `yaml:"name" needed:"true" says:"What stands in the braces."`
	Options []Choice `yaml:"options" form:"list of sentences" says:"What may stand there."`
	From    int      `yaml:"from" says:"The least number."`
	// To is 0 for a blank that has options.
	To int `yaml:"to" says:"The greatest number."`
}

// Choice is one that a blank offers. Is stands for it in a step.
type Choice struct {
	Text Text   `yaml:",inline"`
	Is   string `yaml:"is"`
}

// blankName finds the blanks in a text.
var blankName = regexp.MustCompile(`\{([a-z][a-z0-9]*)\}`)

// Filled is the step with what was filled in.
func (s Step) Filled(values map[string]string) Step {
	if s.Tell == nil {
		return s
	}
	fill := func(text string) string {
		return blankName.ReplaceAllStringFunc(text, func(b string) string {
			if v, ok := values[b[1:len(b)-1]]; ok {
				return v
			}
			return b
		})
	}
	s.Tell = &Tell{fill(s.Tell.Contender), fill(s.Tell.Word)}
	return s
}

// Tried are all steps that the task of a lesson may do, of a draft with each value that a blank has;
// nil is a drill without one.
func (l *Lesson) Tried() (all []Step) {
	if l == nil || l.Task == nil {
		return nil
	}
	all = slices.Clone(l.Task.Setup)
	for _, r := range l.Task.React {
		all = append(all, r.Steps...)
	}
	if l.Task.Draft == nil {
		return all
	}
	one := map[string]string{} // a value of each
	for _, b := range l.Task.Draft.Blanks {
		one[b.Name] = strconv.Itoa(b.To)
		if len(b.Options) > 0 {
			one[b.Name] = b.Options[0].Is
		}
	}
	for _, s := range l.Task.Draft.Steps {
		all = append(all, s.Filled(one))
		for _, b := range l.Task.Draft.Blanks {
			was := one[b.Name]
			for _, c := range b.Options {
				one[b.Name] = c.Is
				all = append(all, s.Filled(one))
			}
			one[b.Name] = was
		}
	}
	return all
}

// Allows says whether a blank may have this value.
func (b *Blank) Allows(value string) bool {
	if b.To > 0 {
		n, err := strconv.Atoi(value)
		return err == nil && b.From <= n && n <= b.To
	}
	return slices.ContainsFunc(b.Options, func(c Choice) bool { return c.Is == value })
}

// Values are all values of a blank that has options.
func (b *Blank) Values() (all []string) {
	for _, c := range b.Options {
		all = append(all, c.Is)
	}
	return all
}

func (t *Task) read(p *parser, n *yaml.Node, _ string) {
	seen := p.object(n, t)
	t.Setup = p.taskSteps(seen["setup"])
	switch {
	case n.Kind != yaml.MappingNode:
	case seen["hints"] != nil && len(t.Hints) != hintStages:
		p.fail(n.Line, "a task with %d hints: help has %d stages", len(t.Hints), hintStages)
	case t.Draft == nil && t.Done == nil:
		p.fail(n.Line, "a task without done: add what shows that it is done")
	}
}

func (r *Reaction) read(p *parser, n *yaml.Node, _ string) {
	r.Steps = p.taskSteps(p.object(n, r)["steps"])
}

func (f *Draft) read(p *parser, n *yaml.Node, _ string) {
	seen := p.object(n, f)
	f.Steps = p.taskSteps(seen["steps"])
	if lines := seen["lines"]; lines != nil {
		f.Lines = strings.Split(strings.TrimRight(p.text(lines, "lines"), "\n"), "\n")
	}
	if n.Kind != yaml.MappingNode {
		return
	}
	used := map[string]bool{}
	for _, b := range f.Blanks {
		used[b.Name] = false
	}
	for _, m := range blankName.FindAllStringSubmatch(strings.Join(f.Lines, "\n"), -1) {
		if _, ok := used[m[1]]; !ok {
			p.fail(n.Line, "the lines have the blank {%s}: add it to blanks", m[1])
		}
		used[m[1]] = true
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if !used[name] {
			p.fail(n.Line, "the blank {%s} stands in no line", name)
		}
	}
}

func (b *Blank) read(p *parser, n *yaml.Node, _ string) {
	p.object(n, b)
	if n.Kind == yaml.MappingNode && (len(b.Options) == 0) == (b.To < b.From || b.To == 0) {
		p.fail(n.Line, "the blank %s wants either options, or from and to", b.Name)
	}
}

// read reads a word that is the same in every language, or {en: ..., zh: ..., is: ...}.
func (c *Choice) read(p *parser, n *yaml.Node, _ string) {
	if n.Kind != yaml.MappingNode {
		word := p.text(n, "an option")
		c.Text, c.Is = Text{"en": word, "zh": word}, word
		return
	}
	if p.fields(n, "an option", c, fieldsOf(reflect.TypeFor[Choice]())); c.Is == "" {
		p.fail(n.Line, "an option of a blank that is a sentence: add is, the word for it")
	}
}

// taskSteps reads steps that the lab does for a task. Nothing is told by them.
func (p *parser) taskSteps(n *yaml.Node) []Step {
	if n == nil {
		return nil
	}
	all := p.steps(n)
	for _, s := range all {
		if s.Say != nil || s.Ask != nil || s.See || s.Show != nil {
			p.fail(s.Line, "a step of a task that is told: only what is done and waited for stands here")
		}
	}
	return all
}

// task checks what a task says once the whole file is known.
func (p *parser) task(t *Task) {
	if t.Draft == nil {
		return
	}
	for _, s := range t.Draft.Steps {
		if s.Wait != nil {
			p.whole(s.Line, "else of a wait of a draft", s.Wait.Else)
		}
		if s.Tell == nil {
			continue
		}
		for _, m := range blankName.FindAllStringSubmatch(s.Tell.Contender+" "+s.Tell.Word, -1) {
			if !slices.ContainsFunc(t.Draft.Blanks, func(b Blank) bool { return b.Name == m[1] }) {
				p.fail(s.Line, "there is no blank {%s}", m[1])
			}
		}
	}
}
