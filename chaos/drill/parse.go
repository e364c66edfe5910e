package drill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"locktop/model"
	"locktop/model/diagnose"
)

// Bounds of a file: more than these is a mistake, or not for one machine.
const (
	stepsMax      = 2000
	contendersMax = 64
)

// Parse reads a drill. name is that of its file, with or without .yaml, and stands
// in the errors ("NAME.yaml:LINE: what, and what would do"), of which several may
// be joined. Parse refuses every word that it does not know; it skips none.
func Parse(name string, data []byte) (*Drill, error) {
	file := FileName(name)
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, notYAML(file, err)
	}
	if len(doc.Content) == 0 {
		return nil, fmt.Errorf("%s:1: the file is empty: want title, lab, steps and expect", file)
	}
	if line := SecondDocument(data); line > 0 {
		return nil, fmt.Errorf("%s:%d: a second document begins here, and would be skipped: a file has one drill", file, line)
	}
	base := path.Base(file)
	p := &parser{reader: reader{file: file}, d: &Drill{Name: strings.TrimSuffix(base, path.Ext(base)), Seed: 1}}
	p.drill(doc.Content[0])
	if err := p.err(); err != nil {
		return nil, err
	}
	return p.d, nil
}

// SecondDocument returns the line of the second YAML document of a text that says something, 0 if
// there is none: who reads one document skips the others. The first has to be well-formed.
func SecondDocument(data []byte) int {
	all := yaml.NewDecoder(bytes.NewReader(data))
	for n := 0; ; n++ {
		var doc yaml.Node
		switch err := all.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return 0
		case n == 0:
		case err != nil:
			return 1 + bytes.Count(data[:max(0, bytes.Index(data, []byte("\n---"))+1)], []byte("\n"))
		case len(doc.Content) > 0 && doc.Content[0].Tag != "!!null":
			return doc.Content[0].Line
		}
	}
}

// FileName is how errors call the file of a drill: as it is named, and a word alone, which is the
// name of a built-in drill, with .yaml.
func FileName(name string) string {
	if path.Base(name) != name || path.Ext(name) != "" {
		return name
	}
	return name + ".yaml"
}

var yamlError = regexp.MustCompile(`^yaml: (?:line (\d+): )?(.*)$`)

// notYAML puts the line of a mistake of form where all our errors have it.
func notYAML(file string, err error) error {
	m := yamlError.FindStringSubmatch(err.Error())
	if m == nil || m[1] == "" {
		return fmt.Errorf("%s:1: no YAML: %w", file, err)
	}
	return fmt.Errorf("%s:%s: no YAML: %s (a text with : or , or ? in it wants quotes)", file, m[1], m[2])
}

// parser reads one file.
type parser struct {
	reader
	d *Drill
}

// drill reads the lab first: steps and expectations speak of it.
func (p *parser) drill(n *yaml.Node) {
	d := p.d
	var steps, expect, lesson *yaml.Node
	seen := p.fields(n, "a drill", map[string]func(*yaml.Node){
		"name":   func(n *yaml.Node) { d.Name = p.text(n, "name") },
		"title":  func(n *yaml.Node) { d.Title = p.text(n, "title") },
		"why":    func(n *yaml.Node) { d.Why = strings.TrimSpace(p.text(n, "why")) },
		"defect": func(n *yaml.Node) { d.Defect = p.text(n, "defect") },
		"seed":   func(n *yaml.Node) { d.Seed = uint64(p.number(n, "seed", 0)) },
		"least":  func(n *yaml.Node) { d.Least = p.number(n, "least", 0) },
		"lab":    p.lab,
		"steps":  func(n *yaml.Node) { steps = n },
		"expect": func(n *yaml.Node) { expect = n },
		"lesson": func(n *yaml.Node) { lesson = n },
	})
	if n.Kind != yaml.MappingNode {
		return
	}
	for _, name := range []string{"title", "lab", "expect"} {
		if !seen[name] && (name != "title" || lesson == nil) { // a lesson has its own
			p.fail(n.Line, "a drill without %s: add it", name)
		}
	}
	if steps != nil {
		p.steps(steps)
	}
	if expect != nil {
		if expect.Tag == "!!null" { // written and left empty
			expect = &yaml.Node{Kind: yaml.SequenceNode, Line: expect.Line}
		}
		rows := p.list(expect, "expect")
		if len(rows) == 0 && expect.Kind == yaml.SequenceNode {
			p.fail(expect.Line, "expect is empty, so nothing would be judged: name what has to be so, like one-holder")
		}
		for _, row := range rows {
			p.expectation(row)
		}
	}
	if lesson != nil {
		p.lesson(lesson)
		return
	}
	for _, s := range d.Steps {
		if s.Show != nil {
			p.fail(s.Line, "show is for lessons: leave it out, or add lesson")
		}
	}
}

