//go:build slow

package demo

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/chaos/drill"
	"locktop/demo/labtest"
	"locktop/model"
	"locktop/model/text"
)

func healIt(f model.Fault) model.Action { return model.Action{Kind: model.HealFault, Fault: f} }

// briefly gives a request half a second.
func briefly(t *testing.T, request func(context.Context) error) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	return request(ctx)
}

// inAndOut does a fault, waits until it is seen, heals it, and waits until it is not.
// A second one in between is refused.
func inAndOut(t *testing.T, l *Lab, f *feed, x model.Fault, seen, healed func() bool) {
	t.Helper()
	if err := l.Available(injectIt(x)); err != nil {
		t.Fatalf("%s is not available: %v", text.English(x.Message()), err)
	}
	do(t, l, injectIt(x))
	labtest.Eventually(t, text.English(x.Message())+" is seen", seen)
	wantRefused(t, l, injectIt(x), "active already")
	do(t, l, healIt(model.Fault{Kind: x.Kind, Target: x.Target}))
	labtest.Eventually(t, text.English(x.Message())+" is healed", healed)
	wantRefused(t, l, healIt(x), "not active")
	want := []string{"on: " + text.English(x.Message()), "off: " + text.English(x.Message()) + ": healed"}
	labtest.Eventually(t, "both are reported: "+text.English(x.Message()), func() bool {
		got := f.faults()
		return slices.Equal(got[max(0, len(got)-len(want)):], want)
	})
}

func TestFaultsOfClients(t *testing.T) {
	l, f := startLab(t, func(o *Options) { o.Contenders = -1 })
	direct := labtest.NewClient(t, l.MemberEndpoints()...)
	lease, err := direct.Grant(t.Context(), 600)
	if err != nil {
		t.Fatal(err)
	}
	get := func(c *clientv3.Client) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := c.Get(ctx, "/t/k")
			return err
		}
	}
	renew := func(c *clientv3.Client) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := c.KeepAliveOnce(ctx, lease.ID)
			return err
		}
	}
	tests := []struct {
		fault   model.Fault
		request func(*clientv3.Client) func(context.Context) error
		slow    bool // it succeeds, but late
	}{
		{fault: model.Fault{Kind: model.FaultHoldKeepalives}, request: renew},
		{fault: model.Fault{Kind: model.FaultHold, Method: "KV/Range"}, request: get},
		{fault: model.Fault{Kind: model.FaultDelay, Method: "KV/Range", Delay: 100 * time.Millisecond}, request: get, slow: true},
		{fault: model.Fault{Kind: model.FaultDropReply, Method: "KV/Range"}, request: get},
		{fault: model.Fault{Kind: model.FaultFreeze, Member: "m1"}, request: get},
		{fault: model.Fault{Kind: model.FaultCut}, request: get},
		{fault: model.Fault{Kind: model.FaultSlow, Delay: 50 * time.Millisecond}, request: get, slow: true},
	}
	for _, tt := range tests {
		t.Run(string(tt.fault.Kind), func(t *testing.T) {
			c := labtest.NewClient(t, l.Endpoints()...)
			request := tt.request(c)
			labtest.Eventually(t, "it works", func() bool { return briefly(t, request) == nil })
			tt.fault.Target = everyone
			inAndOut(t, l, f, tt.fault, func() bool {
				begun := time.Now()
				err := briefly(t, request)
				return (err == nil) == tt.slow && time.Since(begun) >= tt.fault.Delay
			}, func() bool { return briefly(t, request) == nil })
		})
	}
	wantRefused(t, l, inject(model.FaultCut, "127.0.0.1:1"), "no such client")
	wantRefused(t, l, injectIt(model.Fault{Kind: model.FaultCut, Target: everyone, Member: "m9"}), "no member m9")
}

// A client that is not ours is one connection, and so are the faults of it.
func TestFaultEndsWithItsConnection(t *testing.T) {
	l, f := startLab(t, func(o *Options) { o.Contenders = -1 })
	c := labtest.NewClient(t, l.Endpoints()...)
	if _, err := c.Get(t.Context(), "/t/k"); err != nil {
		t.Fatal(err)
	}
	var peer string
	labtest.Eventually(t, "the connection is reported", func() bool {
		return f.has(func(e model.Event) bool {
			on, ok := e.(model.Connected)
			if ok && on.On && !on.Certain {
				peer = on.Name
			}
			return peer != ""
		})
	})
	do(t, l, inject(model.FaultHoldKeepalives, peer))
	c.Close()
	f.wantFaults(t, "on: hold keepalives of "+peer, "off: hold keepalives of "+peer+": "+string(model.FaultTargetEnded))
	if left := l.proxy.Faults(); len(left) > 0 {
		t.Errorf("the proxy still has %v", left)
	}
}

