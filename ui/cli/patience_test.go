package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"

	"locktop/watcher/hostile"
)

// TestOneDeniedPrefixHidesNoOther: what may be seen is shown, what is denied is named, and
// the exit code is 2, unless there are errors among what is seen.
func TestOneDeniedPrefixHidesNoOther(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	s := hostile.Start(t, "127.0.0.1:0")
	s.Become(0xaa, 10, hostile.Key("/l/a", 0xa1, 5))
	for endpoints, says := range map[string]string{s.Addr: "", s.Addr + ",127.0.0.1:1": "127.0.0.1:1 did not answer when asked for its status: no connection"} {
		code, out, errs := ranTo(t, "doctor", "--prefix", "/l/", "--endpoints", endpoints)
		if code != exitOK || !strings.Contains(out, "No problems on 1 lock") || !strings.HasPrefix(errs, says) || (says == "") != (errs == "") {
			t.Errorf("%s: exit %d: %s%s", endpoints, code, out, errs)
		}
	}
}
