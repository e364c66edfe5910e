package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// held puts a lock there for each name, with a lease that nobody renews for a while, and
// returns the leases.
func held(t *testing.T, endpoint string, locks ...string) (leases []clientv3.LeaseID) {
	t.Helper()
	c := unbound(t, endpoint)
	for _, name := range locks {
		l, err := c.Grant(within(t), 600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Put(within(t), fmt.Sprintf("%s/%x", name, l.ID), "", clientv3.WithLease(l.ID)); err != nil {
			t.Fatal(err)
		}
		leases = append(leases, l.ID)
	}
	return leases
}

// blindJSON is as much of the output of doctor as these tests look at.
type blindJSON struct {
	Observed struct {
		Blind []struct {
			What   string
			Prefix *string
			Leases *int
			For    float64
			Reason string
		}
	}
}

// TestDoctorCountsTheLeasesThatItCouldNotRead: one look and a longer one, where a member
// refuses to say how long leases have left.
func TestDoctorCountsTheLeasesThatItCouldNotRead(t *testing.T) {
	locktop(t)
	home(t, "")
	var refused atomic.Pointer[map[int64]bool]
	none := map[int64]bool{}
	refused.Store(&none)
	endpoint := member(t, grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if r, ok := req.(*pb.LeaseTimeToLiveRequest); ok && (*refused.Load())[r.ID] {
			return nil, status.Error(codes.PermissionDenied, "etcdserver: permission denied")
		}
		return next(ctx, req)
	}))
	leases := held(t, endpoint, "/l/a", "/l/b")
	both, one := map[int64]bool{int64(leases[0]): true, int64(leases[1]): true}, map[int64]bool{int64(leases[0]): true}
	for _, row := range []struct {
		reason  string
		refused map[int64]bool
		args    []string
		code    int
		leases  int // that are said not to be seen
	}{
		{"nothing is refused", none, nil, exitOK, 0},
		{"all are refused", both, nil, exitBad, 2},
		{"some are refused", one, nil, exitBad, 1},
		{"all are refused for a while", both, []string{"--for", "500ms"}, exitBad, 2},
		{"some are refused for a while", one, []string{"--for", "500ms"}, exitBad, 1},
		{"nothing is refused for a while", none, []string{"--for", "500ms"}, exitOK, 0},
		{"all are refused, and none was asked for", both, []string{"--leases", "none"}, exitOK, 0},
	} {
		refused.Store(&row.refused)
		code, out, errs := program(t, t.TempDir(), patient(append([]string{"doctor", "-o", "json"}, row.args...), endpoint)...)
		var js blindJSON
		if err := json.Unmarshal([]byte(out), &js); err != nil {
			t.Fatalf("%s: %v: %s%s", row.reason, err, out, errs)
		}
		got := 0
		for _, b := range js.Observed.Blind {
			if b.What == "leases" && b.Leases != nil && b.Reason == "no permission" {
				got += *b.Leases
			}
		}
		if code != row.code || got != row.leases || code == exitBad != strings.Contains(errs, "no permission") {
			t.Errorf("%s: exit %d, %d leases not seen, want %d and %d\n%s%s", row.reason, code, got, row.code, row.leases, out, errs)
		}
	}
}

// TestALeaseIsAskedOnce how long it has left and what hangs on it: two requests for each would
// let whoever looks wait twice as long.
func TestALeaseIsAskedOnce(t *testing.T) {
	locktop(t)
	home(t, "")
	var asked sync.Map // how often, by lease
	endpoint := member(t, grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if r, ok := req.(*pb.LeaseTimeToLiveRequest); ok {
			n, _ := asked.LoadOrStore(r.ID, new(atomic.Int32))
			n.(*atomic.Int32).Add(1)
		}
		return next(ctx, req)
	}))
	leases := held(t, endpoint, "/l/a", "/l/a", "/l/a")
	for _, args := range [][]string{{"describe", "/l/a"}, {"ls", "--prefix", "/l/", "--leases", "all"}, {"doctor", "--prefix", "/l/"}} {
		asked.Clear()
		if code, out, errs := program(t, t.TempDir(), patient(args, endpoint)...); code != exitOK {
			t.Fatalf("%v: exit %d\n%s%s", args, code, out, errs)
		}
		for _, id := range leases {
			if n, ok := asked.Load(int64(id)); !ok || n.(*atomic.Int32).Load() != 1 {
				t.Errorf("%v: lease %x was not asked once", args, int64(id))
			}
		}
	}
}

