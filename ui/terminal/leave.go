package terminal

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/charmbracelet/x/term"
)

// ReaderTime is how long a reader has to take what is left once the program was told to end.
const ReaderTime = time.Second

// ErrUnread is why something was not written that nobody reads: behind a pipe, or at a terminal
// that was stopped (ctrl-s) or whose connection is cut.
var ErrUnread = errors.New("nobody reads it")

// Leaving is a writer that does not hold up a program that is told to end: then nobody waits
// for a reader who does not read.
type Leaving struct {
	ctx    context.Context
	to     io.Writer
	mu     sync.Mutex
	unread bool   // the write before is still under way
	text   []byte // what is written: whoever wrote it may use his own again, and the reader take it later
}

// Leave returns a writer to another one, which waits for its readers until ctx ends.
func Leave(ctx context.Context, to io.Writer) *Leaving { return &Leaving{ctx: ctx, to: to} }

// Write returns when p is written, or [ErrUnread].
func (l *Leaving) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unread {
		return 0, ErrUnread
	}
	type result struct {
		n   int
		err error
	}
	written := make(chan result, 1)
	l.text = append(l.text[:0], p...) // nobody has it: all writes before have returned
	go func() {
		n, err := l.to.Write(l.text)
		written <- result{n, err}
	}()
	select {
	case r := <-written:
		return r.n, r.err
	case <-l.ctx.Done():
	}
	select {
	case r := <-written:
		return r.n, r.err
	case <-time.After(ReaderTime):
		l.unread = true
		return 0, ErrUnread
	}
}

// Like is an output that looks like the terminal that l writes to, if it is one, and writes to out.
func (l *Leaving) Like(out io.Writer) io.Writer {
	if f, ok := l.to.(term.File); ok {
		return terminal{f, out}
	}
	return out
}

// terminal is an output that is a terminal.
type terminal struct {
	term.File
	out io.Writer
}

// Write writes to the output.
func (t terminal) Write(p []byte) (int, error) { return t.out.Write(p) }
