package demo

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/demo/contender"
	"locktop/demo/labtest"
	"locktop/demo/process"
	"locktop/model"
	"locktop/model/text"
)

func TestLabQueuesAndHandsOver(t *testing.T) {
	l, f := startLab(t, func(o *Options) {
		o.Members, o.Contenders = 3, 6
		o.Locks = []string{"/t/a", "/t/b=" + contender.RecipeElection}
		o.Hold = 300 * time.Millisecond
	})
	cli := labtest.NewClient(t, l.Endpoints()...)
	for _, lock := range []string{"/t/a", "/t/b"} {
		labtest.Eventually(t, "a queue of three on "+lock, func() bool { return len(labtest.Queue(t, cli, lock)) == 3 })
		first := labtest.Queue(t, cli, lock)[0]
		labtest.Eventually(t, "another holder of "+lock, func() bool {
			q := labtest.Queue(t, cli, lock)
			return len(q) > 0 && q[0] != first
		})
	}
	for i := range 6 {
		f.believes(t, "c"+strconv.Itoa(i+1), model.BeliefHolding)
	}
	direct := labtest.NewClient(t, l.MemberEndpoints()...)
	r, err := direct.MemberList(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, m := range r.Members {
		told = append(told, strings.TrimPrefix(m.ClientURLs[0], "http://"))
	}
	want := slices.Sorted(slices.Values(l.Endpoints()))
	slices.Sort(told)
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("members must tell the proxy's addresses, or an endpoint sync gets around it (-want +got):\n%s", diff)
	}
	certain := func(e model.Event) bool {
		o, ok := e.(model.LeaseOwner)
		return ok && o.Certain && o.Name == "c1" && o.Lease != 0
	}
	labtest.Eventually(t, "the proxy knows a lease of c1", func() bool { return f.has(certain) })
}

func TestHoldKeepalives(t *testing.T) {
	l, f := startLab(t, nil)
	cli := labtest.NewClient(t, l.MemberEndpoints()...)
	who := f.holder(t)
	key := labtest.Queue(t, cli, "/t/a")[0]
	do(t, l, inject(model.FaultHoldKeepalives, who))
	wantRefused(t, l, inject(model.FaultHoldKeepalives, who), "already")
	labtest.Eventually(t, "its key goes", func() bool { return !slices.Contains(labtest.Queue(t, cli, "/t/a"), key) })
	f.believes(t, who, model.BeliefLost)
	f.holder(t, who)
	do(t, l, heal(model.FaultHoldKeepalives, who))
	wantRefused(t, l, heal(model.FaultHoldKeepalives, who), "not active")
	want := []string{"on: hold keepalives of " + who, "off: hold keepalives of " + who + ": healed"}
	labtest.Eventually(t, "both are reported", func() bool { return slices.Equal(f.faults(), want) })
}

func TestStopLetsGoAtOnce(t *testing.T) {
	l, f := startLab(t, func(o *Options) {
		o.TTL = 600 // no lease ends in this test
		o.Locks = []string{"/t/a", "/t/b=" + contender.RecipeElection}
		o.Contenders = 4
	})
	cli := labtest.NewClient(t, l.MemberEndpoints()...)
	for _, lock := range []string{"/t/a", "/t/b"} {
		labtest.Eventually(t, "a queue", func() bool { return len(labtest.Queue(t, cli, lock)) == 2 })
	}
	for i, mod := range []func(string){func(string) {}, func(who string) { do(t, l, pauseOf(who)) }} {
		for _, lock := range []string{"/t/a", "/t/b"} {
			q := labtest.Queue(t, cli, lock)
			if len(q) != 2-i {
				t.Fatalf("%s: %q", lock, q)
			}
			who := owner(t, f, q[0])
			mod(who)
			do(t, l, inject(model.FaultStop, who))
			if how := f.ended(t, who); how != "stopped" {
				t.Errorf("%s ended: %q", who, how)
			}
			labtest.Eventually(t, "its key goes", func() bool { return !slices.Contains(labtest.Queue(t, cli, lock), q[0]) })
		}
	}
	wantRefused(t, l, inject(model.FaultKill, "c1"), "no contender runs")
}

