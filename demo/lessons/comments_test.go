package lessons

import (
	"regexp"
	"slices"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"locktop/demo/lessons/code"
)

// TestTheCommentsOfALessonAreInItsLanguage: each in the lines that it shows, and no line grows
// beyond what a terminal of 80 columns has for it. What is translated is shown by some lesson.
func TestTheCommentsOfALessonAreInItsLanguage(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	comment := regexp.MustCompile(`^.*(?:// |   # )(.+)$`)
	used := map[string]bool{}
	for _, d := range all {
		lines := slices.Concat(d.Lesson.Etcdctl, d.Lesson.Go)
		for i, zh := range code.In("zh", lines) {
			m := comment.FindStringSubmatch(lines[i])
			if m == nil {
				continue
			}
			if used[m[1]] = true; zh == lines[i] || ansi.StringWidth(zh) > 74 {
				t.Errorf("lesson %s: %q is shown as %q, %d cells wide", d.Name, lines[i], zh, ansi.StringWidth(zh))
			}
		}
	}
	for _, en := range code.Comments() {
		if !used[en] {
			t.Errorf("no lesson shows %q", en)
		}
	}
}
