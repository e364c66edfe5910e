package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	"locktop/ui/terminal"
)

// printed is what a command prints. It remembers that something could not be written: an
// answer that nobody got is none, whatever it said.
type printed struct {
	to io.Writer

	mu     sync.Mutex
	failed error
}

// newPrinted begins one on a stream. When a signal has ended ctx, nobody waits for a reader
// who does not read.
func newPrinted(ctx context.Context, to io.Writer) *printed {
	if _, ok := to.(*os.File); ok {
		to = terminal.Leave(ctx, to)
	}
	return &printed{to: to}
}

// Write implements io.Writer.
func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n, err := p.to.Write(b)
	if err != nil && p.failed == nil {
		p.failed = err
	}
	return n, err
}

// lost returns why something could not be written, nil if all was.
func (p *printed) lost() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

// hungUp says whether it is the reader who ended, as head does when it has enough, or who
// never read.
func hungUp(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, terminal.ErrUnread)
}
