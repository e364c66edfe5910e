package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// printed is what a command prints. It remembers that something could not be written: an
// answer that nobody got is none, whatever it said.
type printed struct {
	to io.Writer
	// ctx ends when a signal ends the program: then nobody waits for a reader who does not
	// read.
	ctx context.Context

	mu     sync.Mutex
	failed error
}

// readerTime is how long a reader has to take what is left once the program was told to end.
const readerTime = time.Second

// errNoReader is why something was not written that nobody read.
var errNoReader = errors.New("nobody reads it")

// Write implements io.Writer.
func (p *printed) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if errors.Is(p.failed, errNoReader) {
		return 0, p.failed // the write before is still under way
	}
	n, err := p.write(b)
	if err != nil && p.failed == nil {
		p.failed = err
	}
	return n, err
}

func (p *printed) write(b []byte) (n int, err error) {
	if _, ok := p.to.(*os.File); !ok {
		return p.to.Write(b)
	}
	done, b := make(chan struct{}), slices.Clone(b)
	var written int
	var failed error
	go func() {
		defer close(done)
		written, failed = p.to.Write(b)
	}()
	select {
	case <-done:
		return written, failed
	case <-p.ctx.Done():
	}
	select {
	case <-done:
		return written, failed
	case <-time.After(readerTime):
		return 0, errNoReader
	}
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
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, errNoReader)
}
