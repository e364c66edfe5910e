//go:build slow

package cli

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"locktop/watcher/hostile"
)

// TestServeAndItsGuests: names of 60 kB, guests who do not read, who do not ask and who ask
// for too much keep nobody from his answer, which has a length.
func TestServeAndItsGuests(t *testing.T) {
	t.Parallel()
	etcd := hostile.Start(t, "127.0.0.1:0")
	var keys []*mvccpb.KeyValue
	for i := range 200 {
		name := fmt.Sprintf("/jobs/%c%c%s", 'g'+i/20, 'g'+i%20, strings.Repeat("x", 60_000))
		keys = append(keys, hostile.Key(name, 0xa1, int64(2*i+5)), hostile.Key(name, 0xa2, int64(2*i+6)))
	}
	etcd.Become(0xaa, 1000, keys...)
	s := serveOn(t, etcd.Addr, "--series", "100000")
	addr := strings.TrimPrefix(s.url, "http://")
	peak := peakOf(s.cmd)
	text := ""
	until(t, "the locks", func() bool {
		_, text = s.get("/metrics", "")
		return strings.Count(text, "locktop_lock_waiters{") == 200
	})
	if len(text) > 1<<20 {
		t.Errorf("an answer has %d bytes", len(text))
	}
	guest := func(says string) {
		c, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		_, _ = io.WriteString(c, says) // one who is sent away need not have heard it
	}
	longest := time.Duration(0)
	asked := func(what string) {
		began := time.Now()
		until(t, what+": an answer, though not at once", func() bool {
			http.DefaultClient.CloseIdleConnections() // he is a guest as others are
			code, _ := s.get("/metrics", "")
			return code == http.StatusOK
		})
		longest = max(longest, time.Since(began))
	}
	const ask = "GET /metrics HTTP/1.1\r\nHost: a\r\n"
	for _, r := range []struct {
		what, says string
		guests     int
	}{
		{"headers of 10 MB", ask + "X: " + strings.Repeat("a", 10<<20), 4},
		{"headers without an end", ask, guestsMax / 2},
		{"answers that nobody reads", ask + "\r\n", 2 * scrapesMax},
		{"guests who ask nothing more", "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", guestsMax},
		{"guests who say nothing", "", guestsMax},
	} {
		for range r.guests {
			guest(r.says)
		}
		asked(r.what)
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // its code is looked at
	most := peak()
	if code := s.cmd.ProcessState.ExitCode(); code != exitOK || most > 600 {
		t.Errorf("exit %d, %d MiB", code, most)
	}
	figure(t, "serve tells of 200 names of 60 kB", fmt.Sprintf("%d bytes", len(text)))
	figure(t, "serve beside rude guests: an answer after", fmt.Sprintf("%s, %d MiB", inTime(longest), most))
}
