package pace

import (
	"bytes"
	"io"
	"net"
	"path/filepath"
	"testing"
	"time"
)

// ends are both ends of a connection.
func ends(t *testing.T) (here, there net.Conn) {
	t.Helper()
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if here, err = net.Dial("unix", l.Addr().String()); err == nil {
		there, err = l.Accept()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = here.Close(), there.Close() })
	return here, there
}

// Who reads rests before it looks again, unless much has come, or nothing for long.
func TestWhoIsUnhurriedRests(t *testing.T) {
	t.Parallel()
	here, there := ends(t)
	if !canPeek {
		t.Skip("on this system nothing rests")
	}
	var rests []time.Duration
	c := unhurry(here, time.Hour, func(d time.Duration) {
		rests = append(rests, d)
		_, _ = there.Write([]byte("b")) // it came meanwhile
	}).(*unhurried)
	reads := func(want string) {
		t.Helper()
		b := make([]byte, 10)
		if n, err := c.Read(b); err != nil || string(b[:n]) != want {
			t.Fatalf("read %q, %v; want %q", b[:n], err, want)
		}
	}
	say := func(s string) {
		if _, err := there.Write([]byte(s)); err != nil {
			t.Error(err)
		}
	}
	say("a")
	reads("a")
	if len(rests) != 0 {
		t.Errorf("rested %s before the first", rests)
	}
	reads("b")
	if len(rests) != 1 || rests[0] <= 0 || rests[0] > time.Hour {
		t.Errorf("rested %s, want once, up to an hour", rests)
	}
	say("c")
	reads("c")
	if len(rests) != 1 {
		t.Errorf("rested %s though something was there", rests)
	}
	c.since = muchBytes
	go say("d")
	reads("d")
	c.last = time.Now().Add(-2 * time.Hour)
	go say("e")
	reads("e")
	if len(rests) != 1 {
		t.Errorf("rested %s for masses, or after a quiet time", rests)
	}
	if err := there.Close(); err != nil {
		t.Fatal(err)
	}
	c.last = time.Time{}
	if n, err := c.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		t.Errorf("at the end: %d, %v", n, err)
	}
}

// What there is no room for is written all the same, each byte once and in order.
func TestWhatIsWrittenArrivesWhole(t *testing.T) {
	t.Parallel()
	here, there := ends(t)
	c := unhurry(here, time.Hour, time.Sleep)
	want := make([]byte, 4<<20) // no buffer of a socket holds as much
	for i := range want {
		want[i] = byte(i % 251)
	}
	go func() {
		if n, err := c.Write(want); n != len(want) || err != nil {
			t.Errorf("%d of %d bytes are written: %v", n, len(want), err)
		}
		_ = here.Close()
	}()
	got, err := io.ReadAll(there)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes arrive, want %d as they were written: %v", len(got), len(want), err)
	}
	if n, err := c.Write([]byte("x")); n != 0 || err == nil {
		t.Errorf("%d bytes are written to what is closed: %v", n, err)
	}
}
