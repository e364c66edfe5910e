package cli

import (
	"errors"
	"io"
	"sync"
	"syscall"
)

// printed is what a command prints. It remembers that something could not be written: an
// answer that nobody got is none, whatever it said.
type printed struct {
	to io.Writer

	mu     sync.Mutex
	failed error
}

// Write implements io.Writer.
func (p *printed) Write(b []byte) (int, error) {
	n, err := p.to.Write(b)
	if err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.failed == nil {
			p.failed = err
		}
	}
	return n, err
}

// lost returns why something could not be written, nil if all was.
func (p *printed) lost() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.failed
}

// hungUp says whether it is the reader who ended, as head does when it has enough.
func hungUp(err error) bool { return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) }
