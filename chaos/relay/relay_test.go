package relay

import (
	"bytes"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds what a test waits for that has to come.
const patience = 30 * time.Second

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// target accepts one connection, which is sent.
func target(t *testing.T) (addr string, came <-chan net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	c := make(chan net.Conn, 1)
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		if conn, err := l.Accept(); err == nil {
			c <- conn
		}
	}()
	return l.Addr().String(), c
}

// bench is a relay that copies bytes, and a connection through it.
type bench struct {
	relay          *Listener
	client, target net.Conn
	slow           atomic.Pointer[Slowness] // both ways
	changed        chan struct{}
}

// set makes the connection as slow as that.
func (b *bench) set(s Slowness) {
	old := b.changed
	b.changed = make(chan struct{})
	s.Changed = b.changed
	b.slow.Store(&s)
	if old != nil {
		close(old)
	}
}

func newBench(t *testing.T) *bench {
	t.Helper()
	addr, came := target(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	b := &bench{relay: New(l, addr)}
	b.set(Slowness{})
	t.Cleanup(b.relay.Close)
	b.relay.Serve(func(p *Pair) {
		to, err := p.Dial(p.Context())
		if err != nil {
			return
		}
		slow := func() Slowness { return *b.slow.Load() }
		p.Slow(slow, slow)
		p.Carry(func() { _, _ = io.Copy(to, p) }, func() { _, _ = io.Copy(p, to) })
	})
	b.client, err = net.Dial("tcp", b.relay.Addr())
	must(t, err)
	b.target = <-came
	for _, c := range []net.Conn{b.client, b.target} {
		t.Cleanup(func() { _ = c.Close() })
		must(t, c.SetDeadline(time.Now().Add(patience)))
	}
	return b
}

// reads reads so many bytes.
func reads(t *testing.T, c net.Conn, n int) []byte {
	t.Helper()
	b := make([]byte, n)
	if _, err := io.ReadFull(c, b); err != nil {
		t.Fatalf("it did not all come: %v", err)
	}
	return b
}

// wantNothing fails if something comes soon, the end included.
func wantNothing(t *testing.T, c net.Conn) {
	t.Helper()
	must(t, c.SetReadDeadline(time.Now().Add(50*time.Millisecond)))
	n, err := c.Read(make([]byte, 1))
	if timeout, ok := err.(net.Error); !ok || !timeout.Timeout() {
		t.Fatalf("%d bytes came (%v), want nothing", n, err)
	}
	must(t, c.SetReadDeadline(time.Now().Add(patience)))
}

func TestSlowIsNotThin(t *testing.T) {
	t.Parallel()
	const delay = 300 * time.Millisecond
	want := make([]byte, 4<<20) // 128 chunks: one delay after another takes over half a minute
	for i := range want {
		want[i] = byte(i >> 10)
	}
	for reason, back := range map[string]bool{"what who connects says": false, "what it is told": true} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			b.set(Slowness{Delay: delay})
			from, to := b.client, b.target
			if back {
				from, to = to, from
			}
			begun := time.Now()
			go func() { _, _ = from.Write(want); _ = from.Close() }()
			got, err := io.ReadAll(to)
			took := time.Since(begun)
			if err != nil || took < delay || !bytes.Equal(got, want) {
				t.Errorf("%d bytes in %v (%v), the same: %v", len(got), took, err, bytes.Equal(got, want))
			}
			t.Logf("4 MiB with a delay of %v: %v", delay, took.Round(time.Millisecond))
		})
	}
}

func TestThinIsThin(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set(Slowness{Rate: 128 << 10})
	begun := time.Now()
	want := bytes.Repeat([]byte("0123456789abcdef"), 4<<10) // 64 KiB take half a second
	_, err := b.client.Write(want)
	must(t, err)
	got := reads(t, b.target, len(want))
	// The last piece does not wait for room after it.
	if took := time.Since(begun); took < 400*time.Millisecond || !bytes.Equal(got, want) {
		t.Errorf("%v, the same: %v", took, bytes.Equal(got, want))
	}
}

// TestFrozen: neither bytes nor the end pass, either way, and nothing is lost.
func TestFrozen(t *testing.T) {
	t.Parallel()
	for reason, back := range map[string]bool{"what who connects says": false, "what it is told": true} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			from, to := b.client, b.target
			if back {
				from, to = to, from
			}
			_, err := from.Write([]byte("before"))
			must(t, err)
			reads(t, to, 6)
			b.set(Slowness{Frozen: true})
			_, err = from.Write([]byte("meanwhile"))
			must(t, err)
			must(t, from.Close())
			wantNothing(t, to)
			b.set(Slowness{})
			if got, err := io.ReadAll(to); string(got) != "meanwhile" || err != nil {
				t.Errorf("%q came (%v)", got, err)
			}
		})
	}
}

func TestWhatIsUnderWayIsSlowByWhatIsSoNow(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set(Slowness{Delay: time.Hour})
	_, err := b.client.Write([]byte("x"))
	must(t, err)
	wantNothing(t, b.target)
	b.set(Slowness{})
	reads(t, b.target, 1)
}

// TestCloseWaitsForNothing: what it is late by is an hour.
func TestCloseWaitsForNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.set(Slowness{Delay: time.Hour})
	for _, c := range []net.Conn{b.client, b.target} {
		_, err := c.Write([]byte("x"))
		must(t, err)
	}
	begun := time.Now()
	b.relay.Close()
	b.relay.Close() // once more does nothing
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if _, err := net.Dial("tcp", b.relay.Addr()); err == nil {
		t.Error("somebody listens still")
	}
}

func TestCutEndsBothConnections(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, err := b.client.Write([]byte("x"))
	must(t, err)
	reads(t, b.target, 1)
	b.relay.Cut(func(*Pair) bool { return false })
	if n := len(b.relay.Pairs()); n != 1 {
		t.Fatalf("%d pairs are open", n)
	}
	b.relay.Cut(func(*Pair) bool { return true })
	for reason, c := range map[string]net.Conn{"who connected": b.client, "the target": b.target} {
		if n, err := c.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("%s read %d bytes (%v)", reason, n, err)
		}
	}
	if n := len(b.relay.Pairs()); n != 0 {
		t.Errorf("%d pairs are open", n)
	}
}

func TestWhoConnectsSeesThatTheTargetIsDown(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	r := New(l, "127.0.0.1:1")
	t.Cleanup(r.Close)
	failed := make(chan error, 1)
	r.Serve(func(p *Pair) {
		_, err := p.Dial(p.Context())
		failed <- err
	})
	c, err := net.Dial("tcp", r.Addr())
	must(t, err)
	defer c.Close()
	must(t, c.SetDeadline(time.Now().Add(patience)))
	if _, err := c.Read(make([]byte, 1)); err == nil || <-failed == nil {
		t.Errorf("it read on (%v)", err)
	}
}
