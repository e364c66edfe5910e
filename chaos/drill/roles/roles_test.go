package roles

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"locktop/chaos/drill"
	"locktop/demo/drills"
)

var update = flag.Bool("update", false, "write the golden files anew")

func builtIn(t *testing.T, name string) *drill.Drill {
	t.Helper()
	d, err := drills.Drill(name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var worker = []Role{{Command: []string{"worker"}}}

// TestBuiltInDrills: every drill is asked of programs of three kinds, and says why where it
// cannot be. None is changed by the question, and what follows a step still follows it.
func TestBuiltInDrills(t *testing.T) {
	var page strings.Builder
	for _, kind := range []struct {
		name string
		o    Options
	}{
		{"a program that holds on, leases of 15 s", Options{Roles: worker, TTL: 15 * time.Second, Lock: "/app/l"}},
		{"a program that takes turns, leases of 15 s", Options{Roles: worker, TTL: 15 * time.Second, Turns: true}},
		{"a program whose lock is one key, leases of 5 s", Options{Roles: worker, TTL: 5 * time.Second, SingleKey: true}},
		{"a program in the role a alone, leases of 5 s, on a cluster of one's own", Options{Roles: []Role{{Name: "a", Command: []string{"worker"}}}, TTL: 5 * time.Second, Endpoints: 1}},
	} {
		fmt.Fprintf(&page, "# %s\n", kind.name)
		for _, name := range drills.Names() {
			d := builtIn(t, name)
			c, err := kind.o.Assign(d)
			if diff := cmp.Diff(builtIn(t, name), d, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s was changed: %s", name, diff)
			}
			if err != nil {
				if !errors.As(err, new(Refusal)) {
					t.Errorf("%s: %v is no refusal", name, err)
				}
				fmt.Fprintf(&page, "\n%s: not asked: %v\n", name, err)
				continue
			}
			follows(t, d, c)
			fmt.Fprintln(&page)
			was := drill.Plan(d)
			fmt.Fprintln(&page, was[0])
			for _, line := range drill.Plan(c.Drill) {
				if !slices.Contains(was, line) {
					fmt.Fprintln(&page, line)
				}
			}
			for _, line := range c.NotAsked {
				fmt.Fprintln(&page, "not asked: "+line)
			}
		}
		fmt.Fprintln(&page)
	}
	const golden = "testdata/assignments.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(page.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), page.String()); diff != "" {
		t.Errorf("%s (go test -update writes it anew):\n%s", golden, diff)
	}
}

// follows checks that an expectation after a step is after the same step of the file.
func follows(t *testing.T, d *drill.Drill, c Assignment) {
	t.Helper()
	for _, e := range c.Expect {
		i := slices.IndexFunc(d.Expect, func(x drill.Expectation) bool { return x.Line == e.Line })
		if i < 0 || d.Expect[i].After == 0 {
			if e.After != 0 {
				t.Errorf("%s: %s: after a step", d.Name, e.Describe())
			}
			continue
		}
		from, _ := d.Lab.Contender(e.From)
		if to, _ := d.Lab.Contender(e.Contender); e.After == 0 && from.Manual || e.Name == "acquired" && to.Manual {
			continue // its time counts from when a program is asked to end
		}
		// A pause may follow a wait: a program that waits for one key shows nothing.
		was, is := d.Steps[d.Expect[i].After-1], c.Steps[e.After-1]
		if was.Line != is.Line {
			t.Errorf("%s: %s: after line %d, want %d", d.Name, e.Describe(), is.Line, was.Line)
		}
	}
}

// TestDrillsOfOnesOwn: what the built-in drills do not do is rewritten, or refused, too.
func TestDrillsOfOnesOwn(t *testing.T) {
	const head = "title: t\nlab: {contenders: [{name: a, lock: x, hold: 60s, ttl: 2s}, {name: b, lock: x, hold: 60s, ttl: 2s, later: true}, {name: c, lock: x/y, manual: true}]}\n"
	ab := []Role{{Name: "a", Command: []string{"w", "{lock}"}}, {Name: "b", Command: []string{"w", "{lock}"}}}
	for _, r := range []struct {
		rest   string
		o      Options
		want   string // in the plan, or of the refusal
		reason string
	}{
		{"steps: [{fault: {put: /x/z}}]\nexpect: [moving]\n", Options{Lock: "/app"}, "Put /app/z", "a key below the lock moves with it"},
		{"steps: [{fault: {put: /xy}}]\nexpect: [moving]\n", Options{Lock: "/app"}, "Put /xy", "a key beside it stays"},
		{"steps: [{fault: {pause: holder of x}}]\nexpect: [moving]\n", Options{Lock: "/app"}, "holder of /app", "a phrase names the lock"},
		{"steps: [{fault: {pause: holder of x}}]\nexpect: [{handover: {lock: x}}]\n", Options{}, "expect: stops: contender a, within 2s", "whoever holds may be one of them"},
		{"steps: [{fault: {pause: holder of x}}]\nexpect: [{handover: {lock: x}}]\n", Options{StopsWithin: time.Second}, "expect: stops: contender b, within 1s", "each of them, with the bound that was asked for"},
		{"steps: [{fault: {kill: a}}]\nexpect: [{handover: {lock: x}}]\n", Options{}, "!expect: stops", "the dead need not stop"},
		{"steps: [{fault: {pause: c}}]\nexpect: [{handover: {lock: x}}]\n", Options{}, "!expect: stops", "nor those to whom nothing is done"},
		{"steps: [{fault: {freeze: a}}, {wait: {lock: x, holder: b}}, {heal: all}]\nexpect: [{handover: {lock: x, after: 3}}]\n", Options{},
			"step 3 (line 3): let it run for 2s\nstep 4 (line 3): heal every fault\nat the end: heal every fault\nexpect: handover: lock /x, after step 4", "a fault outlasts the bound of who is hit"},
		{"steps: [{fault: {freeze: a}}, {wait: {lock: x, holder: b}}, {pause: 500ms}, {heal: all}]\nexpect: [{handover: {lock: x}}]\n", Options{StopsWithin: 4 * time.Second},
			"let it run for 4s\nstep 4", "so does one that is asked for"},
		{"steps: [{fault: {freeze: a}}, {wait: {lock: x, holder: b}}]\nexpect: [{handover: {lock: x}}]\n", Options{},
			"step 3 (line 3): let it run for 2s\nat the end", "the end heals, too"},
		{"steps: [{fault: {freeze: a, for: 1s}}, {wait: {lock: x, holder: b}}]\nexpect: [{handover: {lock: x}}]\n", Options{},
			"freeze a for 8s", "and one that ends by itself: TTL, a second for etcd, and the bound"},
		{"steps: [{fault: {freeze: a}}, {fault: {hold-keepalives: a}}, {wait: {lock: x, holder: b}}, {heal: all}]\nexpect: [{handover: {lock: x}}]\n", Options{},
			"let it run for 2s\nstep 5", "two that end together outlast it once"},
		{"expect: [moving]\n", Options{Guards: []string{"/data/", "/app"}}, "expect: no-late-write: contender a, prefix /data/, within 2s\nexpect: no-late-write: contender a, prefix /app, within 2s\nexpect: no-late-write: contender b, prefix /data/",
			"what the lock protects is asked of each of them"},
		{"expect: [moving]\n", Options{Guards: []string{"/x/data"}}, "--guards /x/data: the keys below the lock /x are the places of those who want it; say where they write", "below a lock there are claims"},
		{"expect: [moving]\n", Options{Guards: []string{"/app"}, Lock: "/app"}, "--guards /app: ", "whatever it is called"},
		{"expect: [moving]\n", Options{Guards: []string{"/x/data"}, SingleKey: true}, "prefix /x/data", "below one of one key there are none"},
		{"steps: [{wait: {ended: a, within: 1s}}]\nexpect: [moving]\n", Options{}, "step 1 waits until a has ended by itself", "programs need not end"},
		{"steps: [{tell: {c: lock}}]\nexpect: [moving]\n", Options{}, "tell c to lock", "one of the lab does as before"},
		{"steps: [{fault: {hold-keepalives: lease of a}}]\nexpect: [moving]\n", Options{}, "step 1 means the lease of a", "its lease it does not say"},
		{"steps: [{fault: {stop-member: m1}}]\nexpect: [moving]\n", Options{Endpoints: 3}, "step 1 (stop-member) needs a cluster of the lab", "the members are not ours"},
		{"steps: [{fault: {freeze: a}}]\nexpect: [moving]\n", Options{Endpoints: 3}, "Freeze a", "the connections are"},
		{"steps: [{wait: {leader: m2, within: 1s}}]\nexpect: [moving]\n", Options{Endpoints: 3}, "step 1 waits until m2 leads", "who leads is not for us to say"},
		{"expect: [moving]\n", Options{Roles: []Role{{Name: "z", Command: []string{"w"}}}}, "it has no role z: its roles are a, b, c", "no such role"},
		{"expect: [moving]\n", Options{Roles: append(slices.Clone(ab), Role{Command: []string{"w"}})}, "lab: c on /x/y by mutex, ttl 5s, started by a step, played by w", "all that are left are asked, too"},
		{"expect: [moving]\n", Options{Roles: append(slices.Clone(ab), Role{Command: []string{"w"}}), Lock: "/app"}, "compete for several locks (/x, /x/y)", "one name is not enough for two locks"},
		{"steps: [{tell: {c: lock}}, {tell: {c: lock}}, {tell: {c: unlock}}, {tell: {c: close}}, {tell: {c: lock}}]\nexpect: [moving]\n", Options{Roles: []Role{{Name: "c", Command: []string{"w"}}}},
			"step 1 (line 3): start c\nstep 2 (line 3): say: Not told to a program: tell c to lock.\nstep 3 (line 3): stop c\nstep 4 (line 3): say: Not told to a program: tell c to close.\nstep 5 (line 3): wait for c to have ended, at most 10s\nstep 6 (line 3): start c", "it is started to lock, and asked to end to let go"},
		{"steps: [{tell: {c: lock}}, {tell: {c: give-up}}]\nexpect: [moving]\n", Options{Roles: []Role{{Name: "c", Command: []string{"w"}}}}, "c is told to give-up, and a program can be started and asked to end", "other words it has not"},
		{"steps: [{tell: {c: lock}}]\nexpect: [moving]\n", Options{Roles: []Role{{Name: "c", Command: []string{"w"}}}, Turns: true}, "c lets go when a step tells it", "one that takes turns does so by itself"},
		{"steps: [{tell: {c: lock}}, {tell: {c: unlock}}, {wait: {ended: c, within: 1s}}]\nexpect: [{handover: {lock: x/y, from: c, cause: released, after: 2, within: 1s}}, {stuck: {lock: x/y, for: 1s}}]\n", Options{Roles: []Role{{Name: "c", Command: []string{"w"}}}},
			"have ended, at most 1s\nat the end: heal every fault\nexpect: handover: lock /x/y, from c, within 2s", "it may let go in any way, and what shows a defect is not asked"},
		{"steps: [{wait: {holder: a, lock: x, within: 1s}}, {start: b}, {fault: {cut: b}}, {wait: {lock: x, holder: a, waiters: [b], within: 1s}}]\nexpect: [moving]\n", Options{},
			"b to be waiter 1", "one that lost no lock has to come back"},
		{"steps: [{start: b}, {wait: {lock: x, waiters: [b], within: 5s}}]\nexpect: [moving]\n", Options{StartsWithin: 40 * time.Second}, "at most 38s", "a program that takes long to come up is waited for"},
		{"steps: [{fault: {revoke: a}}, {pause: 1s}]\nexpect: [{handover: {lock: x, from: a}}]\n", Options{TTL: 6 * time.Second}, "expect: stops: contender a, within 4s", "nothing tells it before it renews next"},
		{"expect: [moving]\n", Options{TTL: time.Second}, "a, b each needs a lease of at least 2s", "a lease that is too short"},
		{"steps: [{wait: {lock: x, holder: a, waiters: [b], within: 1s}}, {fault: {pause: waiter 1 of x}}]\nexpect: [moving]\n", Options{SingleKey: true}, "step 2 means a waiter", "nobody is seen to wait"},
		{"steps: [{wait: {lock: x, holder: a, waiters: [b], within: 1s}}]\nexpect: [moving]\n", Options{SingleKey: true}, "let it run for 3s", "so it is given time"},
		{"expect: [moving]\n", Options{Roles: ab, Rules: []Rules{{Role: "z", Rules: []drill.Rule{{}}}}}, "it has no role z to believe anything: its roles are a, b, c", "rules of nobody would never be looked at"},
		{"expect: [one-holder, {stuck: {lock: x, for: 4s}}]\n", Options{SingleKey: true}, "!stuck", "who waits is not seen, so nothing is seen to be stuck"},
		{"expect: [one-holder, {served: {within: 4s}}, moving]\n", Options{SingleKey: true}, "!expect: served", "all that is seen to ask has the lock at once"},
	} {
		d, err := drill.Parse("own", []byte(head+r.rest))
		if err != nil {
			t.Fatalf("%s: %v", r.reason, err)
		}
		if r.o.Roles == nil {
			r.o.Roles = ab
		}
		if r.o.TTL == 0 {
			r.o.TTL = 5 * time.Second
		}
		var got string
		if c, err := r.o.Assign(d); err != nil {
			got = err.Error()
		} else {
			got = strings.Join(drill.Plan(c.Drill), "\n")
		}
		want, not := strings.CutPrefix(r.want, "!")
		if strings.Contains(strings.ToLower(got), strings.ToLower(want)) == not {
			t.Errorf("%s: want %q in\n%s", r.reason, r.want, got)
		}
	}
}
