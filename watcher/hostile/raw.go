package hostile

import (
	"net"
	"sync"
	"testing"
)

// Raw accepts connections until the test ends and hands each to talk, which ends with its
// connection. It returns the address. What speaks no gRPC at all is written with it.
func Raw(t testing.TB, talk func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	open := map[net.Conn]bool{}
	ended := false
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // closed
			}
			mu.Lock()
			if ended {
				_ = c.Close()
			}
			open[c] = true
			mu.Unlock()
			wg.Go(func() {
				talk(c)
				_ = c.Close()
				mu.Lock()
				defer mu.Unlock()
				delete(open, c)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		mu.Lock()
		ended = true
		for c := range open {
			_ = c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return l.Addr().String()
}