func (p *parser) lab(n *yaml.Node) {
	lab := &p.d.Lab
	lab.Members, lab.Fence = 3, FenceNone
	p.fields(n, "lab", map[string]func(*yaml.Node){
		"members": func(n *yaml.Node) {
			if lab.Members = p.number(n, "members", 1); !slices.Contains([]int{1, 3, 5}, lab.Members) {
				p.fail(n.Line, "a lab of %d members: want 1, 3 or 5", lab.Members)
			}
		},
		"processes": func(n *yaml.Node) { lab.Processes = p.flag(n, "processes") },
		"fence": func(n *yaml.Node) {
			lab.Fence = Fence(p.text(n, "fence"))
			p.oneOf(n.Line, "fence", string(lab.Fence), FieldWords("fence"))
		},
		"contenders": func(n *yaml.Node) {
			for _, c := range p.list(n, "contenders") {
				if p.contender(c); len(lab.Contenders) > contendersMax {
					break // that is told below
				}
			}
		},
	})
	if many := len(lab.Names()); many > contendersMax {
		p.fail(n.Line, "%d contenders: at most %d", many, contendersMax)
	}
	for _, c := range lab.Contenders {
		if c.Member != "" && !slices.Contains(lab.MemberNames(), c.Member) {
			p.fail(n.Line, "%s is pinned to %s: want %s", c.Name, c.Member, orList(lab.MemberNames()))
		}
	}
}

// plainName is what a contender may be called: it becomes part of keys, flags and
// phrases, and a dot or a digit at its end tells workers and copies apart.
var plainName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

func (p *parser) contender(n *yaml.Node) {
	c := Contender{Line: n.Line, Recipe: "mutex"}
	lock := func(n *yaml.Node) {
		for _, name := range p.texts(n, "lock") {
			c.Locks = append(c.Locks, lockName(name))
		}
	}
	seen := p.fields(n, "a contender", map[string]func(*yaml.Node){
		"name":        func(n *yaml.Node) { c.Name = p.text(n, "name") },
		"count":       func(n *yaml.Node) { c.Count = p.few(n, "count") },
		"lock":        lock,
		"locks":       lock,
		"recipe":      func(n *yaml.Node) { c.Recipe = p.text(n, "recipe") },
		"ttl":         func(n *yaml.Node) { c.TTL = p.wholeSeconds(n, "ttl") },
		"no-lease":    func(n *yaml.Node) { c.NoLease = p.flag(n, "no-lease") },
		"hold":        func(n *yaml.Node) { c.Hold = p.duration(n, "hold") },
		"think":       func(n *yaml.Node) { c.Think = p.duration(n, "think") },
		"rounds":      func(n *yaml.Node) { c.Rounds = p.number(n, "rounds", 1) },
		"manual":      func(n *yaml.Node) { c.Manual = p.flag(n, "manual") },
		"later":       func(n *yaml.Node) { c.Later = p.flag(n, "later") },
		"workers":     func(n *yaml.Node) { c.Workers = p.few(n, "workers") },
		"member":      func(n *yaml.Node) { c.Member = p.text(n, "member") },
		"ignore-done": func(n *yaml.Node) { c.IgnoreDone = p.flag(n, "ignore-done") },
		"full":        func(n *yaml.Node) { c.Full = p.flag(n, "full") },
		"owner":       func(n *yaml.Node) { c.Owner = p.text(n, "owner") },
		"guarded":     func(n *yaml.Node) { c.Guarded = p.flag(n, "guarded") },
	})
	switch {
	case n.Kind != yaml.MappingNode:
		return
	case !plainName.MatchString(c.Name):
		p.fail(n.Line, "a contender named %q: want small letters, digits and dashes, a letter first", c.Name)
	case !seen["lock"] && !seen["locks"]:
		p.fail(n.Line, "%s competes for nothing: give it a lock", c.Name)
	case c.NoLease && c.TTL > 0:
		p.fail(n.Line, "%s has both a ttl and no-lease: keep one", c.Name)
	}
	for _, l := range c.Locks {
		if l == "/" || strings.HasSuffix(l, "/") {
			p.fail(n.Line, "%s competes for %q: want a name that does not end with /", c.Name, l)
		}
	}
	for _, name := range c.Names() {
		if slices.Contains(p.d.Lab.Names(), name) {
			p.fail(n.Line, "two contenders are named %s: rename one", name)
		}
	}
	p.d.Lab.Contenders = append(p.d.Lab.Contenders, c)
}

