package drill

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"locktop/model"
	"locktop/model/findings"
)

// parser puts the nodes of one file into the structs of a drill, and collects what is wrong with
// them. The library makes the nodes. It could fill structs, too, but not these: with KnownFields
// it says "field x not found in type drill.Lab", and only outside of every UnmarshalYAML, where a
// list of one, a sentence in several languages, a fault and an expectation want one; and the line
// of a name is gone by the time that the names can be held against the lab.
type parser struct {
	file  string
	d     *Drill
	wrong []mistake
	// course: each text is told in every language of the course.
	course bool
}

type mistake struct {
	line int
	text string
}

// errorsMax bounds how many mistakes of one file are told.
const errorsMax = 20

func (p *parser) fail(line int, format string, args ...any) {
	if len(p.wrong) < errorsMax {
		p.wrong = append(p.wrong, mistake{line, fmt.Sprintf(format, args...)})
	}
}

// err joins the mistakes in the order of their lines.
func (p *parser) err() error {
	slices.SortStableFunc(p.wrong, func(a, b mistake) int { return cmp.Compare(a.line, b.line) })
	var all []error
	for _, m := range p.wrong {
		all = append(all, fmt.Errorf("%s:%d: %s", p.file, m.line, m.text))
	}
	return errors.Join(all...)
}

// reading is what reads itself: an object with more to check than its fields, or a value that is
// written in several ways. what is the name of the field that it stands in.
type reading interface {
	read(p *parser, n *yaml.Node, what string)
}

// object reads the fields of a mapping into the struct to. It returns the node of each that
// was there.
func (p *parser) object(n *yaml.Node, to any) map[string]*yaml.Node {
	t := reflect.TypeOf(to).Elem()
	return p.fields(n, objectName(t), to, fieldsOf(t))
}

// fields reads these fields of a mapping, which stands for what, into the struct to.
func (p *parser) fields(n *yaml.Node, what string, to any, fields []Field) map[string]*yaml.Node {
	seen := map[string]*yaml.Node{}
	var names []string
	rest := (*yaml.Node)(nil)
	for _, f := range fields {
		if names = append(names, f.Name); f.inline {
			rest = &yaml.Node{Kind: yaml.MappingNode, Line: n.Line}
		}
	}
	slices.Sort(names)
	if n.Kind != yaml.MappingNode {
		p.fail(n.Line, "%s is %s: want fields, like {%s: ...}", what, kindName(n), names[0])
		return seen
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case seen[key.Value] != nil:
			p.fail(key.Line, "%s has %q twice: keep one", what, key.Value)
			continue
		case rest != nil && (!slices.Contains(names, key.Value) || key.Value == "en"):
			rest.Content = append(rest.Content, key, value)
		case !slices.Contains(names, key.Value):
			p.fail(key.Line, "%s has no field %q: want one of %s", what, key.Value, strings.Join(names, ", "))
		}
		seen[key.Value] = value
	}
	for _, f := range fields {
		switch node := seen[f.Name]; {
		case f.inline:
			p.value(rest, what, f, reflect.ValueOf(to).Elem().FieldByIndex(f.index))
		case node == nil && f.Needed:
			p.fail(n.Line, "%s without %s: add it", what, f.Name)
		case node != nil && !f.own:
			p.value(node, f.Name, f, reflect.ValueOf(to).Elem().FieldByIndex(f.index))
		}
	}
	return seen
}

// value reads a field, which is called what, by its type.
func (p *parser) value(n *yaml.Node, what string, f Field, v reflect.Value) {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch to := v.Addr().Interface().(type) {
	case reading:
		to.read(p, n, what)
	case *bool:
		*to = p.flag(n, what)
	case *int:
		*to = p.number(n, what, f)
	case *uint64:
		*to = uint64(p.number(n, what, f))
	case *time.Duration:
		*to = p.duration(n, what)
		if f.Form == formSeconds && *to%time.Second != 0 {
			p.fail(n.Line, "%s is %s: etcd counts whole seconds, like 3s", what, *to)
		}
	case *model.Code:
		*to = p.code(n, what)
	case *[]model.Code:
		for _, part := range p.list(n, what) {
			*to = append(*to, p.code(part, what))
		}
	case *[]string:
		for _, part := range p.list(n, what) {
			text := p.text(part, what)
			if f.Form == formLocks {
				*to = append(*to, lockName(text))
			} else {
				*to = append(*to, p.contenders(part.Line, text)...)
			}
		}
	case *map[string]string:
		*to = map[string]string{}
		p.byContender(n, what, "TEXT", func(name string, n *yaml.Node) { (*to)[name] = p.text(n, what) })
	case *map[string]model.BeliefState:
		*to = map[string]model.BeliefState{}
		p.byContender(n, what, "STATE", func(name string, n *yaml.Node) { (*to)[name] = model.BeliefState(p.word(n, what, f.Words)) })
	default:
		p.other(n, what, f, v)
	}
}

// other reads a text, a struct, or a list of structs.
func (p *parser) other(n *yaml.Node, what string, f Field, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		p.object(n, v.Addr().Interface())
	case reflect.Slice:
		for _, part := range p.list(n, what) {
			one := reflect.New(v.Type().Elem()).Elem()
			p.value(part, what, f, one)
			v.Set(reflect.Append(v, one))
		}
	case reflect.String:
		switch {
		case len(f.Words) > 0:
			v.SetString(p.word(n, what, f.Words))
		case f.Form == formLock:
			v.SetString(p.lock(n, what))
		case f.contender:
			v.SetString(p.contender(n, what))
		default:
			v.SetString(p.text(n, what))
		}
	default:
		panic(what + " is of the type " + v.Type().String() + ", which nothing reads") // a mistake of ours
	}
}

