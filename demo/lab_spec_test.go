package demo

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"locktop/chaos/drill"
	"locktop/demo/cluster"
	"locktop/demo/contender"
	"locktop/demo/labtest"
	"locktop/model"
)

func tellIt(who, word string) model.Action {
	return model.Action{Kind: model.TellProc, Contender: who, Word: word}
}

func spawnIt(who string) model.Action { return model.Action{Kind: model.SpawnProc, Contender: who} }

// says waits until that contender says that of that lock after the first n events.
func (f *feed) says(t *testing.T, n int, who, lock string, s model.BeliefState) {
	t.Helper()
	labtest.Eventually(t, who+" believes "+string(s)+" of "+lock, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return slices.ContainsFunc(f.all[n:], func(e model.Event) bool {
			b, ok := e.(model.Belief)
			return ok && b.Contender == who && b.Lock == lock && b.State == s
		})
	})
}

func (f *feed) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.all)
}

func TestLabOfADrill(t *testing.T) {
	l, f := startLab(t, func(o *Options) {
		o.Contenders, o.Locks, o.Held = 7, []string{"/not/used"}, true
		o.Spec = &drill.Lab{Members: 3, Fence: drill.FenceAll, Contenders: []drill.Contender{
			{Name: "told", Locks: []string{"x", "y"}, TTL: 1500 * time.Millisecond, Manual: true},
			{Name: "pinned", Locks: []string{"/t/pinned"}, Recipe: contender.RecipeElection, Hold: time.Hour, Member: "m2"},
			{Name: "late.one", Locks: []string{"/t/late"}, Hold: time.Hour, Later: true},
			{Name: "w", Locks: []string{"/t/w"}, TTL: 3 * time.Second, Hold: time.Hour, Workers: 2},
			{Name: "two", Count: 2, Locks: []string{"/t/two"}, Hold: 50 * time.Millisecond, Guarded: true},
		}}
	})
	if got := l.Contenders(); len(got) > 0 {
		t.Errorf("%v are there before they are let begin", got)
	}
	for range 2 { // the second time there is nothing to do
		if err := l.Begin(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"told", "pinned", "w", "two1", "two2"}, l.Contenders()); diff != "" {
			t.Errorf("contenders (-want +got):\n%s", diff)
		}
	}

	t.Run("told", func(t *testing.T) {
		f.says(t, 0, "told", "x", model.BeliefIdle)
		do(t, l, tellIt("told", "lock"))
		f.says(t, 0, "told", "x", model.BeliefHolding)
		n := f.count()
		do(t, l, tellIt("told", "unlock"))
		f.says(t, n, "told", "x", model.BeliefIdle)
		wantRefused(t, l, tellIt("told", "a song"), "want one of")
		wantRefused(t, l, tellIt("w", "lock"), "only a manual contender")
		wantRefused(t, l, tellIt("late.one", "lock"), "was not started yet")
	})
	t.Run("pinned", func(t *testing.T) {
		f.believes(t, "pinned", model.BeliefHolding)
		for _, member := range members(f, "pinned") {
			if member != l.MemberEndpoints()[1] {
				t.Errorf("it talks to %s", member)
			}
		}
		if len(members(f, "pinned")) == 0 {
			t.Error("nothing was seen of it")
		}
	})
	t.Run("later", func(t *testing.T) {
		wantRefused(t, l, pauseOf("late.one"), "was not started yet")
		first := model.Fault{Kind: model.FaultHold, Target: "late.one", Method: "Lease/LeaseGrant"} // its first request meets that
		do(t, l, model.Action{Kind: model.InjectFault, Fault: first})
		if got := do(t, l, spawnIt("late.one")); !strings.HasPrefix(got, "pid ") {
			t.Errorf("detail %q", got)
		}
		wantRefused(t, l, spawnIt("late.one"), "runs already")
		labtest.Eventually(t, "its connection has come", func() bool {
			return f.has(func(e model.Event) bool {
				c, ok := e.(model.Connected)
				return ok && c.Name == "late.one"
			})
		})
		if f.has(func(e model.Event) bool {
			b, ok := e.(model.Belief)
			return ok && b.Contender == "late.one" && b.State == model.BeliefHolding
		}) {
			t.Error("it holds, and nothing of it can have come to etcd")
		}
		do(t, l, model.Action{Kind: model.HealFault, Fault: first})
		f.believes(t, "late.one", model.BeliefHolding)
		do(t, l, inject(model.FaultStop, "late.one"))
		f.ended(t, "late.one")
		labtest.Eventually(t, "its name is free", func() bool { return l.Available(spawnIt("late.one")) == nil })
		n := f.count()
		do(t, l, spawnIt("late.one"))
		f.says(t, n, "late.one", "/t/late", model.BeliefHolding)
	})
	t.Run("workers", func(t *testing.T) {
		who := f.holderAmong(t, "w.1", "w.2")
		pid := 0
		labtest.Eventually(t, "the worker has a process", func() bool {
			return f.has(func(e model.Event) bool {
				c, ok := e.(model.Contender)
				if ok && c.Name == who {
					pid = c.PID
				}
				return pid != 0
			})
		})
		if pid != l.supervisor.procs["w"].PID() {
			t.Errorf("%s has pid %d", who, pid)
		}
		wantRefused(t, l, inject(model.FaultRevoke, "w"), "say one of its workers")
		do(t, l, pauseOf(who))
		wantRefused(t, l, pauseOf("w"), "active already")
		f.wantFaults(t, "on: hold requests of Lease/LeaseGrant of late.one", "off: hold requests of Lease/LeaseGrant of late.one: healed", "on: pause w")
		do(t, l, heal(model.FaultPause, who))
		do(t, l, inject(model.FaultRevoke, who))
		f.believes(t, who, model.BeliefLost)
	})
	t.Run("guarded", func(t *testing.T) {
		labtest.Eventually(t, "both write", func() bool {
			return written(f, "two1") && written(f, "two2")
		})
	})
	do(t, l, model.Action{Kind: model.SpawnProc, Lock: "/t/two"})
	f.believes(t, "c1", model.BeliefWaiting)
}