// few reads a number of contenders.
func (p *parser) few(n *yaml.Node, what string) int {
	i := p.number(n, what, 1)
	if i > contendersMax {
		p.fail(n.Line, "%s is %d: at most %d", what, i, contendersMax)
		return 1
	}
	return i
}

// wholeSeconds reads what etcd counts in seconds.
func (p *parser) wholeSeconds(n *yaml.Node, what string) time.Duration {
	d := p.duration(n, what)
	if d%time.Second != 0 {
		p.fail(n.Line, "%s is %s: etcd counts whole seconds, like 3s", what, d)
	}
	return d
}

// lockName is how a lock is named in etcd: a drill may leave the first slash away.
func lockName(s string) string {
	if !strings.HasPrefix(s, "/") {
		return "/" + s
	}
	return s
}

// Names are the names of the processes that it stands for.
func (c Contender) Names() []string {
	if c.Count < 2 {
		return []string{c.Name}
	}
	var all []string
	for i := range c.Count {
		all = append(all, fmt.Sprintf("%s%d", c.Name, i+1))
	}
	return all
}

// Names are the names of all processes of the lab, in order.
func (l Lab) Names() []string {
	var all []string
	for _, c := range l.Contenders {
		all = append(all, c.Names()...)
	}
	return all
}

// Several are the names that a name stands for: all of a kind that has a count, else that one.
func (l Lab) Several(name string) []string {
	for _, c := range l.Contenders {
		if c.Name == name && c.Count > 1 {
			return c.Names()
		}
	}
	return []string{name}
}

// Contender returns the one that a process, or a worker of one ("NAME.1"), belongs to.
func (l Lab) Contender(name string) (Contender, bool) {
	proc, worker, isWorker := strings.Cut(name, ".")
	for _, c := range l.Contenders {
		if slices.Contains(c.Names(), proc) {
			return c, !isWorker || slices.Contains(workerNames(c.Workers), worker)
		}
	}
	return Contender{}, false
}

func workerNames(n int) []string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprint(i+1))
	}
	return all
}

// MemberNames are the names of the members: m1, m2, ...
func (l Lab) MemberNames() []string {
	var all []string
	for i := range l.Members {
		all = append(all, fmt.Sprintf("m%d", i+1))
	}
	return all
}

// Locks are what the contenders compete for, each once, in the order of the file.
func (l Lab) Locks() []string {
	var all []string
	for _, c := range l.Contenders {
		for _, name := range c.Locks {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// knownContender checks a name of a process or a worker.
func (p *parser) knownContender(line int, name string) {
	if _, ok := p.d.Lab.Contender(name); !ok {
		p.fail(line, "there is no contender %q: want %s", name, orList(p.d.Lab.Names()))
	}
}

// lock reads the name of a lock of the drill.
func (p *parser) lock(n *yaml.Node) string {
	name := lockName(p.text(n, "lock"))
	if !slices.Contains(p.d.Lab.Locks(), name) {
		p.fail(n.Line, "nobody competes for the lock %s: want %s", name, orList(p.d.Lab.Locks()))
	}
	return name
}

// contenders reads names of processes or workers, or of all of a kind.
func (p *parser) contenders(n *yaml.Node, what string) []string {
	var all []string
	for _, text := range p.texts(n, what) {
		for _, name := range p.d.Lab.Several(text) {
			p.knownContender(n.Line, name)
			all = append(all, name)
		}
	}
	return all
}

func (p *parser) codes(n *yaml.Node, what string) []model.Code {
	var all []model.Code
	for _, word := range p.texts(n, what) {
		if _, ok := diagnose.Explain(model.Code(word)); !ok {
			p.fail(n.Line, "there is no finding %q: locktop explain lists them", word)
		}
		all = append(all, model.Code(word))
	}
	return all
}