// list returns the parts of a list. One value stands for a list of one.
func (p *parser) list(n *yaml.Node, what string) []*yaml.Node {
	switch n.Kind {
	case yaml.SequenceNode:
		return n.Content
	case yaml.ScalarNode, yaml.MappingNode:
		return []*yaml.Node{n}
	}
	p.fail(n.Line, "%s is %s: want a list", what, kindName(n))
	return nil
}

// pair returns the two sides of a mapping with one field, false for anything else.
func pair(n *yaml.Node) (key, value *yaml.Node, ok bool) {
	if n.Kind != yaml.MappingNode || len(n.Content) != 2 {
		return nil, nil, false
	}
	return n.Content[0], n.Content[1], true
}

// text returns a value as it is written.
func (p *parser) text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		p.fail(n.Line, "%s is %s: want a word or a sentence", what, kindName(n))
		return ""
	}
	return n.Value
}

func (p *parser) flag(n *yaml.Node, what string) bool {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
		p.fail(n.Line, "%s is %s: want true or false", what, nodeText(n))
		return false
	}
	return n.Value == "true" || n.Value == "True" || n.Value == "TRUE"
}

// number reads a whole number within the bounds of its field.
func (p *parser) number(n *yaml.Node, what string, f Field) int {
	i, err := strconv.Atoi(n.Value)
	switch {
	case n.Kind != yaml.ScalarNode || err != nil || i < f.Min:
		p.fail(n.Line, "%s is %s: want a whole number, %d or more", what, nodeText(n), f.Min)
		return f.Min
	case f.Max > 0 && i > f.Max:
		p.fail(n.Line, "%s is %d: at most %d", what, i, f.Max)
		return f.Min
	case len(f.Words) > 0 && !slices.Contains(f.Words, n.Value):
		p.fail(n.Line, "%s is %d: want %s", what, i, orList(f.Words))
	}
	return i
}

// duration reads a time above 0.
func (p *parser) duration(n *yaml.Node, what string) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || d <= 0 {
		p.fail(n.Line, "%s is %s: want a time like 500ms, 3s or 1m", what, nodeText(n))
		return 0
	}
	return d
}

// read reads a text in several languages; a plain one is English.
func (t *Text) read(p *parser, n *yaml.Node, what string) {
	*t = Text{}
	switch n.Kind {
	case yaml.ScalarNode:
		(*t)["en"] = strings.TrimSpace(p.text(n, what))
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			(*t)[n.Content[i].Value] = strings.TrimSpace(p.text(n.Content[i+1], what))
		}
		if (*t)["en"] == "" && !p.course {
			p.fail(n.Line, "%s has no English text: want {en: ...}", what)
		}
	default:
		p.fail(n.Line, "%s is %s: want a sentence, or {en: ..., zh: ...}", what, kindName(n))
		return
	}
	if p.course {
		p.whole(n.Line, what, *t)
	}
}

// word reads one of the words that there are.
func (p *parser) word(n *yaml.Node, what string, all []string) string {
	word := p.text(n, what)
	p.oneOf(n.Line, what, word, all)
	return word
}

// oneOf checks a word against those that there are.
func (p *parser) oneOf(line int, what, word string, all []string) {
	if !slices.Contains(all, word) {
		p.fail(line, "there is no %s %q: want %s", what, word, orList(all))
	}
}

// lock reads the name of a lock of the drill.
func (p *parser) lock(n *yaml.Node, what string) string {
	name := lockName(p.text(n, what))
	if n.Kind == yaml.ScalarNode && !slices.Contains(p.d.Lab.Locks(), name) {
		p.fail(n.Line, "nobody competes for the lock %s: want %s", name, orList(p.d.Lab.Locks()))
	}
	return name
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

// contender reads the name of a process or a worker.
func (p *parser) contender(n *yaml.Node, what string) string {
	name := p.text(n, what)
	if n.Kind == yaml.ScalarNode {
		p.knownContender(n.Line, name)
	}
	return name
}

// contenders are those that a name stands for: one, or all of a kind.
func (p *parser) contenders(line int, name string) []string {
	all := p.d.Lab.Several(name)
	for _, one := range all {
		p.knownContender(line, one)
	}
	return all
}

// knownContender checks a name of a process or a worker.
func (p *parser) knownContender(line int, name string) {
	if _, ok := p.d.Lab.Contender(name); !ok {
		p.fail(line, "there is no contender %q: want %s", name, orList(p.d.Lab.Names()))
	}
}

// byContender reads {CONTENDER: VALUE, ...}.
func (p *parser) byContender(n *yaml.Node, what, value string, read func(name string, n *yaml.Node)) {
	if n.Kind != yaml.MappingNode {
		p.fail(n.Line, "%s is %s: want {CONTENDER: %s}", what, kindName(n), value)
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		for _, name := range p.contenders(n.Content[i].Line, n.Content[i].Value) {
			read(name, n.Content[i+1])
		}
	}
}

// code reads a code of the diagnosis.
func (p *parser) code(n *yaml.Node, what string) model.Code {
	code := model.Code(p.text(n, what))
	if _, ok := findings.Explain(code); !ok && n.Kind == yaml.ScalarNode {
		p.fail(n.Line, "there is no finding %q: locktop explain lists them", code)
	}
	return code
}

func kindName(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	if n.Value == "" || n.Tag == "!!null" {
		return "empty"
	}
	return "a single value"
}

// nodeText is a value as it is written, or what else it is.
func nodeText(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Value != "" {
		return strconv.Quote(n.Value)
	}
	return kindName(n)
}

// orList writes "a, b or c".
func orList(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}
