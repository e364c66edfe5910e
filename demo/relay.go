package demo

import (
	"fmt"
	"io"
	"net"
	"sync"
)

// relay passes TCP connections on to one member's port for its peers. It is there
// for the end of a cluster: etcd's HTTP server for peers can be stuck for five
// seconds in the read of a connection that nobody uses (its read timeout undoes
// the deadline by which net/http wants to interrupt that read), and neither the
// connections nor their listener can be reached from outside. Whoever holds the
// other end of them can close them.
type relay struct {
	l      net.Listener
	target string
	wg     sync.WaitGroup

	mu     sync.Mutex
	closed bool
	conns  map[net.Conn]struct{}
}

// newRelay starts to pass on connections to target, which need not be up yet: a
// connection that cannot be passed on is closed.
func newRelay(target string) (*relay, error) {
	l, err := listenFree()
	if err != nil {
		return nil, fmt.Errorf("listen for peers: %w", err)
	}
	r := &relay{l: l, target: target, conns: map[net.Conn]struct{}{}}
	r.wg.Go(r.accept)
	return r, nil
}

func (r *relay) addr() string { return r.l.Addr().String() }

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
	out, err := net.Dial("tcp", r.target)
	if err != nil {
		return
	}
	defer out.Close()
	if !r.keep(in, out) {
		return
	}
	defer r.drop(in, out)
	r.wg.Go(func() {
		io.Copy(out, in)
		in.Close()
		out.Close()
	})
	io.Copy(in, out)
}

// keep remembers connections for close, false if that was already.
func (r *relay) keep(conns ...net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	for _, c := range conns {
		r.conns[c] = struct{}{}
	}
	return true
}

func (r *relay) drop(conns ...net.Conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range conns {
		delete(r.conns, c)
	}
}

// close cuts every connection and returns when nothing runs any more.
func (r *relay) close() {
	r.l.Close()
	r.mu.Lock()
	r.closed = true
	for c := range r.conns {
		c.Close()
	}
	r.mu.Unlock()
	r.wg.Wait()
}
