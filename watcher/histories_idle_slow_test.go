//go:build slow

package watcher

import (
	"testing"
	"time"

	"locktop/model/locks"
)

// TestHistoriesIdle breaks the connection to a cluster on which nobody writes: the
// watcher has to be back all the same. A server of 3.7 answers no progress request
// of a watch that starts after the last revision.
func TestHistoriesIdle(t *testing.T) {
	if !*historyIdle {
		t.Skip("only with -idle")
	}
	s := newServer(t)
	c := s.dial()
	h := &trial{t: t, c: c, wire: newCable(t, s.client.Host), prefixes: []string{"/h/"}}
	l := h.follow()
	defer l.close()
	rev := put(t, c, "/h/x", "v")
	if err := l.reach(1, rev); err != nil {
		t.Fatal(err)
	}
	h.wire.set(true)
	l.losesSight(t)
	h.wire.set(false)
	if err := l.reach(1, rev); err != nil {
		t.Fatal(err)
	}
}

// losesSight waits until the state says that the watch is lost.
func (l *followed) losesSight(t *testing.T) {
	t.Helper()
	late := time.NewTimer(deadline)
	defer late.Stop()
	for {
		l.mu.Lock()
		lost := l.state.Coverage().Watches()[0].State == locks.Lost
		l.mu.Unlock()
		if lost {
			return
		}
		select {
		case <-l.news:
		case <-late.C:
			t.Fatal("nobody noticed that the connection is gone")
		}
	}
}
