package course

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
)

// TestALessonIsALineOfItsLearner, whatever the learner is called; what cannot be read is counted.
func TestALessonIsALineOfItsLearner(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "class")
	d := &drill.Drill{Name: "order", Lesson: &drill.Lesson{Task: &drill.Task{}}}
	q := drill.Question{Text: drill.Text{"en": "Who is next?", "zh": "下一个是谁？"}, Options: []drill.Option{{Text: drill.Text{"en": "b"}}, {Text: drill.Text{"en": "c"}}}}
	screens := []runner.Seen{{Step: 7, Question: q, Chosen: 2, Right: 1, Measured: drill.Measured{Word: "b"}}, {Step: 9, Question: q, Chosen: 1}}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, who := range []string{"Ana", "../李"} {
		if err := Note(dir, who, "zh", d, Done{At: at, Asked: 1, Wrong: []int{7}, Task: true}, screens); err != nil {
			t.Fatal(err)
		}
	}
	if files, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(files) != 2 {
		t.Errorf("%q, %v: want a file of each in the folder", files, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other.jsonl"), []byte("{\"schema\":1,\n\n{\"schema\":9,\"learner\":\"x\",\"lesson\":\"y\"}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	all, skipped, err := Lines(dir)
	if err != nil || len(all) != 2 || skipped != 2 {
		t.Fatalf("%+v, %d skipped, %v", all, skipped, err)
	}
	for _, l := range all {
		if len(l.Predictions) != 1 || l.Predictions[0] != (Prediction{7, "Who is next?", "c", "b", false}) || l.Task == nil || !*l.Task || l.Exam != nil || l.Passed {
			t.Errorf("%+v: want what was measured, in English, and that it is not passed", l)
		}
	}
	if all[0].Learner != "../李" && all[1].Learner != "../李" {
		t.Errorf("%+v: a learner is called otherwise", all)
	}
	if _, _, err := Lines(dir + "/none"); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a folder that is not there: %v", err)
	}
}

// TestWhatPassedMeans: each prediction, the task, and the exam.
func TestWhatPassedMeans(t *testing.T) {
	plain, exam := &drill.Lesson{Task: &drill.Task{}}, &drill.Lesson{Task: &drill.Task{}, Exam: &drill.Exam{}}
	for _, r := range []struct {
		done   Done
		of     *drill.Lesson
		passed bool
		reason string
	}{
		{Done{Task: true}, plain, true, "all of it"},
		{Done{Task: true, Wrong: []int{3}}, plain, false, "a prediction that was wrong and not reviewed"},
		{Done{}, plain, false, "the task is open"},
		{Done{Task: true}, exam, false, "the exam is open"},
		{Done{Task: true, Exam: true}, exam, true, "and its exam"},
		{Done{}, &drill.Lesson{}, true, "there is no task"},
	} {
		if got := r.done.Passed(r.of); got != r.passed {
			t.Errorf("%s: %v", r.reason, got)
		}
	}
}
