//go:build slow

package watcher

import (
	"io"
	"net"
	"sync"
	"testing"
)

// cable passes TCP connections on to a server until it is cut. While it is cut
// every connection ends at once, new ones included.
type cable struct {
	l      net.Listener
	target string
	wg     sync.WaitGroup

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]struct{}
}

func newCable(t testing.TB, target string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{l: l, target: target, conns: map[net.Conn]struct{}{}}
	c.wg.Go(c.accept)
	t.Cleanup(func() {
		_ = l.Close()
		c.set(true)
		c.wg.Wait()
	})
	return c
}

func (c *cable) addr() string { return c.l.Addr().String() }

func (c *cable) accept() {
	for {
		in, err := c.l.Accept()
		if err != nil {
			return
		}
		c.wg.Go(func() { c.pass(in) })
	}
}

// pass copies both ways until one side ends.
func (c *cable) pass(in net.Conn) {
	defer in.Close()
	out, err := net.Dial("tcp", c.target)
	if err != nil {
		return
	}
	defer out.Close()
	if !c.keep(in, out) {
		return
	}
	defer c.drop(in, out)
	c.wg.Go(func() {
		_, _ = io.Copy(out, in)
		_ = in.Close()
		_ = out.Close()
	})
	_, _ = io.Copy(in, out)
}

// keep remembers connections for the next cut, false if it is cut already.
func (c *cable) keep(conns ...net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range conns {
		if !c.cut {
			c.conns[conn] = struct{}{}
		}
	}
	return !c.cut
}

func (c *cable) drop(conns ...net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range conns {
		delete(c.conns, conn)
	}
}

// set cuts the cable, or mends it.
func (c *cable) set(cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = cut
	for conn := range c.conns {
		if cut {
			_ = conn.Close()
		}
	}
}