// owner is the contender that spoke of that key.
func owner(t *testing.T, f *feed, key string) (name string) {
	t.Helper()
	labtest.Eventually(t, "somebody speaks of "+key, func() bool {
		return f.has(func(e model.Event) bool {
			b, ok := e.(model.Belief)
			if ok && b.Key == key {
				name = b.Contender
				return true
			}
			return false
		})
	})
	return name
}

func TestSpawn(t *testing.T) {
	l, f := startLab(t, func(o *Options) { o.Contenders = -1 })
	if err := l.Available(pauseOf("c1")); err == nil {
		t.Error("there is nobody to pause")
	}
	wantRefused(t, l, model.Action{Kind: model.SpawnProc, Lock: "/t/new"}, "mutex or election")
	got := do(t, l, model.Action{Kind: model.SpawnProc, Lock: "/t/a"})
	if !strings.HasPrefix(got, "c1, pid ") {
		t.Errorf("detail %q", got)
	}
	do(t, l, model.Action{Kind: model.SpawnProc, Lock: "/t/new", Recipe: contender.RecipeElection})
	do(t, l, model.Action{Kind: model.SpawnProc, Lock: "/t/new"})
	f.believes(t, "c1", model.BeliefHolding)
	f.believes(t, "c2", model.BeliefWaiting)
	f.believes(t, "c3", model.BeliefWaiting)
	wantRefused(t, l, pauseOf("c4"), "those that run are c1, c2, c3")
	wantRefused(t, l, pauseOf(""), "needs a contender")
	if err := l.Available(model.Action{Kind: model.RevokeLease}); err == nil {
		t.Error("a revoke is not the lab's to do")
	}
	if got := do(t, l, model.Action{Kind: model.HealAll}); got != "no fault was in force" {
		t.Errorf("healed: %q", got)
	}
}

func TestCloseWithPausedContenders(t *testing.T) {
	l, f := startLab(t, func(o *Options) { o.Members, o.Contenders = 3, 3 })
	f.holder(t)
	do(t, l, pauseOf("c1"))
	do(t, l, pauseOf("c3"))
	eps := append(l.Endpoints(), l.MemberEndpoints()...)
	begun := time.Now()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("a lab of 3 members and 3 contenders, 2 of them paused: closed in %v", time.Since(begun).Round(time.Millisecond))
	labtest.WantFree(t, eps...)
	wantRefused(t, l, pauseOf("c2"), "closed")
	if err := l.Available(model.Action{Kind: model.HealAll}); !errors.Is(err, ErrClosed) {
		t.Errorf("available after the end: %v", err)
	}
}

func TestStubbornContenders(t *testing.T) {
	// Neither SIGTERM nor the end of its input impresses it, and it has children
	// that hold its output open.
	l, f := startLab(t, func(o *Options) {
		o.Self = []string{"sh", "-c", `trap "" TERM; echo not JSON; while :; do sleep 30; done`}
	})
	labtest.Eventually(t, "both ignore SIGTERM by now", func() bool {
		log, err := os.ReadFile(l.procLog.Name())
		return err == nil && bytes.Count(log, []byte("\n")) == 2
	})
	begun := time.Now()
	do(t, l, inject(model.FaultStop, "c1"))
	if how := f.ended(t, "c1"); how != "killed" {
		t.Errorf("it ended: %q", how)
	}
	if took := time.Since(begun); took < stopWithin {
		t.Errorf("it was killed after %v", took)
	}
	begun = time.Now()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	t.Logf("a lab with a contender that has to be killed: closed in %v", time.Since(begun).Round(time.Millisecond))
}

