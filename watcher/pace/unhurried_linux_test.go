package pace

import (
	"net"
	"syscall"
	"testing"
	"time"
)

// A packet wakes nobody while somebody rests, and is told as soon as nobody does: the last byte
// of a quiet connection is not waited for until masses have come.
func TestNobodyIsWokenWhileHeRests(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	here, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer here.Close()
	there, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer there.Close()
	var c *unhurried
	least := func() (n int) {
		t.Helper()
		var failed error
		err := c.raw.Control(func(fd uintptr) {
			n, failed = syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVLOWAT)
		})
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		return n
	}
	comes := "" // while it rests
	rested := 0
	c = unhurry(here, time.Hour, func(time.Duration) {
		rested++
		if n := least(); n != muchBytes {
			t.Errorf("while it rests %d bytes are told", n)
		}
		if _, err := there.Write([]byte(comes)); err != nil {
			t.Error(err)
		}
	}).(*unhurried)
	deadline := time.Now().Add(20 * time.Second)
	if err := here.SetReadDeadline(deadline); err != nil {
		t.Fatal(err)
	}
	read := func(want string) {
		t.Helper()
		b := make([]byte, 10)
		if n, err := c.Read(b); err != nil || string(b[:n]) != want {
			t.Fatalf("read %q, %v; want %q", b[:n], err, want)
		}
	}
	later := func(s string) {
		go func() {
			time.Sleep(20 * time.Millisecond) // so that somebody waits for it by then; if not, it is read all the same
			if _, err := there.Write([]byte(s)); err != nil {
				t.Error(err)
			}
		}()
	}
	later("a")
	read("a")
	for _, r := range []struct{ resting, afterwards, reason string }{
		{"b", "", "it came while it rested"},
		{"", "c", "nothing came while it rested, and then one byte"},
		{"d", "", "and so on"},
	} {
		before := rested
		if comes = r.resting; r.afterwards != "" {
			later(r.afterwards)
		}
		read(r.resting + r.afterwards)
		if rested != before+1 {
			t.Errorf("%s: it rested %d times", r.reason, rested-before)
		}
		if n := least(); r.afterwards != "" && n != 1 {
			t.Errorf("%s: %d bytes are told", r.reason, n)
		}
	}
}