func TestHealingOneConnectionFaultOfTwo(t *testing.T) {
	l, f := startLab(t, nil)
	narrow := model.Fault{Kind: model.FaultFreeze, Target: "c1", Member: "m1"}
	wide := model.Fault{Kind: model.FaultFreeze, Target: "c1"}
	do(t, l, injectIt(narrow))
	do(t, l, injectIt(wide))
	if got := do(t, l, healIt(narrow)); got != "1 fault" {
		t.Errorf("healed: %q", got)
	}
	do(t, l, injectIt(narrow))
	if got := do(t, l, healIt(wide)); got != "2 faults" {
		t.Errorf("healed: %q", got)
	}
	if got := do(t, l, healEverything); got != "no fault was in force" {
		t.Errorf("healed: %q", got)
	}
	freeze := "freeze c1"
	f.wantFaults(t, "on: "+freeze+" at m1", "on: "+freeze, "off: "+freeze+" at m1: healed", "on: "+freeze+" at m1",
		"off: "+freeze+" at m1: healed", "off: "+freeze+": healed")
}

func TestFaultsThatNeedAnotherLab(t *testing.T) {
	l, _ := startLab(t, func(o *Options) { o.Contenders = -1 })
	tests := []struct {
		action       model.Action
		word, reason string
	}{
		{inject(model.FaultPauseMember, "m1"), "--processes", "embedded members share our process"},
		{inject(model.FaultIsolate, "m1"), "more than one member", "there is nobody to be cut off from"},
		{inject(model.FaultMoveLeader, ""), "more than one member", "there is nobody to move to"},
		{inject(model.FaultPause, ""), "no contender runs", "asked for the kind"},
		{inject(model.FaultDelete, ""), "no contender runs", "asked for the kind"},
		{inject("explode", ""), "explode", "there is no such fault"},
		{model.Action{Kind: model.TellProc, Contender: "x", Word: "lock"}, "not a contender of the lab; none runs", "nobody of that name"},
		{model.Action{Kind: model.SpawnProc, Contender: "x"}, "knows", "nobody of that name"},
	}
	for _, tt := range tests {
		err := l.Available(tt.action)
		if err == nil || !strings.Contains(err.Error(), tt.word) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s (%s): %v", text.English(tt.action.Message()), tt.reason, err)
		}
	}
	for _, info := range model.FaultKinds() {
		if info.Target == model.TargetClient || info.Target == model.TargetKey {
			if err := l.Available(inject(info.Kind, "")); err != nil {
				t.Errorf("%s: %v", info.Kind, err)
			}
		}
	}
}

func TestFaultEndsByItself(t *testing.T) {
	l, f := startLab(t, nil)
	who := f.holder(t)
	do(t, l, injectIt(model.Fault{Kind: model.FaultPause, Target: who, For: 200 * time.Millisecond}))
	do(t, l, injectIt(model.Fault{Kind: model.FaultFreeze, Target: who, For: time.Hour}))
	f.wantFaults(t, "on: pause "+who+" for 200ms", "on: freeze "+who+" for 1h0m0s", "off: pause "+who+" for 200ms: "+string(model.FaultTimeUp))
	if l.supervisor.procs[who].paused {
		t.Error("it is still paused")
	}
	do(t, l, injectIt(model.Fault{Kind: model.FaultPut, Target: "/t/x", For: time.Millisecond}))
	labtest.Eventually(t, "three are off", func() bool { return len(f.faults()) == 5 })

	// A person is told of what fails when nobody waits for it.
	do(t, l, injectIt(model.Fault{Kind: model.FaultPut, Target: "/t/y", For: 100 * time.Millisecond}))
	l.data.client.Close()
	labtest.Eventually(t, "it fails in words", func() bool {
		return f.has(func(e model.Event) bool {
			a, ok := e.(model.Acted)
			return ok && !a.Outcome.Done && strings.Contains(a.Outcome.Err, "heal put /t/y")
		})
	})
}

func TestHealAllAfterFiveFaults(t *testing.T) {
	l, f := startLab(t, func(o *Options) { o.Members = 3 })
	f.holder(t)
	for _, x := range []model.Fault{
		{Kind: model.FaultPut, Target: "/t/foreign"},
		{Kind: model.FaultPause, Target: "c1"},
		{Kind: model.FaultCut, Target: "c2"},
		{Kind: model.FaultIsolate, Target: "m1"},
		{Kind: model.FaultLoseQuorum},
	} {
		do(t, l, injectIt(x))
	}
	if got := do(t, l, healEverything); got != "5 faults" {
		t.Errorf("healed: %q", got)
	}
	cli := labtest.NewClient(t, l.MemberEndpoints()...)
	labtest.Eventually(t, "all is well", func() bool {
		r, err := cli.Get(t.Context(), "/t/foreign")
		return err == nil && len(r.Kvs) == 0
	})
	if len(l.proxy.Faults()) > 0 || len(l.faults.all) > 0 || len(l.cluster.Down()) > 0 || l.supervisor.procs["c1"].paused {
		t.Error("something is still broken")
	}
}

