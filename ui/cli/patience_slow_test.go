//go:build slow

package cli

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"locktop/watcher/hostile"
)

// TestWhatIsWaitedForAndWhatIsNot: --command-timeout bounds a wait without progress, and
// nothing shorter does.
func TestWhatIsWaitedForAndWhatIsNot(t *testing.T) {
	locktop(t)
	for _, row := range []struct {
		reason string
		alter  func(n int64, method string, answer any) any // n counts the answers to Range from 1
		args   []string
		code   int
		says   string
	}{
		{"a new leader adds its election timeout to what leases have left, and their readings are what is missing",
			func(_ int64, _ string, a any) any {
				if r, ok := a.(*pb.LeaseTimeToLiveResponse); ok {
					r.TTL = 61
				}
				return a
			}, []string{"doctor"}, exitBad, "the answer said 61 s left of 60 granted: a new leader adds its election timeout"},
		{"as much left as was granted is a reading", func(_ int64, _ string, a any) any {
			if r, ok := a.(*pb.LeaseTimeToLiveResponse); ok {
				r.TTL = 60
			}
			return a
		}, []string{"doctor"}, exitOK, "No problems on 1 lock"},
		{"one read takes longer than the watcher would wait by itself", func(n int64, m string, a any) any {
			if m == "Range" && n == 1 {
				time.Sleep(2500 * time.Millisecond) // as long as the read takes
			}
			return a
		}, []string{"ls", "--command-timeout", "8s"}, exitOK, "/l/a"},
		{"the same read, and less patience", func(n int64, m string, a any) any {
			if m == "Range" && n == 1 {
				time.Sleep(2500 * time.Millisecond) // as long as the read takes
			}
			return a
		}, []string{"ls", "--command-timeout", "1s"}, exitBad, "(--command-timeout)|no answer in time"},
		{"a compaction during the list begins it anew", func(n int64, m string, a any) any {
			if m == "Range" && n >= 2 && n <= 5 {
				return rpctypes.ErrGRPCCompacted
			}
			return a
		}, []string{"ls"}, exitOK, "/l/a"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			t.Parallel()
			s := hostile.Start(t, "127.0.0.1:0")
			s.Become(0xaa, 10, hostile.Key("/l/a", 0xa1, 5))
			var n atomic.Int64
			s.Alter(func(method string, answer any) any {
				if method == "Range" {
					n.Add(1)
				}
				return row.alter(n.Load(), method, answer)
			})
			code, out, errs := ranTo(t, append(row.args, "--prefix", "/l/", "--endpoints", s.Addr)...)
			have := false
			for _, text := range strings.Split(row.says, "|") {
				have = have || strings.Contains(out+errs, text)
			}
			if code != row.code || !have {
				t.Errorf("exit %d, want %d and %q:\n%s%s", code, row.code, row.says, out, errs)
			}
		})
	}
}
