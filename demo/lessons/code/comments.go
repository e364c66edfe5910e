package code

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed chinese.yaml
var chinese []byte

// comments are those in the lines that lessons show, with their Chinese.
var comments = sync.OnceValue(func() (all map[string]string) {
	if err := yaml.Unmarshal(chinese, &all); err != nil {
		panic(fmt.Sprintf("chinese.yaml, which is part of the program: %v", err))
	}
	return all
})

// comment is where one begins in a line.
var comment = regexp.MustCompile(`^(.*(?:// |   # ))(.+)$`)

// In are lines as they are shown in a language: all but their comments stays.
func In(lang string, lines []string) (in []string) {
	for _, line := range lines {
		if m := comment.FindStringSubmatch(line); m != nil && lang == "zh" && comments()[m[2]] != "" {
			line = m[1] + comments()[m[2]]
		}
		in = append(in, line)
	}
	return in
}

// Comments are those that have a Chinese, sorted.
func Comments() []string { return slices.Sorted(maps.Keys(comments())) }
