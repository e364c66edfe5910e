package demo

import (
	"bytes"
	"context"
	"time"
)

// maxLine bounds a line of what a process prints, in bytes.
const maxLine = 64 << 10

// outputWithin bounds the wait for the output of a process that has ended.
const outputWithin = 300 * time.Millisecond

// lines is a writer that cuts what is written to it into lines. Of a line that is
// too long the rest is dropped, so that nobody can fill the memory.
type lines struct {
	each func(line []byte)
	buf  []byte
}

// Write implements io.Writer.
func (w *lines) Write(data []byte) (int, error) {
	for rest := data; len(rest) > 0; {
		line, after, whole := bytes.Cut(rest, []byte{'\n'})
		w.buf = append(w.buf, line[:min(len(line), maxLine-len(w.buf))]...)
		if whole {
			w.each(w.buf)
			w.buf = w.buf[:0]
		}
		rest = after
	}
	return len(data), nil
}

// sleep waits for d, and says whether it was not cut short by ctx or done.
func sleep(ctx context.Context, done <-chan struct{}, d time.Duration) bool {
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

// wait says whether c was closed within d.
func wait(c <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-c:
		return true
	case <-t.C:
		return false
	}
}
