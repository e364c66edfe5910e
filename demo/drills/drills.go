// Package drills has the drills that are built in, a file each.
package drills

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"locktop/chaos/drill"
)

//go:embed *.yaml
var files embed.FS

// Names returns the names of the built-in drills, sorted.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(err) // the files are part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	slices.Sort(names)
	return names
}

// File returns the file of a built-in drill.
func File(name string) ([]byte, error) {
	data, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("there is no drill %q built in", name)
	}
	return data, nil
}

// All returns the built-in drills, sorted by name.
func All() ([]*drill.Drill, error) {
	var all []*drill.Drill
	for _, name := range Names() {
		d, err := Drill(name)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}

// Drill returns a built-in drill.
func Drill(name string) (*drill.Drill, error) {
	data, err := File(name)
	if err != nil {
		return nil, err
	}
	return drill.Parse(name, data)
}
