package drill

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// reader walks the nodes of a file and collects what is wrong with it.
type reader struct {
	file string
	errs []error
}

// errorsMax bounds how many mistakes of one file are told.
const errorsMax = 20

func (r *reader) fail(line int, format string, args ...any) {
	if len(r.errs) < errorsMax {
		r.errs = append(r.errs, fmt.Errorf("%s:%d: %s", r.file, line, fmt.Sprintf(format, args...)))
	}
}

func (r *reader) err() error { return errors.Join(r.errs...) }

// fields calls for every field of a mapping the function of that name. It returns
// which fields there were.
func (r *reader) fields(n *yaml.Node, what string, known map[string]func(*yaml.Node)) map[string]bool {
	seen := map[string]bool{}
	if n.Kind != yaml.MappingNode {
		r.fail(n.Line, "%s is %s: want fields, like {%s: ...}", what, kindName(n), firstName(known))
		return seen
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		read := known[key.Value]
		switch {
		case seen[key.Value]:
			r.fail(key.Line, "%s has %q twice: keep one", what, key.Value)
		case read == nil:
			r.fail(key.Line, "%s has no field %q: want one of %s", what, key.Value, names(known))
		default:
			read(value)
		}
		seen[key.Value] = true
	}
	return seen
}

// list returns the parts of a list. One value stands for a list of one.
func (r *reader) list(n *yaml.Node, what string) []*yaml.Node {
	switch n.Kind {
	case yaml.SequenceNode:
		return n.Content
	case yaml.ScalarNode, yaml.MappingNode:
		return []*yaml.Node{n}
	}
	r.fail(n.Line, "%s is %s: want a list", what, kindName(n))
	return nil
}

// text returns a value as it is written.
func (r *reader) text(n *yaml.Node, what string) string {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		r.fail(n.Line, "%s is %s: want a word or a sentence", what, kindName(n))
		return ""
	}
	return n.Value
}

func (r *reader) texts(n *yaml.Node, what string) []string {
	var all []string
	for _, part := range r.list(n, what) {
		all = append(all, r.text(part, what))
	}
	return all
}

func (r *reader) flag(n *yaml.Node, what string) bool {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
		r.fail(n.Line, "%s is %s: want true or false", what, shown(n))
		return false
	}
	return n.Value == "true" || n.Value == "True" || n.Value == "TRUE"
}

// number reads a whole number from least on.
func (r *reader) number(n *yaml.Node, what string, least int) int {
	i, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || i < least {
		r.fail(n.Line, "%s is %s: want a whole number, %d or more", what, shown(n), least)
		return least
	}
	return i
}

// duration reads a time above 0.
func (r *reader) duration(n *yaml.Node, what string) time.Duration {
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || d <= 0 {
		r.fail(n.Line, "%s is %s: want a time like 500ms, 3s or 1m", what, shown(n))
		return 0
	}
	return d
}

// words reads a text in several languages; a plain one is English.
func (r *reader) words(n *yaml.Node, what string) Text {
	if n.Kind == yaml.ScalarNode {
		return Text{"en": r.text(n, what)}
	}
	t := Text{}
	if n.Kind != yaml.MappingNode {
		r.fail(n.Line, "%s is %s: want a sentence, or {en: ..., zh: ...}", what, kindName(n))
		return t
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		t[n.Content[i].Value] = r.text(n.Content[i+1], what)
	}
	if t["en"] == "" {
		r.fail(n.Line, "%s has no English text: want {en: ...}", what)
	}
	return t
}

// oneOf checks a word against those that there are.
func (r *reader) oneOf(line int, what, word string, all []string) {
	if !slices.Contains(all, word) {
		r.fail(line, "there is no %s %q: want %s", what, word, orList(all))
	}
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

// shown is a value as it is written, or what else it is.
func shown(n *yaml.Node) string {
	if n.Kind == yaml.ScalarNode && n.Value != "" {
		return strconv.Quote(n.Value)
	}
	return kindName(n)
}

func names(known map[string]func(*yaml.Node)) string {
	return strings.Join(slices.Sorted(maps.Keys(known)), ", ")
}

func firstName(known map[string]func(*yaml.Node)) string {
	first, _, _ := strings.Cut(names(known), ",")
	return first
}

// orList writes "a, b or c".
func orList(all []string) string {
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}
