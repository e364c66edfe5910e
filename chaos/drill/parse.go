package drill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
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
	p := &parser{file: file, d: &Drill{Name: strings.TrimSuffix(base, path.Ext(base)), Seed: 1}}
	p.d.read(p, doc.Content[0], "")
	if len(p.wrong) == 0 { // what its faults have to outlast is known once all of it is
		for _, short := range p.d.Shorts() {
			line, text := p.d.describe(short)
			p.fail(line, "%s", text)
		}
	}
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

// read reads the lab first: steps and expectations speak of it.
func (d *Drill) read(p *parser, n *yaml.Node, _ string) {
	if i := slices.IndexFunc(n.Content, func(key *yaml.Node) bool { return key.Value == "guide" }); n.Kind == yaml.MappingNode && i >= 0 && i%2 == 0 {
		p.fields(n, "a guide", d, slices.DeleteFunc(fieldsOf(reflect.TypeFor[Drill]()), func(f Field) bool { return f.Name != "title" && f.Name != "guide" }))
		return
	}
	seen := p.object(n, d)
	if n.Kind != yaml.MappingNode {
		return
	}
	if seen["title"] == nil && seen["lesson"] == nil { // which has its own
		p.fail(n.Line, "a drill without title: add it")
	}
	if steps := seen["steps"]; steps != nil {
		d.Steps = p.steps(steps)
	}
	if expect := seen["expect"]; expect != nil {
		d.expect(p, expect)
	}
	if lesson := seen["lesson"]; lesson != nil {
		d.Lesson = &Lesson{}
		d.Lesson.read(p, lesson, "lesson")
		return
	}
	for _, s := range d.Steps {
		if s.Show != nil {
			p.fail(s.Line, "show is for lessons: leave it out, or add lesson")
		}
		if s.Stores != "" {
			p.fail(s.Line, "stores are for lessons: leave them out, or add lesson")
		}
	}
}

// expect reads the expectations, of which there have to be some.
func (d *Drill) expect(p *parser, n *yaml.Node) {
	if n.Tag == "!!null" || n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		p.fail(n.Line, "expect is empty, so nothing would be judged: name what has to be so, like one-holder")
		return
	}
	for _, row := range p.list(n, "expect") {
		e := Expectation{}
		e.read(p, row, "expect")
		d.Expect = append(d.Expect, e)
	}
}

func (l *Lab) read(p *parser, n *yaml.Node, _ string) {
	l.Members, l.Fence = 3, FenceNone
	seen := p.object(n, l)
	if contenders := seen["contenders"]; contenders != nil {
		for _, part := range p.list(contenders, "contenders") {
			c := Contender{}
			if c.read(p, part, ""); part.Kind == yaml.MappingNode {
				l.Contenders = append(l.Contenders, c)
			}
			if len(l.Contenders) > contendersMax {
				break // that is told below
			}
		}
	}
	if many := len(l.Names()); many > contendersMax {
		p.fail(n.Line, "%d contenders: at most %d", many, contendersMax)
	}
}

// plainName is what a contender may be called: it becomes part of keys, flags and
// phrases, and a dot or a digit at its end tells workers and copies apart.
var plainName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

func (c *Contender) read(p *parser, n *yaml.Node, _ string) {
	c.Line, c.Recipe = n.Line, "mutex"
	seen := p.object(n, c)
	switch {
	case n.Kind != yaml.MappingNode || seen["name"] == nil:
		return
	case !plainName.MatchString(c.Name):
		p.fail(n.Line, "a contender named %q: want small letters, digits and dashes, a letter first", c.Name)
	case seen["lock"] == nil && seen["locks"] == nil:
		p.fail(n.Line, "%s competes for nothing: give it a lock", c.Name)
	case c.NoLease && c.TTL > 0:
		p.fail(n.Line, "%s has both a ttl and no-lease: keep one", c.Name)
	}
	for _, l := range c.Locks {
		if l == "/" || strings.HasSuffix(l, "/") {
			p.fail(n.Line, "%s competes for %q: want a name that does not end with /", c.Name, l)
		}
	}
	if c.Member != "" && !slices.Contains(p.d.Lab.MemberNames(), c.Member) {
		p.fail(seen["member"].Line, "%s is pinned to %s: want %s", c.Name, c.Member, orList(p.d.Lab.MemberNames()))
	}
	for _, name := range c.Names() {
		if slices.Contains(p.d.Lab.Names(), name) {
			p.fail(n.Line, "two contenders are named %s: rename one", name)
		}
	}
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
