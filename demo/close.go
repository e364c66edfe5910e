package demo

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

const (
	// graceAtClose is what contenders have to end by themselves when the lab ends.
	graceAtClose = 250 * time.Millisecond
	// goneAtClose bounds the wait for those that were killed.
	goneAtClose = time.Second
)

// Close ends the contenders, the proxy and the members and removes the directory,
// within two seconds. It may be called more than once, and returns what could not
// be ended or removed.
func (l *Lab) Close() error {
	l.once.Do(func() { l.closeErr = l.close() })
	return l.closeErr
}

func (l *Lab) close() error {
	err := l.endProcs()
	// Not before the contenders are gone: the system kills those that are left with
	// the spawner's thread.
	l.spawner.stop()
	if l.proxy != nil {
		err = errors.Join(err, l.proxy.Close())
	}
	if l.cluster != nil {
		l.cluster.Close()
	}
	l.box.close()
	for _, f := range []*os.File{l.journal, l.procLog} {
		if f != nil {
			f.Close()
		}
	}
	if l.dir != nil {
		err = errors.Join(err, l.dir.remove())
	}
	if err != nil {
		return fmt.Errorf("close the lab: %w", err)
	}
	return nil
}

// endProcs ends every contender: by asking, then by force.
func (l *Lab) endProcs() error {
	l.mu.Lock()
	l.closed = true
	for _, p := range l.procs {
		if p.paused {
			p.signal(os.Kill)
			continue
		}
		p.stdin.Close()
		p.signal(sigStop)
	}
	l.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		l.wg.Wait()
		close(gone)
	}()
	if wait(gone, graceAtClose) {
		return nil
	}
	l.mu.Lock()
	for _, p := range l.procs {
		p.signal(os.Kill)
	}
	l.mu.Unlock()
	if wait(gone, goneAtClose) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Errorf("contenders that were killed are still there: %s", strings.Join(l.alive(), ", "))
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
