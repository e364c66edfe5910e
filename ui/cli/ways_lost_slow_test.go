//go:build slow

package cli

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"locktop/chaos"
	"locktop/ui/cli/session"
	"locktop/watcher"
	"locktop/watcher/hostile"
)

// TestNothingSeenIsLostOnTheWay: what the console has on its screen stays there when the
// server begins to answer badly, marked as lost, and is live again once it answers well.
func TestNothingSeenIsLostOnTheWay(t *testing.T) {
	t.Parallel()
	var lost atomic.Int64
	t.Cleanup(func() {
		if !t.Failed() && lost.Load() < 20 {
			t.Errorf("only %d ways ended the watch: the others show nothing", lost.Load())
		}
	})
	for _, w := range ways {
		if w.code != exitBad || w.name == "another cluster each time" {
			continue // such an answer is a list like any other, or of other locks
		}
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			s := hostile.Start(t, "127.0.0.1:0")
			s.Become(0xaa, 10, hostile.Key("/l/a", 0xa1, 5), hostile.Key("/l/a", 0xa2, 6))
			var bad atomic.Bool
			var pipes atomic.Pointer[context.CancelFunc] // ends the connections that are open
			renew := func() context.Context {
				ctx, cancel := context.WithCancel(t.Context())
				if old := pipes.Swap(&cancel); old != nil {
					(*old)()
				}
				return ctx
			}
			open := renew()
			front := hostile.Raw(t, func(c net.Conn) {
				if bad.Load() && w.raw != nil {
					w.raw(c)
					return
				}
				behind, err := net.Dial("tcp", s.Addr)
				if err != nil {
					return // the test has ended
				}
				defer context.AfterFunc(open, func() { behind.Close(); c.Close() })()
				go func() { _, _ = io.Copy(behind, c); behind.Close() }()
				_, _ = io.Copy(c, behind)
			})
			client, err := dial([]string{front}, time.Second, nil, chaos.ReadOnly())
			if err != nil {
				t.Fatal(err)
			}
			defer client.Close()
			o := watcher.Options{Prefixes: []string{"/l/"}}
			o.Timing.Call, o.Timing.Answer = time.Second, time.Second/3
			src := watcher.New(client, o)
			defer src.Close()
			on := session.New(src)
			seen := func() bool {
				l := on.State.Lock("/l/a")
				return l != nil && l.Len() == 2
			}
			pull := func(what string, until func() bool) {
				t.Helper()
				if err := on.Pull(t.Context(), session.Pull{For: 20 * time.Second, Until: until}); err != nil || !until() {
					t.Fatalf("%s: not within 20 s: %v, %+v", what, err, on.State.Coverage().Watches())
				}
			}
			pull("the lock is there", func() bool { return seen() && s.Watches() > 0 })
			if w.alter != nil {
				s.Alter(w.alter())
			}
			bad.Store(true)
			if w.raw != nil {
				open = renew()
			} else {
				s.Tell(&pb.WatchResponse{Canceled: true, CompactRevision: 9}) // it has to list anew
			}
			if err := on.Pull(t.Context(), session.Pull{For: 3 * time.Second, Until: func() bool { return !seen() }}); err != nil || !seen() {
				t.Fatalf("the lock has gone: %s: %v", w.reason, err)
			}
			if on.State.Coverage().Lost() {
				lost.Add(1)
			}
			if w.name == "denied" {
				return // rights are asked for again after minutes
			}
			s.Alter(func(_ string, a any) any { return a })
			bad.Store(false)
			open = renew()
			pull("it is live again", func() bool { return seen() && !on.State.Coverage().Lost() })
		})
	}
}
