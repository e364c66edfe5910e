package drill

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"locktop/model"
)

// Program is a program of the user's own that plays a contender's role.
type Program struct {
	// Command is what is started, without a shell. In its words {lock}, {endpoints}, {ttl} and
	// {role} stand for what the role says.
	Command []string
	// Rules say what its output means, the first that matches a line.
	Rules []Rule
	// Probe is where the program is asked what it believes: an address, by HTTP, or a file that
	// it writes, after [FileProbe]. Then the answers say it, and its output does not. In it
	// {role} stands for the name. "" for none.
	Probe string
}

// FileProbe begins a probe that is a file.
const FileProbe = "file:"

// SpeaksAs says whether two are the same command, and what it prints means the same.
func (p *Program) SpeaksAs(o *Program) bool {
	return p != nil && o != nil && p.Probe+o.Probe == "" && slices.Equal(p.Command, o.Command) &&
		slices.EqualFunc(p.Rules, o.Rules, func(a, b Rule) bool {
			return a.Stream == b.Stream && a.State == b.State && a.Pattern.String() == b.Pattern.String()
		})
}

// ProbeOf is where the process of that name is asked, and whether that is a file.
func (p *Program) ProbeOf(name string) (at string, file bool) {
	return strings.CutPrefix(strings.ReplaceAll(p.Probe, "{role}", name), FileProbe)
}

// Tells says whether a stream is one that tells what the program believes.
func (p *Program) Tells(from Stream) bool {
	switch {
	case p.Probe != "":
		return from == Answer
	case len(p.Rules) > 0:
		return true // a rule says of which
	}
	return from == Stdout
}

// By says in words where a belief of the process of that name comes from, if that is not its
// output.
func (p *Program) By(name string) string {
	if p.Probe == "" {
		return ""
	}
	return ", by its " + p.Source(name)
}

// Source says in words what tells what the process of that name believes.
func (p *Program) Source(name string) string {
	at, file := p.ProbeOf(name)
	switch {
	case file:
		return "file " + model.Printable(at)
	case at != "":
		path := "/"
		if u, err := url.Parse(at); err == nil && u.Path != "" {
			path = u.Path
		}
		return "answer at " + model.Printable(path)
	case len(p.Rules) > 0:
		return "output, by patterns"
	}
	return "output, by JSON lines"
}

// Rule is what a line of output says about what a program believes.
type Rule struct {
	Stream  Stream
	Pattern *regexp.Regexp
	State   model.BeliefState
}

// Stream is where a program says something.
type Stream string

// Streams.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
	// Answer is not printed: the program is asked by HTTP, or its file is read.
	Answer Stream = "answer"
)

// Hear says what a line of output says, false for nothing.
func (p *Program) Hear(from Stream, line []byte) (model.BeliefState, bool) {
	for _, r := range p.Rules {
		if r.Stream == from && r.Pattern.Match(line) {
			return r.State, true
		}
	}
	return "", false
}

// Words are the words of the command with the placeholders filled in.
func (p *Program) Words(values map[string]string) []string {
	var pairs []string
	for name, value := range values {
		pairs = append(pairs, "{"+name+"}", value)
	}
	fill := strings.NewReplacer(pairs...)
	var words []string
	for _, w := range p.Command {
		words = append(words, fill.Replace(w))
	}
	return words
}

// Programs are the names of the processes that programs of the user's own play.
func (l Lab) Programs() []string {
	var names []string
	for _, c := range l.Contenders {
		if c.Program != nil {
			names = append(names, c.Names()...)
		}
	}
	return names
}
