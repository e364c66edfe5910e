package proxy

import (
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"locktop/chaos/chaostest"
)

// TestASilentClientCostsTheMemberNothing: a member does not end while a connection to it is silent, so
// it gets none before the client has spoken.
func TestASilentClientCostsTheMemberNothing(t *testing.T) {
	t.Parallel()
	lis, err := net.Listen("tcp", "127.0.0.1:0")
	chaostest.Must(t, err)
	t.Cleanup(func() { _ = lis.Close() })
	at := startProxy(t, Options{Backends: []string{lis.Addr().String()}}).Shared()[0]
	dial := func() net.Conn {
		c, err := net.Dial("tcp", at)
		chaostest.Must(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	for range 10 { // the first that the member sees would be one of these
		dial()
	}
	_, err = io.WriteString(dial(), http2.ClientPreface)
	chaostest.Must(t, err)
	member, err := lis.Accept()
	chaostest.Must(t, err)
	defer member.Close()
	chaostest.Must(t, member.SetReadDeadline(time.Now().Add(10*time.Second)))
	if heard, err := io.ReadAll(io.LimitReader(member, int64(len(http2.ClientPreface)))); err != nil || string(heard) != http2.ClientPreface {
		t.Errorf("the first connection of the member says %q (%v), want that of the client that spoke", heard, err)
	}
}
