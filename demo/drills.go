package demo

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

//go:embed drills/*.yaml
var drillFiles embed.FS

// DrillNames returns the names of the built-in drills, sorted.
func DrillNames() []string {
	entries, err := fs.ReadDir(drillFiles, "drills")
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

// DrillFile returns the file of a built-in drill.
func DrillFile(name string) ([]byte, error) {
	data, err := drillFiles.ReadFile("drills/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("there is no drill %q built in", name)
	}
	return data, nil
}