// members are where the proxy saw a contender renew or be granted a lease.
func members(f *feed, who string) []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var addrs []string
	for _, e := range f.all {
		if o, ok := e.(model.LeaseOwner); ok && o.Name == who && !slices.Contains(addrs, o.Member) {
			addrs = append(addrs, o.Member)
		}
	}
	return addrs
}

// holderAmong waits until one of these believes that it holds.
func (f *feed) holderAmong(t *testing.T, names ...string) (who string) {
	t.Helper()
	labtest.Eventually(t, "one of them holds", func() bool {
		return f.has(func(e model.Event) bool {
			b, ok := e.(model.Belief)
			if ok && b.State == model.BeliefHolding && slices.Contains(names, b.Contender) {
				who = b.Contender
			}
			return who != ""
		})
	})
	return who
}

// written says whether the resource took a write of that contender.
func written(f *feed, who string) bool {
	return f.has(func(e model.Event) bool {
		a, ok := e.(model.Access)
		return ok && a.Contender == who && a.Write && a.Accepted
	})
}

func TestDrillsThatCannotStart(t *testing.T) {
	ownTemp(t)
	contender := func(c drill.Contender) Options {
		if c.Locks == nil {
			c.Locks = []string{"/t/a"}
		}
		return Options{Self: self(), Spec: &drill.Lab{Members: 1, Contenders: []drill.Contender{{Name: "a", Locks: []string{"/t/a"}}, c}}}
	}
	tests := []struct {
		o            Options
		word, reason string
	}{
		{contender(drill.Contender{Name: "a"}), "taken", "two of one name"},
		{contender(drill.Contender{Name: "all"}), "taken", "it means every client"},
		{contender(drill.Contender{Name: "a b"}), "a-z", "a name that would need quotes"},
		{contender(drill.Contender{Name: "b", Member: "m2"}), "no member m2", "pinned to nobody"},
		{contender(drill.Contender{Name: "b", Count: 64}), "at most 64", "too many"},
		{contender(drill.Contender{Name: "b", Recipe: "none"}), "none", "no such recipe"},
		{Options{Self: self(), Spec: &drill.Lab{Processes: true}}, "members that are processes", "nothing to run"},
		{Options{Endpoints: []string{"ftp://x"}}, "ftp://x", "no endpoint of etcd"},
		{Options{ExternalProgram: ExternalProgram{Command: []string{"/does/not/exist"}}, Members: 1}, "/does/not/exist", "no such program"},
	}
	for _, tt := range tests {
		l, err := Start(t.Context(), tt.o)
		if err == nil {
			t.Errorf("%s: it started", tt.reason)
			l.Close()
		} else if !strings.Contains(err.Error(), tt.word) {
			t.Errorf("%s: error %v, want %q in it", tt.reason, err, tt.word)
		}
	}
}

