package demo

import (
	"bytes"
	"context"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
)

func TestContenderArgsRoundTrip(t *testing.T) {
	stdin := strings.NewReader("")
	want := ContenderOptions{Name: "c1", Lock: "-x=/y", Recipe: RecipeElection, Endpoints: []string{"a:1", "b:2"},
		TTL: 7, Hold: 1500 * time.Millisecond, Think: time.Second, Seed: 1<<64 - 1, EndWith: stdin}
	got, err := parseContenderArgs(want.Args(), stdin)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b io.Reader) bool { return a == b })); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := parseContenderArgs([]string{"--name=x"}, stdin); err == nil {
		t.Error("no lock was accepted")
	}
}

func TestContenderRefuses(t *testing.T) {
	good := ContenderOptions{Name: "c", Lock: "/l", Recipe: RecipeMutex, Endpoints: []string{"127.0.0.1:1"}, TTL: 1}
	tests := []struct {
		mod    func(*ContenderOptions)
		reason string
	}{
		{func(o *ContenderOptions) { o.Name = "" }, "nobody could tell it from others"},
		{func(o *ContenderOptions) { o.Lock = "" }, "no lock"},
		{func(o *ContenderOptions) { o.Lock = "/l/" }, "its keys would have two slashes"},
		{func(o *ContenderOptions) { o.Recipe = "rwmutex" }, "not one of the two"},
		{func(o *ContenderOptions) { o.Endpoints = nil }, "nowhere to go"},
		{func(o *ContenderOptions) { o.TTL = 0 }, "the client would take 60 s instead"},
		{func(o *ContenderOptions) { o.Hold = -1 }, "no time runs backwards"},
	}
	for _, tt := range tests {
		o := good
		tt.mod(&o)
		if err := RunContender(t.Context(), o, io.Discard); err == nil {
			t.Errorf("%s: accepted", tt.reason)
		}
	}
}

func TestDecodeBelief(t *testing.T) {
	good := `{"at":"2026-01-02T03:04:05Z","contender":"c1","pid":7,"state":"holding","lock":"/l","key":"/l/1f","lease":"1f"}`
	b, pid, err := DecodeBelief([]byte(good))
	if err != nil {
		t.Fatal(err)
	}
	want := model.Belief{At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Contender: "c1", Lock: "/l",
		State: model.BeliefHolding, Key: "/l/1f", Lease: 0x1f}
	if diff := cmp.Diff(want, b); diff != "" || pid != 7 {
		t.Errorf("pid %d, -want +got:\n%s", pid, diff)
	}
	bad := []struct{ line, reason string }{
		{"panic: runtime error", "no JSON"},
		{"{}", "says nothing"},
		{strings.Replace(good, "holding", "confused", 1), "a state that nobody knows"},
		{strings.Replace(good, `"lease":"1f"`, `"lease":"xyz"`, 1), "a lease that is no number"},
		{strings.Replace(good, `"pid":7`, `"pid":-7`, 1), "a signal to it would go to a group"},
		{strings.Replace(good, `"c1"`, `""`, 1), "nobody"},
	}
	for _, tt := range bad {
		if _, _, err := DecodeBelief([]byte(tt.line)); err == nil {
			t.Errorf("%s: %s was accepted", tt.reason, tt.line)
		}
	}
}

// process starts a contender by itself, connected to endpoint, and returns its
// standard input and the lines that it prints.
func process(t *testing.T, endpoint string) (*exec.Cmd, io.Closer, func() model.Belief) {
	t.Helper()
	o := ContenderOptions{Name: "c", Lock: "/l", Recipe: RecipeMutex, Endpoints: []string{endpoint},
		TTL: 60, Hold: time.Hour, EndWith: &bytes.Buffer{}}
	args := append(self(), o.Args()...)
	cmd := exec.Command(args[0], args[1:]...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := newLineReader(out)
	return cmd, in, func() model.Belief {
		t.Helper()
		b, _, err := DecodeBelief(lines())
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
}

func TestContenderEndsWithStdinAndLetsGo(t *testing.T) {
	c, err := StartCluster(t.Context(), ClusterOptions{Members: 1, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	cmd, in, next := process(t, c.MemberEndpoints()[0])
	for next().State != model.BeliefHolding {
	}
	cli := newClient(t, c.MemberEndpoints()...)
	if q := queue(t, cli, "/l"); len(q) != 1 {
		t.Fatalf("keys %q", q)
	}
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if q := queue(t, cli, "/l"); len(q) != 0 {
		t.Errorf("left behind: %q", q)
	}
	leases, err := cli.Leases(t.Context())
	if err != nil || len(leases.Leases) != 0 {
		t.Errorf("left behind: %v (%v)", leases, err)
	}
}

func TestContenderWithoutEtcd(t *testing.T) {
	addrs, err := freeAddrs(1)
	if err != nil {
		t.Fatal(err)
	}
	cmd, _, next := process(t, addrs[0])
	b := next()
	for b.Text == "" {
		b = next()
	}
	if b.State != model.BeliefIdle || !strings.Contains(b.Text, addrs[0]) {
		t.Errorf("%+v does not say what failed", b)
	}
	begun := time.Now()
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if took := time.Since(begun); took > leaveWithin+2*time.Second {
		t.Errorf("it took %v to end", took)
	}
}

func TestSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		if !sleep(t.Context(), nil, time.Second) || time.Since(begun) != time.Second {
			t.Error("it must last")
		}
		done := make(chan struct{})
		close(done)
		ctx, cancel := context.WithCancel(t.Context())
		if sleep(ctx, done, time.Second) {
			t.Error("done cuts it short")
		}
		cancel()
		if sleep(ctx, nil, time.Second) {
			t.Error("so does the context")
		}
	})
}