func TestHealingGoesOnPastAFailure(t *testing.T) {
	l, f := startLab(t, nil)
	do(t, l, inject(model.FaultPause, "c1"))
	do(t, l, inject(model.FaultPut, "/t/x"))
	do(t, l, inject(model.FaultCut, "c2"))
	l.data.client.Close()
	wantRefused(t, l, healEverything, "2 of 3 faults healed: heal put /t/x: ")
	f.wantFaults(t, "on: pause c1", "on: put /t/x", "on: cut c2", "off: cut c2: healed", "off: pause c1: healed")
	l.mu.Lock()
	l.data.client = nil
	l.mu.Unlock()
	wantRefused(t, l, healEverything, "heal put /t/x: ")
}

func TestCloseAfterEachFault(t *testing.T) {
	tests := []struct {
		reason string
		mod    func(*Options)
		faults []model.Fault
	}{
		{"processes and connections", func(o *Options) {}, []model.Fault{
			{Kind: model.FaultPause, Target: "c1"}, {Kind: model.FaultFreeze, Target: "c2"},
			{Kind: model.FaultHoldKeepalives, Target: everyone}, {Kind: model.FaultCut, Target: "c1"},
			{Kind: model.FaultHold, Target: "c1"}, {Kind: model.FaultDropReply, Target: "c1"},
			{Kind: model.FaultDelay, Target: "c2", Delay: time.Hour}, {Kind: model.FaultSlow, Target: "c1", Rate: 1, For: time.Hour}}},
		{"asked to end", func(o *Options) {}, []model.Fault{
			{Kind: model.FaultFreeze, Target: everyone}, {Kind: model.FaultStop, Target: "c1"}, {Kind: model.FaultKill, Target: "c2"}}},
		{"members", func(o *Options) { o.Members = 3 }, []model.Fault{
			{Kind: model.FaultStopMember, Target: "m1"}, {Kind: model.FaultSlowMember, Target: "m2", Delay: time.Hour},
			{Kind: model.FaultIsolate, Target: "m3"}}},
		{"paused members", func(o *Options) { o.Members, o.Processes, o.MemberSelf = 3, true, labtest.SelfAs(asMember) }, []model.Fault{
			{Kind: model.FaultPauseMember, Target: "m1"}, {Kind: model.FaultPauseMember, Target: "m2"},
			{Kind: model.FaultIsolate, Target: "m3"}}},
		{"no quorum", func(o *Options) { o.Members = 3 }, []model.Fault{{Kind: model.FaultLoseQuorum}}},
		{"no space, and data", func(o *Options) {}, []model.Fault{
			{Kind: model.FaultPut, Target: "/t/x", For: time.Hour}, {Kind: model.FaultDetach, Target: "c1"},
			{Kind: model.FaultRevoke, Target: "c2"}, {Kind: model.FaultCompact}, {Kind: model.FaultFill}}},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			l, f := startLab(t, tt.mod) // which closes it and looks
			f.holder(t)
			// A contender speaks of its claim before it makes it.
			cli := labtest.NewClient(t, l.MemberEndpoints()...)
			labtest.Eventually(t, "both have a claim, and say so", func() bool {
				return second(l.supervisor.claimOf("c1")) == nil && second(l.supervisor.claimOf("c2")) == nil && len(labtest.Queue(t, cli, "/t/a")) == 2
			})
			for _, x := range tt.faults {
				do(t, l, injectIt(x))
			}
		})
	}
}

func TestCloseWhileAMemberStarts(t *testing.T) {
	l, _ := startLab(t, func(o *Options) {
		o.Spec = &drill.Lab{Members: 3, Processes: true}
		o.MemberSelf = labtest.SelfAs(asMember)
	})
	do(t, l, inject(model.FaultLoseQuorum, ""))
	healed := make(chan error, 1)
	go func() { healed <- second(l.Do(context.Background(), healEverything)) }()
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	<-healed // whether it was quick enough does not matter, only that it ends
}

// TestEveryKindOfFaultHasADoer: what is offered can be done, by the lab or by the proxy, and
// the lab does nothing that is not offered. The proxy's kinds are tried beside it.
func TestEveryKindOfFaultHasADoer(t *testing.T) {
	offered := map[model.FaultKind]bool{}
	for _, info := range model.FaultKinds() {
		if offered[info.Kind] {
			t.Errorf("%s has two rows", info.Kind)
		}
		offered[info.Kind] = true
		if byProxy := info.Target == model.TargetClient; byProxy == (doers[info.Kind] != nil) {
			t.Errorf("%s, which is done to a %s: the lab has a doer: %v", info.Kind, info.Target, doers[info.Kind] != nil)
		}
		if text.English(info.What) == "" || info.Instant != (info.Heal.IsZero()) {
			t.Errorf("%s does not say what it does, or how it ends", info.Kind)
		}
	}
	for kind := range doers {
		if !offered[kind] {
			t.Errorf("the lab does %s, which has no row", kind)
		}
	}
}
