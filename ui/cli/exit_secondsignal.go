package cli

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	// oneSignal is how far apart the signals may be that somebody sends as one: some
	// programs send theirs to a process and then to its group.
	oneSignal = 200 * time.Millisecond
	// patience is how long a wait may last before it is explained.
	patience = time.Second
)

// secondSignal notices that a person who waits for the end has told us to end once more.
type secondSignal struct {
	signals chan os.Signal
	hurry   chan struct{} // closed then
}

// newSecondSignal collects signals from now on, so that none is lost.
func newSecondSignal() *secondSignal {
	i := &secondSignal{signals: make(chan os.Signal, 1), hurry: make(chan struct{})}
	signal.Notify(i.signals, os.Interrupt, syscall.SIGTERM)
	return i
}

// begin says that the wait begins. What came before, or with it, does not count. explain
// is called if it takes a while. The caller calls stop when the wait is over.
func (i *secondSignal) begin(explain func()) (stop func()) {
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		counts, long := time.After(oneSignal), time.After(patience)
		counting := false
		for {
			select {
			case <-over:
				return
			case <-counts:
				counting = true
			case <-long:
				explain()
			case <-i.signals:
				if counting {
					close(i.hurry)
					return
				}
			}
		}
	}()
	return func() {
		close(over)
		<-done
		signal.Stop(i.signals)
	}
}
