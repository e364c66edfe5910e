//go:build slow

package watcher

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/types"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos"
	"locktop/demo/etcdtest"
	"locktop/model"
	"locktop/model/journal"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/watcher/pace"
)

var (
	faultServer = flag.String("server", "3.7", "the release of etcd that faults happen to: 3.4, 3.5, 3.6 or 3.7")
	faultHold   = flag.Duration("hold", 10*time.Second, "how long a fault lasts with -update")
)

// fault is something that happens to a cluster while it is watched.
type fault struct {
	name string
	// client is how the watcher is connected; a nil one gets all of the members.
	client func(*arena) clientv3.Config
	inject func(*arena)
	heal   func(*arena) // nil: there is nothing to heal
	// writable says that others can write meanwhile.
	writable bool
	// lost and says are what the watch is lost with; nothing if it stays live.
	lost model.LostReason
	says string
	// maybe says that the watch may stay live, if it is on another member.
	maybe bool
	shows func(*arena, *store.Store) bool // what else is seen meanwhile, if anything
	lists int                             // that the return costs
	least time.Duration                   // that it lasts with -update
	note  string                          // for the person who reads the table
}

// arena is the cluster on which faults happen.
type arena struct {
	t     testing.TB
	trio  *trio // or one member:
	node  *process
	addr  string
	wire  *cable // between the watcher and the member
	ca    *authority
	root  *clientv3.Client
	key   string // of the holder
	lease clientv3.LeaseID
	n     int
	slow  int // the member that lags
}

// result is what a fault has done.
type result struct {
	fault
	lasts       time.Duration
	shown       string // the state of the feed when the fault has lasted
	detail      string
	after       time.Duration // until it was lost
	age         time.Duration // of what is shown at the end of the fault
	rate        float64       // requests a second while it lasts
	back        time.Duration // from the end of the fault to the truth
	cost        int           // requests of that
	costs       string
	lists, gaps int
}

// run injects the fault, lets it last and heals it.
func (f fault) run(a *arena) (r result) {
	t, count := a.t, &tally{}
	r.fault = f
	cfg := clientv3.Config{}
	if f.client != nil {
		cfg = f.client(a)
	} else {
		cfg.Endpoints = a.trio.addrs[:]
	}
	cfg.DialOptions = append(chaos.ReadOnly(), count.options()...)
	timing := quick
	// A slow machine must not look like a silent member.
	timing.Call, timing.Answer, timing.Silence = 500*time.Millisecond, 500*time.Millisecond, 2*time.Second
	r.lasts = 400 * time.Millisecond
	if *updateFaults {
		timing, r.lasts = Timing{}, max(*faultHold, f.least)
	}
	a.take(t)
	proc := a.node
	if proc == nil {
		proc = a.trio.nodes[0]
	}
	s := see(t, proc.connect(cfg), Options{Prefixes: []string{"/q/"}, Timing: timing})
	defer s.close()
	s.until("the holder", func(st *store.Store) bool { return s.proven("/q/") && holds(st, a.key) })
	was := a.key

	before, began := count.copy(), time.Now()
	f.inject(a)
	if f.says != "" && !f.maybe {
		r.after = s.until("a loss", func(st *store.Store) bool { return !live(st, "/q/") })
	}
	if f.writable && f.heal != nil {
		a.take(t)
	}
	<-time.After(r.lasts)
	s.until("the last good state", func(st *store.Store) bool {
		feed := feedOf(st, "/q/")
		r.shown, r.detail, r.age = string(feed.State), text.English(feed.Detail), time.Since(feed.SeenAt)
		if feed.State == locks.Lost {
			r.shown += ": " + feed.Reason.String()
		}
		return (holds(st, was) || holds(st, a.key)) && (f.shows == nil || f.shows(a, st))
	})
	n, _ := count.since(before)
	r.rate = float64(n) / time.Since(began).Seconds()

	before, began = count.copy(), time.Now()
	if f.heal != nil {
		f.heal(a)
	} else {
		a.take(t)
	}
	s.until("the truth", func(st *store.Store) bool { return live(st, "/q/") && holds(st, a.key) })
	r.back = time.Since(began)
	r.cost, r.costs = count.since(before)
	s.close()
	r.judge(a, s)
	return r
}

// take gives the lock to another.
func (a *arena) take(t testing.TB) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), deadline)
	defer cancel()
	a.n++
	var err error
	for a.lease == 0 && ctx.Err() == nil {
		if l, err := a.root.Grant(ctx, 3600); err == nil {
			a.lease = l.ID
		}
	}
	next := fmt.Sprintf("/q/lock%d/%x", a.n, int64(a.lease))
	for ctx.Err() == nil {
		if err = a.write(ctx, next); err == nil {
			a.key = next
			return
		}
		a.root.ActiveConnection().ResetConnectBackoff()
		pace.Sleep(ctx, 50*time.Millisecond, nil)
	}
	t.Fatalf("nobody can write: %v", err)
}

