package drill

import (
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
}

// Rule is what a line of output says about what a program believes.
type Rule struct {
	Stream  Stream
	Pattern *regexp.Regexp
	State   model.BeliefState
}

// Stream is where a program prints.
type Stream string

// Streams.
const (
	Stdout Stream = "stdout"
	Stderr Stream = "stderr"
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
