package demo

import (
	"slices"
	"strings"
	"sync"
	"time"

	"locktop/model"
)

// Bounds of a tail: what it keeps, and what it reports at a time.
const (
	tailLines  = 200
	tailLine   = 1000
	tellEvery  = 250 * time.Millisecond
	tellAtMost = 50
)

// tail keeps the last lines that a program printed, each up to a length, and reports them, a
// few times a second and so many at most: however much it prints. All methods may be called
// from any goroutine.
type tail struct {
	report func(model.Event)
	name   string
	now    func() time.Time

	mu       sync.Mutex
	lines    []model.Line
	leftOut  int  // lines before those
	reported int  // lines that were reported or left out, of all
	due      bool // a report is
}

// newTail returns one for a program that has printed nothing yet.
func newTail(name string, report func(model.Event), now func() time.Time) *tail {
	return &tail{report: report, name: name, now: now}
}

// Add adds a line.
func (t *tail) Add(from, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text = model.Printable(text); len(text) > tailLine {
		text = strings.ToValidUTF8(text[:tailLine], "") + "…"
	}
	if len(t.lines) == tailLines {
		t.lines = t.lines[1:] // append moves them when there is no room left, not each time
		t.leftOut++
	}
	t.lines = append(t.lines, model.Line{At: t.now(), From: from, Text: text})
	if !t.due {
		t.due = true
		time.AfterFunc(tellEvery, t.Tell)
	}
}

// Tell reports what was added since it last did, without waiting any longer.
func (t *tail) Tell() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.due = false
	all := t.leftOut + len(t.lines)
	n := min(all-t.reported, tellAtMost, len(t.lines))
	if n == 0 {
		return
	}
	t.report(model.Printed{At: t.now(), Contender: t.name, Left: all - t.reported - n, Lines: slices.Clone(t.lines[len(t.lines)-n:])})
	t.reported = all
}

// Lines are those that are kept, and how many before them are not.
func (t *tail) Lines() (lines []model.Line, left int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lines), t.leftOut
}
