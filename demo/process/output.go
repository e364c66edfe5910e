package process

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
)

// MaxLine bounds a line of what a process prints, in bytes.
const MaxLine = 64 << 10

// OutputWithin bounds the wait for the output of a process that has ended.
const OutputWithin = 300 * time.Millisecond

// Lines is a writer that cuts what is written to it into lines. Of a line that is
// too long the rest is dropped, so that nobody can fill the memory.
type Lines struct {
	Each func(line []byte)
	buf  []byte
}

// Write implements io.Writer.
func (w *Lines) Write(data []byte) (int, error) {
	for rest := data; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		w.buf = append(w.buf, line[:min(len(line), MaxLine-len(w.buf))]...)
		if whole {
			w.Each(w.buf)
			w.buf = w.buf[:0]
		}
		rest = after
	}
	return len(data), nil
}

// Bounds of a Tail.
const (
	tailLines = 200
	tailLine  = 1000
)

// Tail keeps the last lines that were printed, each up to a length. All methods may be called
// from any goroutine.
type Tail struct {
	mu    sync.Mutex
	lines []string
	left  int
}

// Add adds a line.
func (t *Tail) Add(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(line) > tailLine {
		line = strings.ToValidUTF8(line[:tailLine], "") + "…"
	}
	if len(t.lines) == tailLines {
		t.lines = append(t.lines[:0], t.lines[1:]...)
		t.left++
	}
	t.lines = append(t.lines, line)
}

// Lines are those that are kept, behind one that says how many are not.
func (t *Tail) Lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.left == 0 {
		return append([]string{}, t.lines...) // in JSON none is [], and not null
	}
	return append([]string{fmt.Sprintf("(%d lines before are not kept)", t.left)}, t.lines...)
}

// Sleep waits for d, and says whether it was not cut short by ctx or done.
func Sleep(ctx context.Context, done <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
	case <-done:
	}
	return false
}

// Wait says whether c was closed within d.
func Wait(c <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}
