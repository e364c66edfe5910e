package demo

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"locktop/chaos/drill"
	"locktop/demo/contender"
)

// CheckDrill says what of a drill that could be read cannot be run, or could never be judged:
// what only the lab and its contenders know. file stands before the lines.
func CheckDrill(file string, d *drill.Drill) error {
	var errs []error
	fail := func(line int, format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s:%d: %s", drill.FileName(file), line, fmt.Sprintf(format, args...)))
	}
	o := Options{Spec: &d.Lab}
	o.defaults()
	guarded := map[string]bool{}
	for _, c := range d.Lab.Contenders {
		pr := o.declared(c)[0]
		pr.o.Endpoints, pr.o.EndWith = []string{"localhost"}, strings.NewReader("")
		if err := pr.o.Check(); err != nil {
			fail(c.Line, "%v", err)
		}
		if slices.Contains(c.Names(), everyone) {
			fail(c.Line, "a contender named %s: faults mean all of them by that; rename it", everyone)
		}
		for _, name := range c.Names() {
			if c.Later && !slices.ContainsFunc(slices.Concat(d.Steps, d.Lesson.Tried()), func(s drill.Step) bool { return s.Start != "" && slices.Contains(d.Lab.Several(s.Start), name) }) {
				fail(c.Line, "%s is never started: add a step start: %s, or leave later out", name, name)
			}
		}
		for _, lock := range c.Locks {
			guarded[lock] = guarded[lock] || c.Guarded
			guarded[""] = guarded[""] || c.Guarded
		}
	}
	for _, s := range slices.Concat(d.Steps, d.Lesson.Tried()) {
		if s.Tell != nil && !contender.Understands(s.Tell.Word) {
			fail(s.Line, "there is no word %q to tell: want one of %s", s.Tell.Word, strings.Join(contender.ManualWords(), ", "))
		}
	}
	for _, e := range d.Expect {
		if drill.Guards(e.Name) && !guarded[e.Lock] {
			fail(e.Line, "%s could never be judged, since nobody uses the guarded resource: give a contender guarded: true", e.Name)
		}
	}
	return errors.Join(errs[:min(len(errs), mistakesMax)]...)
}

// mistakesMax bounds how many mistakes of one file are told.
const mistakesMax = 20
