package cli

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// port is a port that answers, and its address.
func port(t *testing.T, token []byte, to http.Handler) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := portServer(token, to)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Serve(l)
	}()
	t.Cleanup(func() {
		_ = s.Close()
		<-ended
	})
	return l.Addr().String()
}

// TestIdleStrangersKeepNobodyOut: 500 who connect and say nothing, or begin a question and never end it,
// or send a wrong token, leave each scrape under a second, and a guest his connection.
func TestIdleStrangersKeepNobodyOut(t *testing.T) {
	t.Parallel()
	const token = "correct-horse-battery"
	answer := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") })
	for _, row := range []struct {
		reason, says string
		token        []byte
	}{
		{"they say nothing", "", nil},
		{"they say nothing, and a token is asked for", "", []byte(token)},
		{"they begin a question", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ", []byte(token)},
		{"they have a wrong token", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer wrong-wrong-wrong\r\n\r\n", []byte(token)},
		{"their name leads here by DNS", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", nil},
	} {
		t.Run(row.reason, func(t *testing.T) {
			addr := port(t, row.token, answer)
			dial := func() net.Conn {
				c, err := net.Dial("tcp", addr)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = c.Close() })
				return c
			}
			ask := "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer " + token + "\r\n\r\n"
			answered := func(c net.Conn, within time.Duration) {
				t.Helper()
				if err := c.SetDeadline(time.Now().Add(within)); err != nil {
					t.Fatal(err)
				}
				_, _ = io.WriteString(c, ask)
				r, err := http.ReadResponse(bufio.NewReader(c), nil)
				if err != nil {
					t.Fatalf("not within %s: %v", within, err)
				}
				text, err := io.ReadAll(r.Body)
				if err != nil || r.StatusCode != http.StatusOK || string(text) != "ok" {
					t.Fatalf("%d %s, %v", r.StatusCode, text, err)
				}
			}
			guest := dial()
			answered(guest, time.Minute)
			for range 500 {
				_, _ = io.WriteString(dial(), row.says) // one who is sent away need not have said it
			}
			for range 10 {
				answered(dial(), time.Second)
			}
			answered(guest, time.Second)
		})
	}
}

// TestWhoReadsSlowlyKeepsNobodyWaiting: an answer is made before it is sent.
func TestWhoReadsSlowlyKeepsNobodyWaiting(t *testing.T) {
	big := strings.Repeat("x", 8<<20) // more than the buffers of two sockets
	addr := port(t, nil, inTurn(1, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, big) })))
	for range 8 {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
	}
	r, err := (&http.Client{Timeout: 5 * time.Second}).Get("http://" + addr)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if text, err := io.ReadAll(r.Body); err != nil || string(text) != big {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}
