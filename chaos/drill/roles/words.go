package roles

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"os/exec"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"locktop/chaos/drill"
	"locktop/model"
)

// Role is a command for a role of a drill.
type Role struct {
	// Name is the contender's, "" for each that no other command is for.
	Name    string
	Command []string
}

var roleForm = regexp.MustCompile(`^([a-z][a-z0-9-]*)=`)

// There wants the programs to be there, before a lab is started for them.
func (o *Options) There() error {
	if o == nil {
		return nil
	}
	for _, r := range o.Roles {
		name := r.Command[0]
		if strings.Contains(name, "{") {
			continue // what is filled in is not known yet
		}
		if _, err := exec.LookPath(name); err != nil {
			for inner := err; inner != nil; inner = errors.Unwrap(inner) {
				err = inner
			}
			return fmt.Errorf("--as: %q cannot be run: %w", name, err)
		}
	}
	return nil
}

// notProgram is how a variable begins, or what was meant as a role and is none.
var notProgram = regexp.MustCompile(`^[^/=]*=`)

// ParseRole reads "ROLE=COMMAND ARG..." or "COMMAND ARG...".
func ParseRole(s string) (Role, error) {
	var r Role
	if m := roleForm.FindStringSubmatch(s); m != nil {
		r.Name, s = m[1], s[len(m[0]):]
	}
	var err error
	switch r.Command, err = split(s); {
	case err != nil:
	case len(r.Command) == 0:
		err = errors.New("there is no command in it")
	case notProgram.MatchString(r.Command[0]):
		err = fmt.Errorf("%q is neither a role, of a-z, 0-9 and dash, nor a program; a variable of the environment is set by env %[1]s COMMAND", r.Command[0])
	}
	return r, err
}

// Split cuts a command into words, as [ParseRole] does.
func Split(s string) ([]string, error) { return split(s) }

// shellOnly are characters that mean something to a shell alone.
const shellOnly = "|&;<>()$`\n"

