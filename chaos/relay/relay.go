package relay

import (
	"context"
	"maps"
	"net"
	"slices"
	"sync"
	"time"
)

// acceptPause is how long a listener waits that cannot take a connection now, for
// example because too many files are open.
const acceptPause = 10 * time.Millisecond

// Listener carries the connections that come to one address on to another. All methods
// may be called from any goroutine.
type Listener struct {
	listener net.Listener
	target   string
	ctx      context.Context // ends with Close
	cancel   context.CancelFunc
	wg       sync.WaitGroup // its goroutines and those of its pairs

	mu    sync.Mutex
	pairs map[*Pair]struct{} // nil once it is closed
}

// New returns a listener that owns l and accepts nothing yet: see [Listener.Serve]. The
// target (host:port) need not be up: it is dialled by each pair.
func New(l net.Listener, target string) *Listener {
	r := &Listener{listener: l, target: target, pairs: map[*Pair]struct{}{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// Addr returns where it listens, as host:port.
func (l *Listener) Addr() string { return l.listener.Addr().String() }

// Serve begins to accept and returns at once. Each connection is handed to serve, in a
// goroutine of its own, and ends when that returns. [Listener.Cut] reaches it from before
// that: serve that asks first whether connections are cut, and Cut after they are, leave
// none between them.
func (l *Listener) Serve(serve func(*Pair)) { l.wg.Go(func() { l.accept(serve) }) }

func (l *Listener) accept(serve func(*Pair)) {
	for {
		c, err := l.listener.Accept()
		if err != nil {
			select {
			case <-l.ctx.Done():
				return
			case <-time.After(acceptPause):
				continue
			}
		}
		if p := l.pair(c); p != nil {
			l.wg.Go(func() {
				defer p.Close()
				serve(p)
			})
		}
	}
}

// pair registers a connection. It closes one that comes too late, and returns nil.
func (l *Listener) pair(c net.Conn) *Pair {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pairs == nil {
		_ = c.Close()
		return nil
	}
	p := &Pair{Conn: c, relay: l}
	p.ctx, p.cancel = context.WithCancel(l.ctx)
	l.pairs[p] = struct{}{}
	return p
}

// Pairs returns those that are open, in no order.
func (l *Listener) Pairs() []*Pair {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Keys(l.pairs))
}

// Cut closes the pairs for which it is true.
func (l *Listener) Cut(which func(*Pair) bool) {
	for _, p := range l.Pairs() {
		if which(p) {
			_ = p.Close()
		}
	}
}

// Close closes the listener and its pairs, and returns when nothing of them runs. A
// second call does nothing.
func (l *Listener) Close() {
	l.mu.Lock()
	pairs := l.pairs
	l.pairs = nil
	l.mu.Unlock()
	l.cancel()
	_ = l.listener.Close()
	for p := range pairs {
		_ = p.Close()
	}
	l.wg.Wait()
}

// Pair is a connection that came, and the one to the target once that was dialled. As a
// [net.Conn] it is the one that came; its deadlines hold only while it is not slow.
type Pair struct {
	net.Conn
	relay  *Listener
	ctx    context.Context // ends with the pair
	cancel context.CancelFunc
	once   sync.Once

	in, out lane
	outMu   sync.Mutex // a TLS connection may write its farewell at any time
}

// Slow has these asked, for all that comes, how slow it is: in for what who connected
// says, out for what it is told. It is called before the first byte.
func (p *Pair) Slow(in, out func() Slowness) { p.in.how, p.out.how = in, out }

// Context ends with the pair.
func (p *Pair) Context() context.Context { return p.ctx }

// Go runs f in a goroutine that [Listener.Close] waits for. It has to end with the pair.
func (p *Pair) Go(f func()) { p.relay.wg.Go(f) }

// Dial connects to the target. The connection ends with the pair.
func (p *Pair) Dial(ctx context.Context) (net.Conn, error) {
	c, err := new(net.Dialer).DialContext(ctx, "tcp", p.relay.target)
	if err == nil {
		context.AfterFunc(p.ctx, func() { _ = c.Close() })
	}
	return c, err
}

// Carry runs the two directions, onward and back, until one of them returns, and closes
// the pair. It returns when both have. What was written to who connected before back
// returned still arrives, and so late is the end seen.
func (p *Pair) Carry(onward, back func()) {
	var both sync.WaitGroup
	both.Go(func() {
		defer p.Close()
		onward()
	})
	back()
	p.finish()
	both.Wait()
}

// Close closes both connections; that to the target ends with the context.
func (p *Pair) Close() (err error) {
	p.once.Do(func() {
		p.cancel()
		err = p.Conn.Close()
		p.relay.mu.Lock()
		delete(p.relay.pairs, p)
		p.relay.mu.Unlock()
	})
	return err
}