func (a *arena) write(ctx context.Context, key string) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second) // the next try goes to another member
	defer cancel()
	return second(a.root.Txn(ctx).Then(clientv3.OpDelete(cmp.Or(a.key, "/q/none")), clientv3.OpPut(key, "", clientv3.WithLease(a.lease))).Commit())
}

// judge compares what was told with what happened.
func (r *result) judge(a *arena, s *seen) {
	reasons, details := map[model.LostReason]bool{}, ""
	for _, ev := range s.events {
		switch e := ev.(type) {
		case model.Loaded:
			r.lists++
		case model.Lost:
			reasons[e.Reason] = true
			details += text.English(e.Detail) + "\n"
			if r.detail == "" {
				r.detail = text.English(e.Detail)
			}
		}
	}
	r.lists--
	for _, f := range s.state.Journal() {
		if f.Kind == journal.Gap {
			r.gaps++
		}
	}
	switch {
	case r.says == "" && details != "":
		a.t.Errorf("lost: %s", details)
	case r.maybe && details == "":
	case r.says != "" && !reasons[r.lost]:
		a.t.Errorf("it was not lost as %s: %s", r.lost, details)
	case !strings.Contains(details, r.says):
		a.t.Errorf("it says %q, want %q", details, r.says)
	}
	if r.lists != r.fault.lists {
		a.t.Errorf("%d lists, want %d; %s", r.lists, r.fault.lists, s.words())
	}
	if r.lists > 0 && r.gaps == 0 {
		a.t.Error("no gap in the journal")
	}
}

func (r result) row() string {
	after := "-"
	if r.after > 0 {
		after = seconds(r.after)
	}
	return fmt.Sprintf("| %s | %v | %s | %s | %s | %.1f | %s | %d: %s | %d | %s |", r.name, r.lasts, r.shown, after, seconds(r.age),
		r.rate, seconds(r.back), r.cost, r.costs, r.lists, r.note)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// TestFaults lets every fault happen to real processes and measures what the watcher
// makes of it.
//
//	go test -tags slow ./watcher -run TestFaults -update
func TestFaults(t *testing.T) {
	var mu sync.Mutex
	results := map[string][]result{}
	t.Run("all", func(t *testing.T) {
		for _, group := range faultGroups {
			t.Run(group.name, func(t *testing.T) {
				t.Parallel() // they mostly wait
				a := group.arena(t)
				for _, f := range group.faults {
					t.Run(f.name, func(t *testing.T) {
						a.t = t
						r := f.run(a)
						t.Log(r.row(), r.detail)
						mu.Lock()
						defer mu.Unlock()
						results[group.name] = append(results[group.name], r)
					})
				}
				a.t = t
			})
		}
	})
	if !*updateFaults || t.Failed() {
		return
	}
	for _, group := range faultGroups {
		if len(results[group.name]) < len(group.faults) {
			t.Skip("FAULTS.md stays: not every fault was run")
		}
	}
	if err := os.WriteFile("FAULTS.md", faultPage(results, serverVersion(t, *faultServer)), 0o644); err != nil {
		t.Fatal(err)
	}
}

// faultPage writes the measurements for people.
func faultPage(results map[string][]result, version string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `# How the watcher survives faults

Measured on processes of etcd %[2]s, each fault for %[1]v or longer, with the timing of the program. Written by

    go test -tags slow ./watcher -run TestFaults -update -hold %[1]v -server %[3]s -timeout 60m

The test also passes on 3.4, 3.5 and 3.6 (-server 3.4 …, without -update).

*Shown* is the state of the watch at the end of the fault. Older facts stay on the screen with their *age*. *Recovered*
is the time from the end of the fault until the watch is live again and shows the present holder. A fault that does not
end counts from its start. *Requests* are the cost of the recovery. *Lists* counts the lists after the first one: each
is a gap in the journal, and the watcher invents nothing for it.

| fault | for | shown | lost after | age | requests/s | recovered | requests | lists | note |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
`, *faultHold, version, *faultServer)
	for _, group := range faultGroups {
		for _, r := range results[group.name] {
			b.WriteString(r.row() + "\n")
		}
	}
	return []byte(b.String())
}

// isolate cuts a member off from the others, or mends that. Clients still reach it.
func (c *trio) isolate(i int, cut bool) {
	for j, l := range c.links {
		if j == i {
			l.set("", cut)
		} else {
			l.set(types.ID(c.ids[i]).String(), cut)
		}
	}
}

func (p *process) start() {
	p.t.Helper()
	if err := p.Start(); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	if err := p.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// since writes what was sent after a copy was taken.
func (c *tally) since(before map[string]int) (total int, text string) {
	now := c.copy()
	var parts []string
	for _, method := range slices.Sorted(maps.Keys(now)) {
		if n := now[method] - before[method]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, method))
			total += n
		}
	}
	return total, strings.Join(parts, ", ")
}

func (s *server) start() {
	s.t.Helper()
	s.was = etcdtest.Again(s.t, s.was)
	s.etcd = s.was
}
