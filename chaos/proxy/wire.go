package proxy

import (
	"net"
	"sync"
	"time"

	"locktop/model"
)

// Bounds of a slow connection, each way.
const (
	wireChunk   = 16 << 10 // bytes that are read at once
	wireQueue   = 64       // chunks that are under way at once
	wireBeats   = 20       // pieces a second that a bounded rate is cut into
	oneSecondNs = int64(time.Second)
)

// chunk is some bytes on their way through a slow connection, or the error after the last.
type chunk struct {
	data []byte
	came time.Time
	err  error
}

// wire is one direction of a connection. While the connection is not slow bytes pass it by; from the
// first that are slow they go through its queue, for as long as the connection lives.
type wire struct {
	queue chan chunk
	rest  chunk     // what is being delivered
	free  time.Time // when a bounded rate has room again
}

// Read implements net.Conn: bytes of the client.
func (l *connection) Read(b []byte) (int, error) {
	if l.in.queue != nil {
		return l.in.read(l, b)
	}
	if err := l.thawed(); err != nil {
		return 0, err
	}
	n, err := l.Conn.Read(b)
	now := l.faults().now()
	if len(now.list) == 0 {
		return n, err
	}
	if err != nil || !now.strikes(model.FaultSlow, l) {
		if closed := l.thawed(); closed != nil {
			return 0, closed
		}
		return n, err
	}
	l.in.queue = make(chan chunk, wireQueue)
	l.in.rest = chunk{data: append([]byte(nil), b[:n]...), came: time.Now()}
	l.listener.wg.Go(l.fill)
	return l.in.read(l, b)
}

// fill reads ahead of Read, which is busy being slow.
func (l *connection) fill() {
	for {
		b := make([]byte, wireChunk)
		n, err := l.Conn.Read(b)
		select {
		case l.in.queue <- chunk{data: b[:n], came: time.Now(), err: err}:
		case <-l.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// read returns bytes that have been under way for long enough.
func (w *wire) read(l *connection, b []byte) (int, error) {
	for len(w.rest.data) == 0 {
		if w.rest.err != nil {
			return 0, w.rest.err
		}
		select {
		case w.rest = <-w.queue:
		case <-l.ctx.Done():
			return 0, net.ErrClosed
		}
	}
	n, err := w.admit(l, w.rest.came, min(len(b), len(w.rest.data)))
	if err != nil {
		return 0, err
	}
	copy(b, w.rest.data[:n])
	w.rest.data = w.rest.data[n:]
	return n, nil
}

// Write implements net.Conn: bytes for the client.
func (l *connection) Write(b []byte) (int, error) {
	if !l.slowOut() {
		if err := l.thawed(); err != nil {
			return 0, err
		}
		return l.Conn.Write(b)
	}
	select {
	case l.out.queue <- chunk{data: append([]byte(nil), b...), came: time.Now()}:
		return len(b), nil
	case <-l.ctx.Done():
		return 0, net.ErrClosed
	}
}

// slowOut says whether bytes for the client go through the queue.
func (l *connection) slowOut() bool {
	l.outMu.Lock()
	defer l.outMu.Unlock()
	if l.out.queue == nil && l.faults().now().strikes(model.FaultSlow, l) {
		l.out.queue = make(chan chunk, wireQueue)
		l.listener.wg.Go(l.empty)
	}
	return l.out.queue != nil
}

// empty writes what Write queued. If that fails the connection is lost.
func (l *connection) empty() {
	for {
		var c chunk
		select {
		case c = <-l.out.queue:
		case <-l.ctx.Done():
			return
		}
		for len(c.data) > 0 {
			n, err := l.out.admit(l, c.came, len(c.data))
			if err == nil {
				_, err = l.Conn.Write(c.data[:n])
			}
			if err != nil {
				_ = l.Close()
				return
			}
			c.data = c.data[n:]
		}
	}
}

// admit waits until bytes that came at that time may pass, and says how many of n.
func (w *wire) admit(l *connection, came time.Time, n int) (int, error) {
	for {
		now := l.faults().now()
		if now.strikes(model.FaultFreeze, l) {
			if err := now.wait(l.ctx, time.Time{}); err != nil {
				return 0, net.ErrClosed
			}
			continue
		}
		delay, rate := now.slowness(l)
		due := came.Add(delay)
		if rate > 0 && w.free.After(due) {
			due = w.free
		}
		if time.Until(due) <= 0 {
			return w.spend(n, rate), nil
		}
		if err := now.wait(l.ctx, due); err != nil {
			return 0, net.ErrClosed
		}
	}
}

// spend takes a piece of n bytes that the rate allows, 0 for any.
func (w *wire) spend(n, rate int) int {
	if rate == 0 {
		return n
	}
	n = min(n, max(1, rate/wireBeats))
	w.free = time.Now().Add(time.Duration(int64(n) * oneSecondNs / int64(rate)))
	return n
}

// slowness is how late and thin (bytes per second, 0 for not) a connection is now: of
// several faults the worst.
func (s *inForce) slowness(l *connection) (delay time.Duration, rate int) {
	for _, x := range s.list {
		if x.Kind != model.FaultSlow || !x.on(l) {
			continue
		}
		delay = max(delay, x.Delay)
		if x.Rate > 0 && (rate == 0 || x.Rate < rate) {
			rate = x.Rate
		}
	}
	return delay, rate
}

// thawed waits until the connection is not frozen. The error says that it is closed.
func (l *connection) thawed() error {
	for {
		now := l.faults().now()
		if !now.strikes(model.FaultFreeze, l) {
			return nil
		}
		if err := now.wait(l.ctx, time.Time{}); err != nil {
			return net.ErrClosed
		}
	}
}

func (l *connection) faults() *faults { return l.listener.proxy.faults }

// wires are both directions of a connection.
type wires struct {
	in, out wire
	outMu   sync.Mutex // a TLS connection may write its farewell at any time
}
