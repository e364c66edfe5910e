package cli

import (
	"strings"
	"testing"
	"time"

	"locktop/chaos/drill"
	"locktop/demo/lessons"
	"locktop/ui/cli/course"
)

// TestAReportCountsWhereMostWereWrong: each learner once, by what they said last; tasks after the
// questions, lessons in the order of the path.
func TestAReportCountsWhereMostWereWrong(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	done := true
	d := courseLesson(t, "order")
	step := 0
	for i, s := range d.Steps {
		if s.Ask != nil {
			step = i + 1
			break
		}
	}
	q := d.Steps[step-1].Ask
	line := func(who, lesson string, after time.Duration, chosen int) course.Line {
		return course.Line{Schema: 1, At: at.Add(after), Learner: who, Lesson: lesson, Task: &done,
			Predictions: []course.Prediction{{Step: step, Question: q.Text.In("en"), Chosen: q.Options[chosen-1].Text.In("en"), Right: chosen == q.Answer}}}
	}
	rows, err := classRows([]course.Line{line("ana", "order", time.Hour, 2), line("bo", "order", 0, 3), line("ana", "order", 0, 1), line("eve", "order", 0, 2), line("li", "order", 0, 1),
		{Schema: 1, At: at, Learner: "li", Lesson: "gone"}})
	if err != nil || len(rows) != 2 {
		t.Fatalf("%+v, %v", rows, err)
	}
	if r := rows[0]; r.Step != step || r.Learners != 4 || r.Right != 1 || r.Mistake != "c" || r.Mistaken != 2 {
		t.Errorf("%+v: want 4 learners, 1 right, and 2 who said c", r)
	}
	if r := rows[1]; r.Step != 0 || r.Learners != 4 || r.Right != 4 {
		t.Errorf("%+v: want the task, which all did", r)
	}
	for lang, wants := range map[string][]string{"en": {" 1 order", "25%", "a releases the lock. Who holds it next?", "c (2)", "the task", "100%"}, "zh": {"a 释放锁。接着谁持有？", "任务", "多数错在"}} {
		var all strings.Builder
		for _, row := range classCells(rows, lang) {
			all.WriteString(strings.Join(row, "|") + "\n")
		}
		for _, want := range wants {
			if !strings.Contains(all.String(), want) {
				t.Errorf("in %s: no %q in\n%s", lang, want, all.String())
			}
		}
	}
}

func courseLesson(t *testing.T, name string) *drill.Drill {
	t.Helper()
	d, err := lessons.Lesson(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