func TestCommandName(t *testing.T) {
	for path, want := range map[string]string{"/usr/bin/etcdctl": "etcdctl", "./My Program": "my-program", "_x": "x",
		"/": "command", "all": "command", "你好": "command"} {
		if got := commandName(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// output is what a program printed.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(data)
}

func (o *output) has(s string) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Contains(o.b.String(), s)
}

func TestProgramOfTheUserOnAClusterThatIsNotOurs(t *testing.T) {
	cluster, err := cluster.Start(t.Context(), cluster.Options{Members: 3, Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	t.Setenv("OF_THE_USER", "me")
	t.Setenv("ETCDCTL_ENDPOINTS", "nowhere:1")
	var out output
	l, f := startLab(t, func(o *Options) {
		*o = Options{Endpoints: []string{"http://" + cluster.MemberEndpoints()[0], cluster.MemberEndpoints()[1],
			cluster.MemberEndpoints()[2]}, ExternalProgram: ExternalProgram{Command: []string{os.Args[0], asProgram, "/t/program"}, Output: &out}}
	})
	name := commandName(filepath.Base(os.Args[0]))
	if diff := cmp.Diff([]string{name}, l.Contenders()); diff != "" {
		t.Errorf("contenders (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(cluster.MemberEndpoints(), l.MemberEndpoints()); diff != "" {
		t.Errorf("endpoints (-want +got):\n%s", diff)
	}
	want := labtest.LeaderOf(t, cluster)
	if got := leader(t, l); got != want {
		t.Errorf("leader %s, want %s", got, want)
	}
	wrote := func(e model.Event) bool {
		w, ok := e.(model.Wrote)
		return ok && w.Certain && w.Name == name && w.Key == "/t/program" && w.Rev > 0
	}
	labtest.Eventually(t, "the proxy sees it write", func() bool { return f.has(wrote) })
	if !out.has("would use http://127.0.0.1:") || !out.has(" for me\n") {
		t.Errorf("it printed %q", out.b.String())
	}
	wantRefused(t, l, inject(model.FaultStopMember, "m1"), "not ours")
	wantRefused(t, l, injectIt(model.Fault{Kind: model.FaultCompact}), "not ours")
	wantRefused(t, l, inject(model.FaultPut, "/t/x"), "not ours")
	wantRefused(t, l, model.Action{Kind: model.SpawnProc, Lock: "/t/x"}, "no program")
	wantRefused(t, l, inject(model.FaultRevoke, name), "not ours")

	do(t, l, inject(model.FaultFreeze, name))
	labtest.Eventually(t, "it notices", func() bool { return out.has("failed:") })
	do(t, l, inject(model.FaultPause, name))
	do(t, l, healEverything)
	do(t, l, inject(model.FaultStop, name))
	f.ended(t, name)
	f.wantFaults(t, "on: freeze "+name, "on: pause "+name, "off: pause "+name+": healed", "off: freeze "+name+": healed")
	do(t, l, spawnIt(name))
	do(t, l, inject(model.FaultPause, name)) // as it is when the lab ends
}

// leader waits until there is one.
func leader(t *testing.T, l *Lab) (name string) {
	t.Helper()
	labtest.Eventually(t, "a leader", func() bool {
		var err error
		name, err = l.Leader(t.Context())
		return err == nil
	})
	return name
}

func injectIt(f model.Fault) model.Action { return model.Action{Kind: model.InjectFault, Fault: f} }

var healEverything = model.Action{Kind: model.HealAll}