// split cuts a line into words as a shell does: by blanks, with quotes and backslashes. It
// refuses what only a shell could do.
func split(s string) ([]string, error) {
	var words []string
	var word strings.Builder
	in, quote := false, rune(0)
	runes := []rune(s)
	for i := 0; i < len(runes); i++ {
		c := runes[i]
		switch {
		case quote == '\'' && c != quote, quote == '"' && c != quote && c != '\\':
			word.WriteRune(c)
		case quote == '"' && c == '\\':
			if i+1 < len(runes) && strings.ContainsRune("\"\\$`", runes[i+1]) {
				i++
			}
			word.WriteRune(runes[i])
		case c == quote && quote != 0:
			quote = 0
		case c == '\'' || c == '"':
			quote, in = c, true
		case c == '\\':
			if i++; i == len(runes) {
				return nil, errors.New("a backslash at the end has nothing to quote")
			}
			word.WriteRune(runes[i])
			in = true
		case c == ' ' || c == '\t':
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		case strings.ContainsRune(shellOnly, c):
			return nil, fmt.Errorf("%q is for a shell, and no shell runs it: quote it, or write sh -c '...'", c)
		default:
			word.WriteRune(c)
			in = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the quote %c does not end", quote)
	}
	if in {
		words = append(words, word.String())
	}
	return words, nil
}

// Rules are what lines of a role's output mean; of every role if it is "".
type Rules struct {
	Role  string
	Rules []drill.Rule
	// Probe is where a program is asked in the place of its output, as [drill.Program] has it.
	Probe string
}

// states are the words for what a program may be said to believe.
var states = []string{string(model.BeliefHolding), string(model.BeliefWaiting), string(model.BeliefIdle), string(model.BeliefLost)}

var (
	ruleHead  = regexp.MustCompile(`^(?:([a-z][a-z0-9-]*)=)?(stdout|stderr|answer):`)
	ruleProbe = regexp.MustCompile(`^(?:([a-z][a-z0-9-]*)=)?(http://.*|file:.*)$`)
	ruleState = regexp.MustCompile(`^/((?:[^/\\]|\\.)*)/=([a-z]+)(,|$)`)
	ruleLine  = regexp.MustCompile(`^/(.*)/=([a-z]+)$`)
)

// ParseRules reads "[ROLE=]stdout:/REGEX/=STATE,/REGEX/=STATE". A slash in an expression is
// written \/. "[ROLE=]http://127.0.0.1:PORT/PATH" is an address that is asked, "[ROLE=]file:PATH"
// a file that is read; what it answers means is a word, JSON, or rules of the stream "answer".
func ParseRules(s string) (Rules, error) {
	if m := ruleProbe.FindStringSubmatch(s); m != nil {
		if path, file := strings.CutPrefix(m[2], drill.FileProbe); file {
			return Rules{Role: m[1], Probe: m[2]}, aFile(path)
		}
		return Rules{Role: m[1], Probe: m[2]}, onLoopback(m[2])
	}
	r, stream, rest, err := head(s)
	if err != nil {
		return r, err
	}
	for rest != "" {
		m := ruleState.FindStringSubmatch(rest)
		if m == nil {
			return r, fmt.Errorf("%q: want /REGEX/=STATE, with a comma between two; a slash in it is \\/", rest)
		}
		if len(r.Rules) == rulesMax {
			return r, errTooMany
		}
		if rest = rest[len(m[0]):]; rest == "" && m[3] != "" {
			return r, errors.New("nothing follows the last comma")
		}
		rule, err := newRule(stream, strings.ReplaceAll(m[1], `\/`, "/"), m[2])
		if err != nil {
			return r, err
		}
		r.Rules = append(r.Rules, rule)
	}
	return r, nil
}

// onLoopback wants an address of this machine: nothing else is asked.
func onLoopback(address string) error {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return err
	case u.Port() == "" || u.User != nil || u.Fragment != "":
		return fmt.Errorf("%q: want http://127.0.0.1:PORT/PATH", address)
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err != nil || !ip.IsLoopback() {
		return fmt.Errorf("%q: only an address of loopback is asked, 127.0.0.1 or [::1]", u.Host)
	}
	return nil
}

// aFile wants the name of a file that may be there later.
func aFile(path string) error {
	if path == "" || strings.HasSuffix(path, "/") || strings.ContainsRune(path, 0) {
		return errors.New("want file:PATH, like file:/run/worker-{role}.state")
	}
	return nil
}

// Agree refuses rules of which some would never be looked at, in any role.
func Agree(all []Rules) error {
	for _, role := range all {
		probe, output, answer := "", false, false
		for _, r := range all {
			if r.Role != role.Role && r.Role != "" {
				continue
			}
			probe = cmp.Or(probe, r.Probe)
			for _, rule := range r.Rules {
				answer, output = answer || rule.Stream == drill.Answer, output || rule.Stream != drill.Answer
			}
		}
		switch {
		case answer && probe == "" && role.Role == "" && !slices.ContainsFunc(all, func(r Rules) bool { return r.Probe != "" }),
			answer && probe == "" && role.Role != "":
			return errors.New("answer: is what an address or a file says, and none is named: http://127.0.0.1:PORT/PATH, or file:PATH")
		case output && probe != "":
			return fmt.Errorf("%s is asked, so the output says nothing: leave stdout and stderr out, or say answer: in their place", model.Printable(probe))
		}
	}
	return nil
}

// ParseRulesFile reads rules from a file, a line each: "[ROLE=]stdout:/REGEX/=STATE". The
// last /= ends the expression, so that nothing in it needs a backslash. Empty lines and those
// that begin with # say nothing.
func ParseRulesFile(data []byte) ([]Rules, error) {
	var all []Rules
	for i, line := range bytes.Split(data, []byte("\n")) {
		text := strings.TrimSpace(string(line))
		if text == "" || text[0] == '#' {
			continue
		}
		r, stream, rest, err := head(text)
		if err == nil && len(all) == rulesMax {
			err = errTooMany
		}
		m := ruleLine.FindStringSubmatch(rest)
		if err == nil && m == nil {
			err = errors.New("want /REGEX/=STATE")
		}
		var rule drill.Rule
		if err == nil {
			rule, err = newRule(stream, m[1], m[2])
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		r.Rules = []drill.Rule{rule}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, errors.New("there is no rule in it")
	}
	return all, nil
}

func head(s string) (r Rules, stream drill.Stream, rest string, err error) {
	m := ruleHead.FindStringSubmatch(s)
	if m == nil || len(m[0]) == len(s) {
		return r, "", "", fmt.Errorf("%q: want [ROLE=]stdout:/REGEX/=STATE, or stderr:, or [ROLE=]http://127.0.0.1:PORT/PATH, or [ROLE=]file:PATH", s)
	}
	return Rules{Role: m[1]}, drill.Stream(m[2]), s[len(m[0]):], nil
}

// Bounds of rules: what they say together, the length of an expression, and the steps that
// it has once its repetitions are written out.
const (
	rulesMax   = 500
	patternMax = 4 << 10
	stepsMax   = 5_000
)

var errTooMany = fmt.Errorf("more than %d rules", rulesMax)

func newRule(stream drill.Stream, pattern, state string) (drill.Rule, error) {
	if len(pattern) > patternMax {
		return drill.Rule{}, fmt.Errorf("an expression of %d bytes: want %d at most", len(pattern), patternMax)
	}
	steps, err := stepsOf(pattern)
	if err == nil && steps > stepsMax {
		err = fmt.Errorf("it has %d steps once its repetitions are written out: want %d at most", steps, stepsMax)
	}
	if err != nil {
		return drill.Rule{}, fmt.Errorf("/%s/: %w", model.Short(model.Printable(pattern), 200), err)
	}
	if pattern == "" {
		return drill.Rule{}, errors.New("an empty expression fits every line: if that is meant, write /^/")
	}
	re := regexp.MustCompile(pattern) // stepsOf knows that it is one
	if !slices.Contains(states, state) {
		return drill.Rule{}, fmt.Errorf("%q is nothing that a program can believe: want %s", state, strings.Join(states, ", "))
	}
	return drill.Rule{Stream: stream, Pattern: re, State: model.BeliefState(state)}, nil
}

// stepsOf is how much there is to keep of an expression.
func stepsOf(pattern string) (int, error) {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return 0, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, err
	}
	return len(program.Inst), nil
}
