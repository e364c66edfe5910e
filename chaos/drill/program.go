package drill

import (
	"net/url"
	"regexp"
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
	// Probe is an address of the program that is asked, by HTTP, what it believes: then its
	// answers say it, and its output does not. "" for none.
	Probe string
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

// By says in words where a belief comes from that is not of the program's output.
func (p *Program) By() string {
	if p.Probe == "" {
		return ""
	}
	path := "/"
	if u, err := url.Parse(p.Probe); err == nil && u.Path != "" {
		path = u.Path
	}
	return ", by its answer at " + model.Printable(path)
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
	// Answer is not printed: the program is asked by HTTP.
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
