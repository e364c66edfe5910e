package cli

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

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
	leases := held(t, endpoint, "/lock/a", "/lock/a", "/lock/a")
	for _, args := range [][]string{{"describe", "/lock/a"}, {"ls", "--prefix", "/lock/", "--leases", "all"}, {"doctor", "--prefix", "/lock/"}} {
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

// TestWhatIsObservedIsReadAtLast: the leases of a group, which is no lock, are read by nobody meanwhile.
func TestWhatIsObservedIsReadAtLast(t *testing.T) {
	locktop(t)
	home(t, "")
	endpoint := member(t)
	c := unbound(t, endpoint)
	l, err := c.Grant(within(t), 600)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"/nodes/10.0.0.1:80", "/nodes/10.0.0.2:80"} {
		if _, err := c.Put(within(t), key, "up", clientv3.WithLease(l.ID)); err != nil {
			t.Fatal(err)
		}
	}
	held(t, endpoint, "/locks/a")
	for _, args := range [][]string{{"ls", "--for", "200ms"}, {"ls"}} {
		code, out, errs := program(t, t.TempDir(), patient(args, endpoint)...)
		if code != exitOK || strings.Contains(out, "not read") || strings.Count(out, "/600s") != 2 {
			t.Errorf("%v: exit %d, want a reading of both rows\n%s%s", args, code, out, errs)
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
	if _, err := unbound(t, endpoint).Put(within(t), "/lock/setting", ""); err != nil {
		t.Fatal(err)
	}
	held(t, endpoint, "/lock", "/m")
	code, out, errs := program(t, t.TempDir(), patient([]string{"doctor"}, endpoint)...)
	if code != exitFailed || !strings.Contains(out, "foreign-key") || !strings.Contains(errs, "lease, for") {
		t.Errorf("exit %d\n%s%s", code, out, errs)
	}
}

// TestABudgetIsAdvisedWhereItHelps: where the readings took less than it allows, something else held them up.
func TestABudgetIsAdvisedWhereItHelps(t *testing.T) {
	for _, row := range []struct {
		reason string
		not    unseen
		past   bool
		want   string
	}{
		{"all was read", unseen{}, false, ""},
		{"the budget was spent", unseen{unread: 30, spent: true}, false, "the budget of 20 readings a second left 30 leases unread; --lease-budget or a longer --for reads them"},
		{"it was not: etcd answers late", unseen{unread: 30}, false, "30 leases had no reading in time, though the budget allowed more; a longer --for may read them"},
		{"in a recording nothing is read any more", unseen{unread: 30, spent: true}, true, "by then 30 leases had no reading yet; nobody waits for what hangs on them"},
	} {
		if got := row.not.limits(20, row.past); got != row.want {
			t.Errorf("%s: %q, want %q", row.reason, got, row.want)
		}
	}
}
