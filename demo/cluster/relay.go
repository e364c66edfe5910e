package cluster

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"locktop/demo/ports"
	"locktop/demo/process"
)

const (
	// chunk bounds what a relay passes on at once, in bytes, and inFlight how many
	// of those wait for their time in one connection: 32 MiB.
	chunk    = 32 << 10
	inFlight = 1024
)

// relay passes TCP connections on to one member's port for its peers. It is there
// to make that link slow, and for the end of a member: etcd's HTTP server for peers
// can be stuck for five seconds in the read of a connection that nobody uses (its
// read timeout undoes the deadline by which net/http wants to interrupt that read),
// and neither the connections nor their listener can be reached from outside.
// They are closed from their other end.
//
// Most of what a member hears of another does not come through its own relay: the
// member that listens to a stream of raft messages is the one that dials it
// (rafthttp, streamReader). So a relay also delays its member's answers to a dialer
// that is slow.
type relay struct {
	l      net.Listener
	target string
	wg     sync.WaitGroup
	delay  atomic.Int64 // of what goes to the member, in nanoseconds
	slows  *slows       // of the dialers
	life   context.Context
	end    context.CancelFunc

	mu    sync.Mutex
	shut  bool // connections are closed as they come
	conns map[net.Conn]struct{}
}

// slows are the delays of what goes to members, by their ids as etcd writes them.
type slows struct{ byID sync.Map }

func (s *slows) set(id uint64, by time.Duration) { s.byID.Store(fmt.Sprintf("%x", id), by) }

func (s *slows) of(id string) time.Duration {
	by, _ := s.byID.Load(id)
	d, _ := by.(time.Duration)
	return d
}

// newRelay starts to pass on connections to target, which need not be up yet: a
// connection that cannot be passed on is closed.
func newRelay(target string, s *slows) (*relay, error) {
	l, err := ports.Listen()
	if err != nil {
		return nil, fmt.Errorf("listen for peers: %w", err)
	}
	r := &relay{l: l, target: target, slows: s, conns: map[net.Conn]struct{}{}}
	r.life, r.end = context.WithCancel(context.Background())
	r.wg.Go(r.accept)
	return r, nil
}

func (r *relay) addr() string { return r.l.Addr().String() }

// slow delays what goes to the member from now on. Bytes under way keep their time.
func (r *relay) slow(by time.Duration) { r.delay.Store(int64(by)) }

func (r *relay) accept() {
	for {
		in, err := r.l.Accept()
		if err != nil {
			return
		}
		r.wg.Go(func() { r.pass(in) })
	}
}

// pass copies both ways until one side ends, then closes both: raft's streams have
// no use for a half of a connection.
func (r *relay) pass(in net.Conn) {
	defer in.Close()
	if !r.keep(in) {
		return
	}
	defer r.drop(in)
	var d net.Dialer
	out, err := d.DialContext(r.life, "tcp", r.target)
	if err != nil {
		return
	}
	defer out.Close()
	if !r.keep(out) {
		return
	}
	defer r.drop(out)
	dialer := &dialer{}
	r.wg.Go(func() {
		r.copyLate(out, io.TeeReader(in, dialer), func() time.Duration { return time.Duration(r.delay.Load()) })
		in.Close()
		out.Close()
	})
	r.copyLate(in, out, func() time.Duration { return r.slows.of(dialer.id()) })
}

// dialer finds out which member has opened a connection: its requests say so.
type dialer struct {
	mu   sync.Mutex
	seen []byte // the beginning of what it sent, until that names it
	name string
}

// fromHeader is the header by which a member names itself (rafthttp, http.go).
const fromHeader = "X-Server-From: "

// dialerMax bounds how much is searched for the name.
const dialerMax = 8 << 10

// Write implements io.Writer. It never fails.
func (d *dialer) Write(data []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.name == "" && len(d.seen) < dialerMax {
		d.seen = append(d.seen, data...)
		if _, rest, ok := strings.Cut(string(d.seen), fromHeader); ok {
			if name, _, whole := strings.Cut(rest, "\r\n"); whole {
				d.name, d.seen = name, nil
			}
		}
	}
	return len(data), nil
}

func (d *dialer) id() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.name
}

// late is a piece of a stream and when it is due.
type late struct {
	data []byte
	due  time.Time
}

// copyLate copies from src to dst with a delay. It reads on while pieces wait for
// their time, so a slow link is not a thin one.
func (r *relay) copyLate(dst io.Writer, src io.Reader, delay func() time.Duration) {
	ctx, cancel := context.WithCancel(r.life)
	defer cancel()
	pieces := make(chan late, inFlight)
	r.wg.Go(func() {
		defer close(pieces)
		buf := make([]byte, chunk)
		for {
			n, err := src.Read(buf)
			if n > 0 {
				piece := late{append([]byte(nil), buf[:n]...), time.Now().Add(delay())}
				select {
				case pieces <- piece:
				case <-ctx.Done():
					return
				}
			}
			if err != nil {
				return
			}
		}
	})
	for p := range pieces {
		if d := time.Until(p.due); d > 0 && !process.Sleep(ctx, nil, d) {
			return
		}
		if _, err := dst.Write(p.data); err != nil {
			return
		}
	}
}

// keep remembers a connection for close, false if it came too late.
func (r *relay) keep(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.shut {
		return false
	}
	r.conns[c] = struct{}{}
	return true
}

func (r *relay) drop(c net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.conns, c)
}

// block cuts every connection and passes no more on until unblock.
func (r *relay) block() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shut = true
	for c := range r.conns {
		c.Close()
	}
}

func (r *relay) unblock() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shut = false
}

// close cuts every connection and returns when nothing runs any more. The relay
// cannot be used again.
func (r *relay) close() {
	r.l.Close()
	r.end()
	r.block()
	r.wg.Wait()
}
