package drill

import (
	"slices"

	"go.yaml.in/yaml/v3"
)

// Guide is what makes a drill a guide: tasks for a person on a lab that runs already. A guide has
// no lab of its own, no steps, and nothing that is expected.
type Guide struct {
	Tasks []GuideTask `yaml:"tasks" needed:"true" says:"What the person does, one after another."`
	End   Text        `yaml:"end" needed:"true" says:"What is said after the last one; an empty line parts its two lines."`
}

// GuideTask is a task that is done once it is seen, whoever did it and by which key. In its texts a
// word in braces is a fact of the lab, and a word in backticks a key.
type GuideTask struct {
	Sees   string `yaml:"sees" words:"handover,false-belief,belief-over,deadlock,new-leader" needed:"true" says:"What is waited for. The console knows how each of them looks."`
	Does   string `yaml:"does" needed:"true" says:"What the guide does if the person asks it to: the kind of a fault, of the holder if it is one of programs, or heal."`
	Title  Text   `yaml:"title" needed:"true" says:"A word or two."`
	Why    Text   `yaml:"why" needed:"true" says:"What it is about. A small screen leaves it out."`
	Ask    Text   `yaml:"ask" needed:"true" says:"What to do, and by which key."`
	Wait   Text   `yaml:"wait" says:"After that, until it is seen."`
	Result Text   `yaml:"result" needed:"true" says:"What was seen."`
	Ended  Text   `yaml:"ended" says:"In the place of result, where the program ended before it noticed."`
	Silent Text   `yaml:"silent" says:"In the place of result, where the program let go and said nothing."`
	More   Text   `yaml:"more" needed:"true" says:"What it means."`
}

// Heal is what a task of a guide does that ends a fault.
const Heal = "heal"

// read reads a guide, each text in every language of the course.
func (g *Guide) read(p *parser, n *yaml.Node, _ string) {
	p.course = true
	p.object(n, g)
	p.course = false
	if n.Kind == yaml.MappingNode && len(g.Tasks) == 0 {
		p.fail(n.Line, "a guide without tasks: add them")
	}
}

func (t *GuideTask) read(p *parser, n *yaml.Node, _ string) {
	if does := p.object(n, t)["does"]; does != nil && t.Does != Heal && !slices.Contains(faultNames(), t.Does) {
		p.fail(does.Line, "there is no fault %q: want %s, or one of %s", t.Does, Heal, orList(faultNames()))
	}
}
