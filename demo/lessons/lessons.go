// Package lessons has the course, a file for each lesson, and the guide of the demo.
package lessons

import (
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"

	"locktop/chaos/drill"
	"locktop/demo/lessons/code"
)

//go:embed *.yaml
var files embed.FS

// guide is the name of the guide, which is no lesson of the course.
const guide = "guide"

// Guide returns the guide of the demo.
func Guide() (*drill.Drill, error) {
	data, err := File(guide)
	if err != nil {
		return nil, err
	}
	return drill.Parse(guide, data)
}

// Names are the names of the lessons, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the program
	}
	var names []string
	for _, e := range entries {
		if name := strings.TrimSuffix(e.Name(), ".yaml"); name != guide {
			names = append(names, name)
		}
	}
	return names
}

// File returns the file of a lesson. Its lines of Go are in [code].
func File(name string) ([]byte, error) {
	data, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("there is no lesson %q", name)
	}
	return data, nil
}

// Lesson returns a lesson.
func Lesson(name string) (*drill.Drill, error) {
	data, err := File(name)
	if err != nil {
		return nil, err
	}
	d, err := drill.Parse(name, data)
	if err != nil {
		return nil, err
	}
	d.Lesson.Go, err = code.Of(name)
	return d, err
}

// All are those of the course, in the order of their numbers.
func All() ([]*drill.Drill, error) {
	var all []*drill.Drill
	for _, name := range Names() {
		d, err := Lesson(name)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *drill.Drill) int { return cmp.Compare(a.Lesson.Number, b.Lesson.Number) })
	return all, nil
}
