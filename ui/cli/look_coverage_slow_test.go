//go:build slow

package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"locktop/demo/cluster"
)

// TestDoctorNeverSaysWellOfWhatItLostSightOf: what happens to the cluster once doctor
// watches, so that all was well when it began.
func TestDoctorNeverSaysWellOfWhatItLostSightOf(t *testing.T) {
	t.Parallel()
	lab := func(t *testing.T, members int) *cluster.Cluster {
		c, err := cluster.Start(within(t), cluster.Options{Members: members, Dir: t.TempDir(), Process: []string{locktop(t), memberCommand}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	for _, row := range []struct {
		reason  string
		members int
		happens func(*cluster.Cluster, string) error // to the member that doctor looks at
		watch   string
		code    int
		want    string
	}{
		{"nothing happens", 1, nil, "1s", exitOK, "No problems on 1 lock (1 claim)"},
		{"its process is killed", 1, (*cluster.Cluster).StopMember, "3s", exitBad, `"/ok/"`},
		{"its process is frozen, and its connections stay open", 1, (*cluster.Cluster).PauseMember, "3s", exitBad, `"/ok/"`},
		{"it is frozen for so long that reads fail, too", 1, (*cluster.Cluster).PauseMember, "9s", exitBad, `"/ok/"`},
		{"it is cut off from the others, and its watch stays open", 3, (*cluster.Cluster).Isolate, "3s", exitBad, `"/ok/"`},
		{"the others end, so that there is no leader", 3, func(c *cluster.Cluster, _ string) error { _, err := c.LoseQuorum(); return err }, "3s", exitBad, `"/ok/"`},
	} {
		t.Run(row.reason, func(t *testing.T) {
			locktop(t)
			c := lab(t, row.members)
			name := c.Names()[0]
			endpoint := strings.TrimPrefix(c.MemberEndpoints()[0], "http://")
			held(t, endpoint, "/ok/lock")
			before := watchers(endpoint)
			cmd := exec.Command(locktop(t), "doctor", "--prefix", "/ok/", "--for", row.watch, "-o", "json", "--endpoints", endpoint)
			table := exec.Command(locktop(t), "doctor", "--prefix", "/ok/", "--for", row.watch, "--endpoints", endpoint)
			var js, out, errs bytes.Buffer
			cmd.Stdout, table.Stdout, table.Stderr = &js, &out, &errs
			start(t, cmd)
			start(t, table)
			if row.happens != nil {
				until(t, "both watch", func() bool { return watchers(endpoint) >= before+2 })
				if err := row.happens(c, name); err != nil {
					t.Fatal(err)
				}
			}
			_, _ = cmd.Process.Wait()
			table.Wait()
			code := table.ProcessState.ExitCode()
			if code != row.code || !strings.Contains(out.String()+errs.String(), row.want) {
				t.Errorf("exit %d, want %d and %q\n%s%s", code, row.code, row.want, out.String(), errs.String())
			}
			if code == exitBad && strings.Contains(out.String(), "No problems on ") {
				t.Errorf("it says well: %s", out.String())
			}
		})
	}
}

// TestWhatTheBudgetLeavesUnreadIsNoFailure: a large cluster, a small budget and little time.
// A finding depends on the readings of contended locks; those of others are a limit, which
// is said.
func TestWhatTheBudgetLeavesUnreadIsNoFailure(t *testing.T) {
	t.Parallel()
	locktop(t)
	var refuse atomic.Bool
	endpoint := member(t, grpc.ChainUnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
		if _, ok := req.(*pb.LeaseTimeToLiveRequest); ok && refuse.Load() {
			return nil, status.Error(codes.PermissionDenied, "etcdserver: permission denied")
		}
		return next(ctx, req)
	}))
	many := func(prefix string) (names []string) {
		for i := range 40 {
			names = append(names, fmt.Sprintf("%s/%d", prefix, i))
		}
		return names
	}
	held(t, endpoint, many("/alone")...)
	held(t, endpoint, append(many("/one"), "/one/0")...) // one of them has a waiter
	held(t, endpoint, append(many("/busy"), many("/busy")...)...)
	const limit = "a second left "
	for _, row := range []struct {
		reason string
		args   []string
		refuse bool
		code   int
		limit  bool // it says that readings are missing
		says   string
	}{
		{"nobody waits for what is unread", []string{"--prefix", "/alone"}, false, exitOK, true, "leases unread; --lease-budget or a longer --for reads them"},
		{"the one that is contended is read first", []string{"--prefix", "/one"}, false, exitOK, true, "No problems on 40 locks"},
		{"contended ones are unread", []string{"--prefix", "/busy", "--command-timeout", "1s"}, false, exitBad, false, "the readings of "},
		{"the budget is enough", []string{"--prefix", "/alone", "--lease-budget", "100"}, false, exitOK, false, "No problems on 40 locks (40 claims)"},
		{"none was asked for", []string{"--prefix", "/alone", "--leases", "none"}, false, exitOK, false, "No problems on 40 locks"},
		{"one was refused", []string{"--prefix", "/alone"}, true, exitBad, true, "no permission"},
		{"one look has no budget", []string{"--prefix", "/busy", "--for", "0"}, false, exitOK, false, "No problems on 40 locks (80 claims)"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			refuse.Store(row.refuse)
			args := append(patient([]string{"doctor", "--lease-budget", "1", "--for", "300ms"}, endpoint), row.args...)
			code, out, errs := program(t, t.TempDir(), args...)
			if code != row.code || strings.Contains(out, limit) != row.limit || !strings.Contains(out+errs, row.says) {
				t.Errorf("exit %d, want %d and %q\n%s%s", code, row.code, row.says, out, errs)
			}
			code, out, errs = program(t, t.TempDir(), append(args, "-o", "json")...)
			var js struct {
				Observed struct {
					Left int `json:"leases_unread"`
				}
			}
			if err := json.Unmarshal([]byte(out), &js); err != nil || code != row.code || js.Observed.Left > 0 != row.limit || strings.Contains(errs, limit) != row.limit {
				t.Errorf("JSON: exit %d, %d leases unread, %v\n%s", code, js.Observed.Left, err, errs)
			}
		})
	}
}

// watchers is how many watches a member has, -1 if it does not say.
func watchers(endpoint string) int {
	r, err := http.Get("http://" + endpoint + "/metrics")
	if err != nil {
		return -1
	}
	defer r.Body.Close()
	metrics, _ := io.ReadAll(r.Body)
	n := -1
	for line := range strings.Lines(string(metrics)) {
		_, _ = fmt.Sscanf(line, "etcd_debugging_mvcc_watcher_total %d", &n)
	}
	return n
}

// TestDoctorCountsTheLeasesThatItCouldNotRead: one look and a longer one, where a member
// refuses to say how long leases have left.
func TestDoctorCountsTheLeasesThatItCouldNotRead(t *testing.T) {
	t.Parallel()
	locktop(t)
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

// TestALookAtAPrefixThatIsDeniedEnds: beside one that may be read, whichever comes first.
func TestALookAtAPrefixThatIsDeniedEnds(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	locktop(t)
	endpoint := member(t)
	held(t, endpoint, "/lock")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range [][]string{{"ls"}, {"ls", "-o", "json"}, {"ls", "-o", "csv"}, {"describe", "/lock"}, {"doctor"}, {"doctor", "-o", "json"}, {"doctor", "--for", "100ms"},
		{"discover"}, {"break", "/lock", "--dry-run"}, {"explain"}, {"explain", "ttl-reset"}, {"config"}, {"config", "-o", "json"}, {"version"}, {"man"}, {"drill", "list"},
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