// TestFindingsDoNotHideWhatWasNotSeen: there is an error, and something was not seen. The
// error decides how it ends, and what was not seen is named.
func TestFindingsDoNotHideWhatWasNotSeen(t *testing.T) {
	locktop(t)
	home(t, "")
	endpoint := member(t, grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if _, ok := req.(*pb.LeaseTimeToLiveRequest); ok {
			return nil, status.Error(codes.PermissionDenied, "etcdserver: permission denied")
		}
		return next(ctx, req)
	}))
	if _, err := unbound(t, endpoint).Put(within(t), "/l/setting", ""); err != nil {
		t.Fatal(err)
	}
	held(t, endpoint, "/l", "/m")
	code, out, errs := program(t, t.TempDir(), patient([]string{"doctor"}, endpoint)...)
	if code != exitFailed || !strings.Contains(out, "foreign-key") || !strings.Contains(errs, "lease, for") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// TestALookAtAPrefixThatIsDeniedEnds: beside one that may be read, whichever comes first.
func TestALookAtAPrefixThatIsDeniedEnds(t *testing.T) {
	home(t, "")
	endpoint := guarded(t)
	for _, prefixes := range [][]string{{"/locks/", "/other/"}, {"/a/", "/locks/"}} {
		for _, more := range [][]string{{"ls"}, {"doctor"}, {"doctor", "--for", "1s"}} {
			args := append(more, "--prefix", prefixes[0], "--prefix", prefixes[1], "--user", reader, "--password", secret)
			began := time.Now()
			code, out, errs := program(t, t.TempDir(), patient(args, endpoint)...)
			if code != exitBad || !strings.Contains(errs, "cannot list") {
				t.Errorf("%v %v: exit %d after %s\n%s%s", more, prefixes, code, time.Since(began), out, errs)
			}
		}
	}
}

// TestAnAnswerThatCouldNotBeWrittenIsNone: a full disk behind stdout, and a reader who
// has had enough.
func TestAnAnswerThatCouldNotBeWrittenIsNone(t *testing.T) {
	locktop(t)
	home(t, "")
	endpoint := member(t)
	held(t, endpoint, "/l")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range [][]string{{"ls"}, {"ls", "-o", "json"}, {"ls", "-o", "csv"}, {"describe", "/l"}, {"doctor"}, {"doctor", "-o", "json"}, {"doctor", "--for", "100ms"},
		{"discover"}, {"break", "/l", "--dry-run"}, {"explain"}, {"explain", "ttl-reset"}, {"config"}, {"config", "-o", "json"}, {"version"}, {"man"}, {"drill", "list"},
		{"drill", "list", "-o", "json"}, {"drill", "show", "holder-crash"}, {"drill", "check", "holder-crash"}, {"drill", "schema"}, {"drill", "run", "holder-crash", "--dry-run"}, {"completion", "bash"}, {"--help"}, {"ls", "--help"}, {}} {
		cmd := exec.Command(locktop(t), args...)
		// Not as flags: a command that asks no cluster refuses those.
		cmd.Env = append(os.Environ(), "ETCDCTL_ENDPOINTS="+endpoint, "ETCDCTL_DIAL_TIMEOUT=20s", "ETCDCTL_COMMAND_TIMEOUT=20s")
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &errs
		_ = cmd.Run() // the exit code says it
		said := errs.String()
		if code := cmd.ProcessState.ExitCode(); code != exitBad || strings.Count(said, "could not be written") != 1 || !strings.Contains(said, syscall.ENOSPC.Error()) {
			t.Errorf("%v: exit %d: %s", args, code, said)
		}
	}
	var errs bytes.Buffer
	r, w := io.Pipe()
	r.Close()
	if code := Main([]string{"version"}, strings.NewReader(""), w, &errs); code == exitOK || errs.Len() > 0 {
		t.Errorf("a reader who has had enough is told of it, or that all is well: exit %d: %s", code, errs.String())
	}
}
