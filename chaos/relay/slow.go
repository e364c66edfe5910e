package relay

import (
	"bytes"
	"context"
	"io"
	"net"
	"time"
)

// Bounds of a slow connection, each way.
const (
	chunkSize  = 32 << 10 // bytes that are read ahead at once
	inFlight   = 1024     // chunks that are under way at once: so a slow link is not a thin one
	ratePieces = 20       // pieces a second that a bounded rate is cut into
)

// Slowness is what is done to bytes that are under way.
type Slowness struct {
	Frozen bool          // nothing passes, and not the end of the connection either
	Delay  time.Duration // from when they came to when they pass
	Rate   int           // in bytes per second; 0 is any
	// Changed is closed when this is no longer so. With nil, bytes that already wait do
	// so for as long as they were to.
	Changed <-chan struct{}
}

// none says whether bytes pass as they come.
func (s Slowness) none() bool { return !s.Frozen && s.Delay == 0 && s.Rate == 0 }

// Wait waits until changed is closed or the time has come, no time being for ever. The
// error is that of the context, if that ends first.
func Wait(ctx context.Context, changed <-chan struct{}, until time.Time) error {
	var due <-chan time.Time
	if !until.IsZero() {
		t := time.NewTimer(time.Until(until))
		defer t.Stop()
		due = t.C
	}
	select {
	case <-changed:
		return nil
	case <-due:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// chunk is some bytes on their way through a slow connection, or the error after the last.
type chunk struct {
	data []byte
	came time.Time
	err  error
}

// lane is one direction of a connection. While nothing is slow bytes pass it by; from the
// first that are they go through its queue, for as long as the connection lives.
type lane struct {
	how   func() Slowness // nil: never slow
	queue chan chunk      // nil until something is slow
	rest  chunk           // what is being read
	free  time.Time       // when a bounded rate has room again
}

// now is how slow a direction is.
func (l *lane) now() Slowness {
	if l.how == nil {
		return Slowness{}
	}
	return l.how()
}

// Read implements [net.Conn]: bytes of who connected.
func (p *Pair) Read(b []byte) (int, error) {
	l := &p.in
	if l.queue == nil {
		n, err := p.Conn.Read(b)
		if l.now().none() {
			return n, err
		}
		l.queue, l.rest = make(chan chunk, inFlight), chunk{bytes.Clone(b[:n]), time.Now(), err}
		if err == nil {
			p.Go(p.readAhead)
		}
	}
	for len(l.rest.data) == 0 && l.rest.err == nil {
		select {
		case l.rest = <-l.queue:
		case <-p.ctx.Done():
			return 0, net.ErrClosed
		}
	}
	n, err := p.admit(l, l.rest.came, min(len(b), len(l.rest.data)))
	if err != nil {
		return 0, err
	}
	copy(b, l.rest.data[:n])
	if l.rest.data = l.rest.data[n:]; len(l.rest.data) == 0 {
		err = l.rest.err
	}
	return n, err
}

// readAhead reads while Read is busy being slow.
func (p *Pair) readAhead() {
	b := make([]byte, chunkSize)
	for {
		n, err := p.Conn.Read(b)
		if p.put(&p.in, chunk{bytes.Clone(b[:n]), time.Now(), err}) != nil || err != nil {
			return
		}
	}
}

// Write implements [net.Conn]: bytes for who connected.
func (p *Pair) Write(b []byte) (int, error) {
	if !p.queues() {
		return p.Conn.Write(b)
	}
	if err := p.put(&p.out, chunk{data: bytes.Clone(b), came: time.Now()}); err != nil {
		return 0, err
	}
	return len(b), nil
}

// queues says whether bytes for who connected go through the queue.
func (p *Pair) queues() bool {
	p.outMu.Lock()
	defer p.outMu.Unlock()
	if p.out.queue == nil && !p.out.now().none() {
		p.out.queue = make(chan chunk, inFlight)
		p.Go(p.writeBehind)
	}
	return p.out.queue != nil
}

// put queues a chunk. The error says that the pair is closed.
func (p *Pair) put(l *lane, c chunk) error {
	select {
	case l.queue <- c:
		return nil
	case <-p.ctx.Done():
		return net.ErrClosed
	}
}

// finish closes the pair after what was written.
func (p *Pair) finish() {
	if !p.queues() || p.put(&p.out, chunk{came: time.Now(), err: io.EOF}) != nil {
		_ = p.Close()
	}
}

// writeBehind writes what Write queued. It closes the pair at the end, or if that fails.
func (p *Pair) writeBehind() {
	defer p.Close()
	for {
		select {
		case c := <-p.out.queue:
			if p.deliver(c) != nil {
				return
			}
		case <-p.ctx.Done():
			return
		}
	}
}

// deliver writes a chunk in the pieces that may pass, and returns its error after it.
func (p *Pair) deliver(c chunk) error {
	for {
		n, err := p.admit(&p.out, c.came, len(c.data))
		if err != nil {
			return err
		}
		if _, err = p.Conn.Write(c.data[:n]); err != nil {
			return err
		}
		if c.data = c.data[n:]; len(c.data) == 0 {
			return c.err
		}
	}
}

// admit waits until bytes that came at that time may pass, and returns how many of n.
func (p *Pair) admit(l *lane, came time.Time, n int) (int, error) {
	for {
		s := l.now()
		due := came.Add(s.Delay)
		if s.Rate > 0 && l.free.After(due) {
			due = l.free
		}
		if !s.Frozen && time.Until(due) <= 0 {
			return l.spend(n, s.Rate), nil
		}
		if s.Frozen {
			due = time.Time{}
		}
		if Wait(p.ctx, s.Changed, due) != nil {
			return 0, net.ErrClosed
		}
	}
}

// spend takes a piece of n bytes that the rate allows, 0 for any.
func (l *lane) spend(n, rate int) int {
	if rate == 0 {
		return n
	}
	n = min(n, max(1, rate/ratePieces))
	l.free = time.Now().Add(time.Duration(int64(n) * int64(time.Second) / int64(rate)))
	return n
}
