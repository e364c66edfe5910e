package watcher

import (
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/text"
)

// relay passes bytes to a server until it is told to freeze: connections stay
// open then, and nothing comes through.
type relay struct {
	net.Listener
	to    string
	mu    sync.RWMutex // held for writing while frozen
	wg    sync.WaitGroup
	conns sync.Map
}

func newRelay(t *testing.T, to string) *relay {
	t.Helper()
	l := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	r := &relay{Listener: l, to: to}
	r.wg.Go(r.serve)
	t.Cleanup(func() {
		_ = l.Close()
		r.conns.Range(func(c, _ any) bool { _ = c.(net.Conn).Close(); return true })
		r.wg.Wait()
	})
	return r
}

func (r *relay) serve() {
	for {
		in, err := r.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", r.to)
		if err != nil {
			_ = in.Close()
			continue
		}
		for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
			r.conns.Store(pair[0], true)
			r.wg.Go(func() { r.copy(pair[0], pair[1]) })
		}
	}
}

func (r *relay) copy(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		r.mu.RLock()
		if n > 0 {
			_, _ = to.Write(buf[:n])
		}
		r.mu.RUnlock()
		if err != nil {
			return
		}
	}
}

func TestFrozenConnectionIsNoticedAndLosesNothing(t *testing.T) {
	s := newServer(t)
	c := s.dial()
	relay := newRelay(t, s.client.Host)
	o := Options{Prefixes: []string{"/l/"}, Budget: -1, Timing: quick}
	o.Timing.Call = 200 * time.Millisecond
	r := &record{t: t, w: newWatcher(t, dial(t, "http://"+relay.Addr().String()), o)}
	has[model.Watching](r, 1)

	relay.mu.Lock()
	for _, key := range []string{"/l/a", "/l/b", "/l/c"} {
		put(t, c, key, "while frozen")
	}
	lost := has[model.Lost](r, 1)[0]
	relay.mu.Unlock()
	if lost.Reason != model.LostDisconnect || !strings.Contains(text.English(lost.Detail), "no answer in time from") {
		t.Errorf("got %+v", lost)
	}
	has[model.Back](r, 1)
	if got := all[model.Committed](r); len(got) != 3 {
		t.Errorf("%d revisions before Back, want 3", len(got))
	}
}

func TestEndpointThatNeverAnswersIsNoHang(t *testing.T) {
	relay := newRelay(t, newServer(t).client.Host)
	relay.mu.Lock()
	defer relay.mu.Unlock()
	o := Options{Prefixes: []string{"/l/"}, Timing: quick}
	o.Timing.Call = 200 * time.Millisecond
	r := &record{t: t, w: newWatcher(t, dial(t, "http://"+relay.Addr().String()), o)}
	lost := has[model.Lost](r, 1)[0]
	if lost.Reason != model.LostDisconnect || !strings.Contains(text.English(lost.Detail), relay.Addr().String()) {
		t.Errorf("got %+v", lost)
	}
}