// TestTheLastLine of a program is its last word, whether it ended it or not.
func TestTheLastLine(t *testing.T) {
	var got []string
	w := &process.Lines{Each: func(line []byte) { got = append(got, string(line)) }}
	w.Write([]byte("one\ntwo"))
	w.End()
	w.End()
	if want := []string{"one", "two"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLines(t *testing.T) {
	var got []string
	w := &process.Lines{Each: func(line []byte) { got = append(got, string(line)) }}
	long := strings.Repeat("x", 3*process.MaxLine)
	for _, s := range []string{"a", "b\nc\n", "\nd", long, "\n", long + "\ne\nrest"} {
		if n, err := w.Write([]byte(s)); n != len(s) || err != nil {
			t.Fatalf("%d, %v", n, err)
		}
	}
	want := []string{"ab", "c", "", "d" + long[:process.MaxLine-1], long[:process.MaxLine], "e"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestCancelledStartLeavesNothing(t *testing.T) {
	for _, tt := range []struct{ at, reason string }{
		{"starting 3 etcd members", "before anything runs"},
		{"waiting for", "members run without a leader"},
		{"starting 2 contenders", "the cluster is there"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			temp := ownTemp(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			_, err := Start(ctx, Options{Contenders: 2, Self: self(), Progress: func(m model.Message) {
				if strings.HasPrefix(text.English(m), tt.at) {
					cancel()
				}
			}})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			wantEmpty(t, temp)
		})
	}
}

func TestStartFailsInWords(t *testing.T) {
	temp := ownTemp(t)
	taken, err := process.Listen()
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	tests := []struct {
		o            Options
		word, reason string
	}{
		{Options{Port: port, Self: self()}, "port " + strconv.Itoa(port), "the first port is in use"},
		{Options{Port: port - 2, Self: self()}, "port " + strconv.Itoa(port), "one of the ports after it is in use"},
		{Options{Port: 65535, Self: self()}, "65533", "not enough ports are left"},
		{Options{Members: 2, Self: self()}, "1, 3 or 5", "an even cluster"},
		{Options{Contenders: 65, Self: self()}, "at most 64", "too many"},
		{Options{}, "command line", "nothing to run"},
		{Options{Members: 1, Self: []string{"/does/not/exist"}}, "/does/not/exist", "no such program"},
		{Options{Members: 1, Self: self(), Locks: []string{"/a/"}}, "/a/", "a name that would never match"},
	}
	for _, tt := range tests {
		_, err := Start(t.Context(), tt.o)
		if err == nil || !strings.Contains(err.Error(), tt.word) {
			t.Errorf("%s: error %v, want %q in it", tt.reason, err, tt.word)
		}
		wantEmpty(t, temp)
	}
}

func TestDeadLabIsSweptAndLivingOneIsNot(t *testing.T) {
	temp := ownTemp(t)
	cmd := exec.Command(os.Args[0], asLabOwner)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	dead := strings.TrimSpace(line)
	procs := readRecord((&labDir{path: dead}).file(pidsName))
	if len(procs) != 3 { // two contenders and a member
		t.Fatalf("recorded: %v", procs)
	}

	living, f := startLab(t, nil) // in a place of its own
	t.Setenv("TMPDIR", temp)
	if swept := sweep(time.Now()); len(swept) != 0 || !exists(dead) {
		t.Fatalf("a living lab was swept: %v", swept)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if !exists(dead) {
		t.Fatal("a killed lab cannot have cleaned up")
	}
	var said []string
	l, err := Start(t.Context(), Options{Members: 1, Contenders: 1, Self: self(),
		Progress: func(m model.Message) { said = append(said, text.English(m)) }})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if exists(dead) || !strings.Contains(said[0], dead) {
		t.Errorf("%s is still there, or was not spoken of: %q", dead, said)
	}
	for _, p := range procs {
		if start, err := process.StartTime(p.pid); err == nil && start == p.start {
			t.Errorf("%s of the dead lab still runs", p.name)
		}
	}
	f.holder(t)
	if !exists(living.Dir()) || living.Dir() == l.Dir() {
		t.Errorf("labs in %s and %s", living.Dir(), l.Dir())
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	wantEmpty(t, temp)
}
