package cli

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"

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

// TestOneDeniedPrefixHidesNoOther: what may be seen is shown, what is denied is named, and
// the exit code is 2, unless there are errors among what is seen.
func TestOneDeniedPrefixHidesNoOther(t *testing.T) {
	endpoint := member(t, grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if r, ok := req.(*pb.RangeRequest); ok && strings.HasPrefix(string(r.Key), "/no") {
			return nil, rpctypes.ErrGRPCPermissionDenied
		}
		return next(ctx, req)
	}))
	held(t, endpoint, "/ok/lock", "/no/lock", "/sick/lock")
	c := unbound(t, endpoint)
	if _, err := c.Put(within(t), "/sick/lock/11", ""); err != nil { // without a lease it blocks the claim behind it for ever
		t.Fatal(err)
	}
	held(t, endpoint, "/sick/lock")
	for _, row := range []struct {
		reason string
		args   []string
		code   int
		out    string // "": nothing is printed
		errs   string
	}{
		{"both may be seen", []string{"ls", "--prefix", "/ok/", "--prefix", "/sick/"}, exitOK, "/sick/lock", ""},
		{"one may not", []string{"ls", "--prefix", "/ok/", "--prefix", "/no/"}, exitBad, "/ok/lock", `the keys under "/no/"`},
		{"the same for a while", []string{"ls", "--prefix", "/ok/", "--prefix", "/no/", "--for", "300ms"}, exitBad, "/ok/lock", `the keys under "/no/"`},
		{"none may", []string{"ls", "--prefix", "/no/a", "--prefix", "/no/b"}, exitBad, "", "no permission"},
		{"doctor found nothing in what it saw", []string{"doctor", "--prefix", "/ok/", "--prefix", "/no/"}, exitBad, "No problems in what could be seen of 1 lock", `the keys under "/no/"`},
		{"doctor found something", []string{"doctor", "--prefix", "/sick/", "--prefix", "/no/", "--fail-on", "warning"}, exitFailed, "/sick/lock", `the keys under "/no/"`},
		{"describe finds its lock", []string{"describe", "/ok/lock", "--prefix", "/ok/", "--prefix", "/no/"}, exitBad, "/ok/lock", `the keys under "/no/"`},
		{"break wants to see all that it was told to look at", []string{"break", "/ok/lock", "--dry-run", "--prefix", "/ok/", "--prefix", "/no/"}, exitBad, "", "no permission"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			code, out, errs := ranTo(t, append(row.args, "--endpoints", endpoint)...)
			if code != row.code || !strings.Contains(out, row.out) || (row.out == "") != (out == "") || !strings.Contains(errs, row.errs) || (row.errs == "") != (errs == "") {
				t.Errorf("exit %d, want %d, %q and %q:\n%s%s", code, row.code, row.out, row.errs, out, errs)
			}
		})
	}
	_, out, _ := ranTo(t, "ls", "-o", "json", "--prefix", "/ok/", "--prefix", "/no/", "--endpoints", endpoint)
	var js struct {
		blindJSON
		Locks []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(out), &js); err != nil || len(js.Locks) != 1 || len(js.Observed.Blind) != 1 || *js.Observed.Blind[0].Prefix != "/no/" {
		t.Errorf("JSON says both: %v: %s", err, out)
	}
}

// TestDoctorNamesAnEndpointThatDoesNotAnswer: the others answer for the locks, and nobody
// for its member.
func TestDoctorNamesAnEndpointThatDoesNotAnswer(t *testing.T) {
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/l/a", 0xa1, 5))
	for endpoints, says := range map[string]string{s.Addr: "", s.Addr + ",127.0.0.1:1": "127.0.0.1:1 did not answer when asked for its status: no connection"} {
		code, out, errs := ranTo(t, "doctor", "--prefix", "/l/", "--endpoints", endpoints)
		if code != exitOK || !strings.Contains(out, "No problems on 1 lock") || !strings.HasPrefix(errs, says) || (says == "") != (errs == "") {
			t.Errorf("%s: exit %d: %s%s", endpoints, code, out, errs)
		}
	}
}
