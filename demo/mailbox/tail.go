package mailbox

import (
	"slices"
	"strings"
	"sync"
	"time"

	"locktop/model"
)

// Bounds of a Tail: what it keeps, and what it reports at a time.
const (
	tailLines  = 200
	tailLine   = 1000
	tellEvery  = 250 * time.Millisecond
	tellAtMost = 50
)

// Tail keeps the last lines that a program printed, each up to a length, and reports them, a
// few times a second and so many at most: however much it prints. All methods may be called
// from any goroutine.
type Tail struct {
	box  *Mailbox
	name string
	now  func() time.Time

	mu    sync.Mutex
	lines []model.Line
	left  int  // lines before those
	told  int  // lines that were reported or left out, of all
	due   bool // a report is
}

// Tail returns one for a program that has printed nothing yet.
func (b *Mailbox) Tail(name string, now func() time.Time) *Tail {
	return &Tail{box: b, name: name, now: now}
}

// Add adds a line.
func (t *Tail) Add(from, text string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text = model.Printable(text); len(text) > tailLine {
		text = strings.ToValidUTF8(text[:tailLine], "") + "…"
	}
	if len(t.lines) == tailLines {
		t.lines = t.lines[1:] // append moves them when there is no room left, not each time
		t.left++
	}
	t.lines = append(t.lines, model.Line{At: t.now(), From: from, Text: text})
	if !t.due {
		t.due = true
		time.AfterFunc(tellEvery, t.Tell)
	}
}

// Tell reports what was added since it last did, without waiting any longer.
func (t *Tail) Tell() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.due = false
	all := t.left + len(t.lines)
	n := min(all-t.told, tellAtMost, len(t.lines))
	if n == 0 {
		return
	}
	t.box.Put(model.Printed{At: t.now(), Contender: t.name, Left: all - t.told - n, Lines: slices.Clone(t.lines[len(t.lines)-n:])})
	t.told = all
}

// Lines are those that are kept, and how many before them are not.
func (t *Tail) Lines() (lines []model.Line, left int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.lines), t.left
}
