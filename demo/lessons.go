package demo

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"locktop/chaos/drill"
)

//go:embed lessons/*.yaml
var lessonFiles embed.FS

// LessonNames are the names of the lessons, sorted.
func LessonNames() []string {
	entries, err := fs.ReadDir(lessonFiles, "lessons")
	if err != nil {
		panic(err) // the files are part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// LessonFile returns the file of a lesson.
func LessonFile(name string) ([]byte, error) {
	data, err := lessonFiles.ReadFile("lessons/" + name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("there is no lesson %q", name)
	}
	return data, nil
}

// Lessons are those of the course, in the order of their numbers.
func Lessons() ([]*drill.Drill, error) {
	var all []*drill.Drill
	for _, name := range LessonNames() {
		data, err := LessonFile(name)
		if err != nil {
			return nil, err
		}
		d, err := drill.Parse(name, data)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b *drill.Drill) int { return cmp.Compare(a.Lesson.Number, b.Lesson.Number) })
	return all, nil
}
