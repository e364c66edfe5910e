package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"locktop/demo/lessons"
	"locktop/model"
	"locktop/model/text"
	"locktop/ui/cli/course"
	"locktop/ui/report"
)

// learnReportCmd is the table of a class for its teacher.
func learnReportCmd(e *env) *cobra.Command {
	output := "table"
	cmd := &cobra.Command{
		Use:   "report DIR",
		Short: "what a class predicted, and where most were wrong, by its lines in DIR",
		Long: "report reads what the learners of a class left in a folder with \"learn --class DIR\", and prints a\n" +
			"row for each question: how many learners answered it, how many predicted right, and with which\n" +
			"answer most were wrong. Of a learner who took a lesson several times the last one counts.",
		Example: "  locktop learn report class\n  locktop learn report class -o json",
		Args:    exactlyOne("the folder of a class"),
		RunE: func(_ *cobra.Command, args []string) error {
			all, skipped, err := course.Lines(args[0])
			if err != nil {
				return bad("%v", err)
			}
			if skipped > 0 {
				e.tellLine(text.Render(e.language(), model.Say("report-skipped", skipped)))
			}
			rows, err := classRows(all)
			if err != nil {
				return err
			}
			if output == "json" {
				return report.WriteJSON(e.out, rows, "  ")
			}
			if len(rows) == 0 {
				e.tellLine(text.Render(e.language(), model.Say("report-empty", args[0])))
				return nil
			}
			return printCells(e.out, classCells(rows, e.language()))
		},
	}
	addOutput(cmd, &output, tableOrJSON, "table or json")
	return cmd
}

// classRow is what a class made of a question, or of a task or exam, which have no step.
type classRow struct {
	Lesson   string `json:"lesson"`
	Number   int    `json:"number"`
	Step     int    `json:"step"`
	Question string `json:"question"`
	Learners int    `json:"learners"`
	Right    int    `json:"right"`
	// Mistake is the wrong answer that most gave, and how many did; "" if none did.
	Mistake  string `json:"mistake"`
	Mistaken int    `json:"mistaken"`
}

// classRows counts what a class made of each question, in the order of the path.
func classRows(all []course.Line) ([]classRow, error) {
	last := map[[2]string]course.Line{} // by lesson and learner
	for _, l := range all {
		key := [2]string{l.Lesson, l.Learner}
		if was, ok := last[key]; !ok || !l.At.Before(was.At) {
			last[key] = l
		}
	}
	path, err := lessons.All()
	if err != nil {
		return nil, err
	}
	rows := []classRow{}
	for _, d := range path {
		of := map[int]*classRow{}
		wrong := map[int]map[string]int{}
		row := func(step int, question string) *classRow {
			if of[step] == nil {
				of[step] = &classRow{Lesson: d.Name, Number: d.Lesson.Number, Step: max(0, step), Question: question}
			}
			return of[step]
		}
		const task, exam = 1 << 20, 1<<20 + 1 // after all questions
		for key, l := range last {
			if key[0] != d.Name {
				continue
			}
			for _, p := range l.Predictions {
				r := row(p.Step, p.Question)
				if r.Learners++; p.Right {
					r.Right++
				} else {
					if wrong[p.Step] == nil {
						wrong[p.Step] = map[string]int{}
					}
					wrong[p.Step][p.Chosen]++
				}
			}
			for step, did := range map[int]*bool{task: l.Task, exam: l.Exam} {
				if did == nil {
					continue
				}
				r := row(step, map[int]string{task: "the task", exam: "the exam"}[step])
				if r.Step, r.Learners = 0, r.Learners+1; *did {
					r.Right++
				}
			}
		}
		for _, step := range slices.Sorted(maps.Keys(of)) {
			r := of[step]
			for _, answer := range slices.Sorted(maps.Keys(wrong[step])) {
				if n := wrong[step][answer]; n > r.Mistaken {
					r.Mistake, r.Mistaken = answer, n
				}
			}
			rows = append(rows, *r)
		}
	}
	return rows, nil
}

// classCells are the rows as a table in a language: questions and answers are those of the lessons.
func classCells(rows []classRow, lang string) [][]string {
	say := func(m model.Message) string { return text.Render(lang, m) }
	cells := [][]string{{say(model.Say("report-lesson")), say(model.Say("report-learners")), say(model.Say("report-right")), say(model.Say("report-question")), say(model.Say("report-mistake"))}}
	for _, r := range rows {
		question, mistake := r.Question, r.Mistake
		if d, err := lessons.Lesson(r.Lesson); err == nil && 0 < r.Step && r.Step <= len(d.Steps) && d.Steps[r.Step-1].Ask != nil {
			q := d.Steps[r.Step-1].Ask
			if q.Text.In("en") == r.Question {
				question = q.Text.In(lang)
			}
			for _, o := range q.Options {
				if o.Text.In("en") == r.Mistake {
					mistake = o.Text.In(lang)
				}
			}
		} else if r.Question == "the task" {
			question = say(model.Say("report-task"))
		} else if r.Question == "the exam" {
			question = say(model.Say("report-exam"))
		}
		if mistake != "" {
			mistake += say(model.Say("detail", r.Mistaken))
		}
		cells = append(cells, []string{fmt.Sprintf("%2d %s", r.Number, r.Lesson), strconv.Itoa(r.Learners), fmt.Sprintf("%d%%", 100*r.Right/r.Learners), question, mistake})
	}
	return cells
}
