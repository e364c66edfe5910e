package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"locktop/chaos/drill/roles"
	"locktop/chaos/drill/runner"
	"locktop/demo/process"
	"locktop/model"
)

// steadyFlags are questions of the user's own, beside what a drill expects.
type steadyFlags struct {
	steady, recovers []string
	all              []steadyProbe
}

// steadyProbe is one of them, ready to be asked once the endpoints are known.
type steadyProbe struct {
	name     string
	recovers bool
	check    func(env []string) process.Check
}

const steadyForms = "exec:COMMAND, http://HOST:PORT/PATH or tcp:HOST:PORT"

func (f *steadyFlags) add(cmd *cobra.Command) {
	fl := cmd.Flags()
	fl.StringArrayVar(&f.steady, "steady", nil, "what has to be well before, during and after the faults: "+steadyForms+"; may be repeated")
	fl.StringArrayVar(&f.recovers, "recovers", nil, "the same, but it may fail while a fault lasts; may be repeated")
}

func (f *steadyFlags) read() error {
	for flag, texts := range map[string][]string{"steady": f.steady, "recovers": f.recovers} {
		for _, text := range texts {
			check, err := parseSteady(text)
			if err != nil {
				return bad("--%s %q: %v", flag, text, err)
			}
			f.all = append(f.all, steadyProbe{model.Printable(text), flag == "recovers", check})
		}
	}
	return nil
}

// parseSteady reads one question.
func parseSteady(text string) (func(env []string) process.Check, error) {
	kind, rest, _ := strings.Cut(text, ":")
	switch kind {
	case "exec":
		words, err := roles.Split(rest)
		if err == nil && len(words) == 0 {
			err = errors.New("there is no command in it")
		}
		if err == nil {
			_, err = exec.LookPath(words[0])
		}
		return func(env []string) process.Check { return process.CheckExec(words, env) }, err
	case "http", "https":
		u, err := url.Parse(text)
		if err == nil && u.Host == "" {
			err = errors.New("want http://HOST:PORT/PATH")
		}
		return func([]string) process.Check { return process.CheckHTTP(text) }, err
	case "tcp":
		_, _, err := net.SplitHostPort(rest)
		return func([]string) process.Check { return process.CheckTCP(rest) }, err
	}
	return nil, fmt.Errorf("want %s", steadyForms)
}

// questions are those for a run. A command finds the members at ETCD_ENDPOINTS, past the proxy
// and its faults, and the lock in LOCKTOP_LOCK.
func (f *steadyFlags) questions(endpoints []string, lock string) (all []runner.Steady) {
	env := []string{"ETCD_ENDPOINTS=" + strings.Join(endpoints, ","), "ETCDCTL_ENDPOINTS=" + strings.Join(endpoints, ","), "LOCKTOP_LOCK=" + lock}
	for _, p := range f.all {
		check := p.check(env)
		all = append(all, runner.Steady{Name: p.name, Recovers: p.recovers, Ask: func(ctx context.Context) error { return check(ctx) }})
	}
	return all
}
