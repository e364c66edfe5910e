package cluster

import (
	"bytes"
	"context"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"locktop/demo/labtest"
	"locktop/demo/ports"
)

// sink accepts one connection and sends all that came on it, when it has ended.
func sink(t *testing.T) (addr string, got <-chan []byte) {
	t.Helper()
	l, err := ports.Listen()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	all := make(chan []byte, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		data, _ := io.ReadAll(conn)
		all <- data
	}()
	return l.Addr().String(), all
}

func TestRelayIsSlowNotThin(t *testing.T) {
	addr, got := sink(t)
	r, err := newRelay(addr, &slows{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	const delay = 300 * time.Millisecond
	r.slow(delay)
	in, err := net.Dial("tcp", r.addr())
	if err != nil {
		t.Fatal(err)
	}
	want := make([]byte, 8<<20) // 256 chunks: one delay after another takes over a minute
	for i := range want {
		want[i] = byte(i >> 10)
	}
	begun := time.Now()
	if _, err := in.Write(want); err != nil {
		t.Fatal(err)
	}
	in.Close()
	select {
	case data := <-got:
		if took := time.Since(begun); took < delay || !bytes.Equal(data, want) {
			t.Errorf("%d bytes in %v, the same: %v", len(data), took, bytes.Equal(data, want))
		} else {
			t.Logf("8 MiB with a delay of %v: %v", delay, took.Round(time.Millisecond))
		}
	case <-time.After(labtest.Patience):
		t.Fatal("it did not all come")
	}
}

func TestRelayEndsWithWhatIsOnItsWay(t *testing.T) {
	addr, _ := sink(t)
	r, err := newRelay(addr, &slows{})
	if err != nil {
		t.Fatal(err)
	}
	r.slow(time.Hour)
	in, err := net.Dial("tcp", r.addr())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if _, err := in.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	r.close()
	if took := time.Since(begun); took > 10*time.Second { // what it is late by is an hour
		t.Errorf("it took %v", took)
	}
}

func TestRelayBlocks(t *testing.T) {
	addr, _ := sink(t)
	r, err := newRelay(addr, &slows{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	r.block()
	in, err := net.Dial("tcp", r.addr())
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := in.SetDeadline(time.Now().Add(labtest.Patience)); err != nil {
		t.Fatal(err)
	}
	if n, err := in.Read(make([]byte, 1)); n != 0 || err == nil {
		t.Errorf("read %d bytes (%v)", n, err)
	}
}

// TestSlowMember: a read that has to be up to date asks the leader, so its answer
// takes the way that is slow.
func TestSlowMember(t *testing.T) {
	const delay = 700 * time.Millisecond
	c := breakable(t, 3, nil)
	lead, err := c.Leader(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slow := another(c, lead)
	cli := labtest.NewClient(t, c.MemberEndpoints()[slices.Index(c.Names(), slow)])
	read := func() time.Duration {
		ctx, cancel := context.WithTimeout(t.Context(), labtest.Patience)
		defer cancel()
		begun := time.Now()
		if _, err := cli.Get(ctx, "x"); err != nil {
			t.Fatal(err)
		}
		return time.Since(begun)
	}
	read() // connects
	if err := c.Slow(slow, delay); err != nil {
		t.Fatal(err)
	}
	if took := read(); took < delay {
		t.Errorf("a read at the slow member took %v, want %v or more", took, delay)
	}
	if err := c.Slow(slow, 0); err != nil {
		t.Fatal(err)
	}
	labtest.Eventually(t, "it is as fast as before", func() bool { return read() < delay })
}
