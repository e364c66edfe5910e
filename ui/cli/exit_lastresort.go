package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
)

const (
	// lastResortAfter is how long after a signal a command may take to end by itself: it looks
	// between any two events whether it is to end. What then still computes is ended.
	lastResortAfter = 1200 * time.Millisecond
	// lastWordWithin is how long its last word may take where nobody reads.
	lastWordWithin = 100 * time.Millisecond
)

// lastResort ends this process some time after a signal, if its command has not ended. What has
// to be put back is: a guard has the terminal, see console_guard.go, and files are written in whole lines.
// Commands that started other programs end these first, and are not ended so.
type lastResort struct {
	command atomic.Pointer[cobra.Command] // that runs
	stop    chan struct{}
	once    sync.Once
}

// newLastResort begins to wait for the end of ctx. errs takes the last word.
func newLastResort(ctx context.Context, errs io.Writer) *lastResort {
	r := &lastResort{stop: make(chan struct{})}
	go func() {
		select {
		case <-r.stop:
			return
		case <-ctx.Done():
		}
		select {
		case <-r.stop:
			return
		case <-time.After(lastResortAfter):
		}
		code := exitInterrupted(r.command.Load(), io.Discard)
		time.AfterFunc(lastWordWithin, func() { os.Exit(code) })
		exitInterrupted(r.command.Load(), errs)
		os.Exit(code)
	}()
	return r
}

// disarm says that the command ends in an order of its own, or has ended.
func (r *lastResort) disarm() {
	if r != nil {
		r.once.Do(func() { close(r.stop) })
	}
}

// exitInterrupted says that a command was interrupted, where its exit code alone does not, and
// returns that.
func exitInterrupted(cmd *cobra.Command, errs io.Writer) int {
	if cmd != nil && tellsWithOne(nameOf(cmd)) {
		tellError(errs, errors.New("interrupted"))
		return exitBad
	}
	return exitFailed // nothing to add
}
