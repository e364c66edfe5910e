package course

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"locktop/chaos/drill"
	"locktop/chaos/drill/runner"
)

// Line is what a learner made of a lesson, a line of a file of the class. Its words are English in
// every language.
type Line struct {
	Schema  int       `json:"schema"`
	At      time.Time `json:"at"`
	Learner string    `json:"learner"`
	Lesson  string    `json:"lesson"`
	Lang    string    `json:"lang"`
	// Predictions are those that were measured, in their order.
	Predictions []Prediction `json:"predictions"`
	// Task and Exam say that they are done; nil where the lesson has none.
	Task   *bool `json:"task"`
	Exam   *bool `json:"exam,omitempty"`
	Passed bool  `json:"passed"`
}

// Prediction is an answer of a learner. Step is that of the question in the lesson.
type Prediction struct {
	Step     int    `json:"step"`
	Question string `json:"question"`
	Chosen   string `json:"chosen"` // "": none
	Measured string `json:"measured"`
	Right    bool   `json:"right"`
}

// Note adds a line about a lesson to the file of a learner in the folder of a class.
func Note(dir, learner, lang string, d *drill.Drill, done Done, screens []runner.Seen) error {
	l := Line{Schema: 1, At: done.At, Learner: learner, Lesson: d.Name, Lang: lang, Predictions: []Prediction{}, Passed: done.Passed(d.Lesson)}
	if d.Lesson.Task != nil {
		l.Task = &done.Task
	}
	if d.Lesson.Exam != nil {
		l.Exam = &done.Exam
	}
	for _, s := range screens {
		if s.Right == 0 {
			continue
		}
		p := Prediction{Step: s.Step, Question: s.Question.Text.In("en"), Measured: s.Measured.In("en"), Right: s.Chosen == s.Right}
		if s.Chosen > 0 {
			p.Chosen = s.Question.Options[s.Chosen-1].Text.In("en")
		}
		l.Predictions = append(l.Predictions, p)
	}
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("noting the lesson for the class: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("noting the lesson for the class: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, fileOf(learner)), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("noting the lesson for the class: %w", err)
	}
	_, err = f.Write(append(text, '\n'))
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("noting the lesson for the class in %s: %w", f.Name(), err)
	}
	return nil
}

// fileOf is the file of a learner, whose name may have any signs.
func fileOf(learner string) string {
	clean := strings.Map(func(r rune) rune {
		if r == '/' || r == '\\' || r == '.' || r < ' ' {
			return '_'
		}
		return r
	}, learner)
	return clean + ".jsonl"
}

// lineMost bounds a line of a learner.
const lineMost = 1 << 20

// Lines are those of all learners of a class, and how many could not be read.
func Lines(dir string) (all []Line, skipped int, err error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, 0, fmt.Errorf("reading the class in %s: %w", dir, err)
	}
	if _, err := os.ReadDir(dir); err != nil {
		return nil, 0, fmt.Errorf("reading the class: %w", err)
	}
	slices.Sort(names)
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return nil, 0, fmt.Errorf("reading the class: %w", err)
		}
		lines, bad, err := readLines(f)
		f.Close()
		if err != nil {
			return nil, 0, fmt.Errorf("reading %s: %w", name, err)
		}
		all, skipped = append(all, lines...), skipped+bad
	}
	return all, skipped, nil
}

func readLines(r io.Reader) (all []Line, skipped int, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, lineMost)
	for lines.Scan() {
		var l Line
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil || l.Schema != 1 || l.Lesson == "" || l.Learner == "" {
			skipped++
			continue
		}
		all = append(all, l)
	}
	return all, skipped, lines.Err()
}
