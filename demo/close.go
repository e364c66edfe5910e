package demo

import (
	"errors"
	"fmt"
	"os"
	"time"
)

const (
	// graceAtClose is what contenders of our own have to end by themselves when the lab ends.
	graceAtClose = 250 * time.Millisecond
	// goneAtClose bounds the wait for those that were killed. They go at once, but a
	// machine that is busy takes its time to say so.
	goneAtClose = 5 * time.Second
	// forgottenAtClose bounds the wait for the connections of those that are gone.
	forgottenAtClose = 5 * time.Second
)

// Close ends the contenders, the proxy and the members and removes the directory,
// within three seconds on a machine that is not overloaded, and what Options.Grace gives
// to a program of the user's. Faults are not healed: they
// go with what they were done to. It may be called more than once, and returns what
// could not be ended or removed.
func (l *Lab) Close() error {
	l.once.Do(func() { l.closeErr = l.close() })
	return l.closeErr
}

func (l *Lab) close() error {
	l.shut()
	err := l.supervisor.endProcs()
	if l.proxy != nil {
		l.proxy.Close()
	}
	if l.cluster != nil {
		l.cluster.Close() // and whoever waits for a member gives up
	}
	if l.free != nil {
		l.free()
	}
	l.ops.Wait()
	l.data.close()
	if l.resource != nil {
		err = errors.Join(err, l.resource.Close())
	}
	// Not before all processes are gone: the system kills those that are left with
	// the spawner's thread.
	l.supervisor.spawner.stop()
	l.reports.Close()
	for _, f := range []*os.File{l.audit, l.procLog} {
		if f != nil {
			f.Close()
		}
	}
	if l.dir != nil {
		err = errors.Join(err, l.dir.remove())
	}
	err = errors.Join(err, l.reaper.dismiss()) // when there is nothing left to do for it
	if err != nil {
		return fmt.Errorf("close the lab: %w", err)
	}
	return nil
}

// shut lets nothing begin any more, and cuts short what takes long.
func (l *Lab) shut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.cancel()
	l.faults.stopTimers()
}
