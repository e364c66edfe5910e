package pace

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
)

// Unhurried has a client look at a connection once in so long at most while little comes: each
// look wakes the process, and a busy cluster sends each change by itself. What comes after a
// quiet time is read at once, and masses as fast as they come. So what follows something else
// within that time seems to have happened later, by as much at most.
//
// Behind a proxy of the environment it does nothing: gRPC does not ask that proxy for a
// client that dials by itself.
func Unhurried(rest time.Duration) grpc.DialOption {
	if os.Getenv("HTTPS_PROXY")+os.Getenv("https_proxy") != "" {
		return grpc.EmptyDialOption{}
	}
	return grpc.WithContextDialer(func(ctx context.Context, addr string) (net.Conn, error) {
		network := "tcp"
		if path, ok := strings.CutPrefix(addr, "unix:"); ok {
			network, addr = "unix", strings.TrimPrefix(path, "//")
		}
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		return unhurry(c, rest, time.Sleep), nil
	})
}

// unhurry returns a connection that is read with rests, if what has come can be told from what
// has yet to come.
func unhurry(c net.Conn, rest time.Duration, sleep func(time.Duration)) net.Conn {
	if s, ok := c.(syscall.Conn); ok && canPeek {
		if raw, err := s.SyscallConn(); err == nil {
			return &unhurried{Conn: c, raw: raw, rest: rest, sleep: sleep}
		}
	}
	return c
}

// muchBytes within a rest are masses, for which nobody rests.
const muchBytes = 16 << 10

// unhurried is read by one goroutine at a time, and written by one.
type unhurried struct {
	net.Conn
	raw    syscall.RawConn
	rest   time.Duration
	sleep  func(time.Duration)
	last   time.Time // when something was read
	since  int       // bytes that came since the last rest
	hushed bool      // less than masses wake nobody
}

// Read implements net.Conn.
func (c *unhurried) Read(b []byte) (n int, err error) {
	n = readNow(c.raw, b)
	if n == 0 { // nothing yet, or what an error is about: the reading that waits says it
		if rest := time.Until(c.last.Add(c.rest)); rest > 0 && c.since < muchBytes {
			if err := c.hush(true); err != nil {
				return 0, err
			}
			c.sleep(rest)
			n = readNow(c.raw, b)
		}
		c.since = 0
	}
	if n == 0 {
		if err := c.hush(false); err != nil {
			return 0, err
		}
		if n, err = c.Conn.Read(b); err != nil {
			return n, err
		}
	}
	c.since += n
	c.last = time.Now()
	return n, nil
}

// Write implements net.Conn. What has no room yet waits for it.
func (c *unhurried) Write(b []byte) (int, error) {
	n := writeNow(c.raw, b)
	if n == len(b) {
		return n, nil
	}
	rest, err := c.Conn.Write(b[n:])
	return n + rest, err
}

// hush says whether the system is to tell of what comes only once it is much: Go's runtime is
// woken for each packet of a connection, also while nobody reads it.
func (c *unhurried) hush(want bool) error {
	if c.hushed == want {
		return nil
	}
	least := 1
	if want {
		least = muchBytes
	}
	c.hushed = want
	if err := tellFrom(c.raw, least); err != nil {
		return fmt.Errorf("how much has to come before it is told: %w", err)
	}
	return nil
}
