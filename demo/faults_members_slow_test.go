//go:build slow

package demo

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/labtest"
	"locktop/model"
)

func TestFaultsOfMembers(t *testing.T) {
	l, f := startLab(t, func(o *Options) {
		o.Members, o.Contenders, o.Processes, o.MemberSelf = 3, -1, true, labtest.SelfAs(asMember)
	})
	if want := []string{"m1", "m2", "m3"}; !slices.Equal(l.Members(), want) {
		t.Errorf("members %q", l.Members())
	}
	cli := labtest.NewClient(t, l.MemberEndpoints()...)
	second := labtest.NewClient(t, l.MemberEndpoints()[1])
	status := func() bool {
		return briefly(t, func(ctx context.Context) error {
			_, err := second.Status(ctx, l.MemberEndpoints()[1])
			return err
		}) == nil
	}
	linear := func() bool {
		return briefly(t, func(ctx context.Context) error { _, err := second.Get(ctx, "/t/k"); return err }) == nil
	}
	write := func() bool {
		return briefly(t, func(ctx context.Context) error { _, err := cli.Put(ctx, "/t/k", "v"); return err }) == nil
	}
	slow := func() bool { return l.cluster.Delay(l.cluster.Names()[1]) > 0 }
	not := func(ok func() bool) func() bool { return func() bool { return !ok() } }
	tests := []struct {
		fault        model.Fault
		seen, healed func() bool
	}{
		{model.Fault{Kind: model.FaultStopMember, Target: "m2"}, not(status), linear},
		{model.Fault{Kind: model.FaultPauseMember, Target: "m2"}, not(status), linear},
		{model.Fault{Kind: model.FaultIsolate, Target: "m2"}, not(linear), linear},
		{model.Fault{Kind: model.FaultSlowMember, Target: "m2", Delay: time.Second}, slow, not(slow)},
		{model.Fault{Kind: model.FaultLoseQuorum}, not(write), write},
	}
	for _, tt := range tests {
		t.Run(string(tt.fault.Kind), func(t *testing.T) {
			labtest.Eventually(t, "all is well", func() bool { return status() && linear() && write() })
			inAndOut(t, l, f, tt.fault, tt.seen, tt.healed)
		})
	}

	was := leader(t, l)
	do(t, l, injectIt(model.Fault{Kind: model.FaultMoveLeader}))
	labtest.Eventually(t, "another leader", func() bool { return leader(t, l) != was })
	do(t, l, injectIt(model.Fault{Kind: model.FaultCompact}))
	labtest.Eventually(t, "history is gone", func() bool {
		_, err := cli.Get(t.Context(), "/t/k", clientv3.WithRev(1))
		return errors.Is(err, rpctypes.ErrCompacted)
	})
	wantRefused(t, l, inject(model.FaultStopMember, "m9"), "no member m9")

	// A member that is stopped is not paused any more.
	before := f.faults()
	do(t, l, inject(model.FaultPauseMember, "m3"))
	do(t, l, inject(model.FaultStopMember, "m3"))
	do(t, l, healEverything)
	f.wantFaults(t, append(before, "on: pause member m3", "off: pause member m3: "+string(model.FaultTargetEnded), "on: stop member m3",
		"off: stop member m3: healed")...)
}

func TestFaultFill(t *testing.T) {
	l, f := startLab(t, func(o *Options) { o.Contenders = -1 })
	cli := labtest.NewClient(t, l.MemberEndpoints()...)
	put := func(want error) func() bool {
		return func() bool {
			_, err := cli.Put(t.Context(), "/t/k", "v")
			return errors.Is(err, want)
		}
	}
	inAndOut(t, l, f, model.Fault{Kind: model.FaultFill}, put(rpctypes.ErrNoSpace), put(nil))
}

func TestFaultsOfData(t *testing.T) {
	l, f := startLab(t, func(o *Options) { o.TTL = 3 })
	cli := labtest.NewClient(t, l.MemberEndpoints()...)
	has := func(key string) bool {
		r, err := cli.Get(t.Context(), key)
		return err == nil && len(r.Kvs) > 0
	}
	not := func(key string) func() bool { return func() bool { return !has(key) } }

	t.Run("put", func(t *testing.T) {
		put := model.Fault{Kind: model.FaultPut, Target: "/t/a/foreign", Value: "mine"}
		inAndOut(t, l, f, put, func() bool { return has(put.Target) }, not(put.Target))
		// One that took its place is not ours to delete.
		do(t, l, injectIt(put))
		for _, err := range []error{second(cli.Delete(t.Context(), put.Target)), second(cli.Put(t.Context(), put.Target, "theirs"))} {
			if err != nil {
				t.Fatal(err)
			}
		}
		do(t, l, healEverything)
		if !has(put.Target) {
			t.Error("healing deleted the key of another")
		}
		wantRefused(t, l, injectIt(put), "there already")
		if _, err := cli.Delete(t.Context(), put.Target); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("detach", func(t *testing.T) {
		who := f.holder(t)
		key := labtest.Queue(t, cli, "/t/a")[0]
		inAndOut(t, l, f, model.Fault{Kind: model.FaultDetach, Target: who}, func() bool {
			r, err := cli.Get(t.Context(), key)
			return err == nil && len(r.Kvs) == 1 && r.Kvs[0].Lease == 0 && r.Kvs[0].Version == 2
		}, not(key))
		f.wrote(t, model.DeleteClaim, key) // that healed it
		do(t, l, inject(model.FaultKill, who))
		f.ended(t, who)
	})
	t.Run("revoke and delete", func(t *testing.T) {
		who := f.holder(t, f.believed(model.BeliefHolding))
		key := labtest.Queue(t, cli, "/t/a")[0]
		do(t, l, inject(model.FaultRevoke, who))
		labtest.Eventually(t, "the claim goes", not(key))
		f.wrote(t, model.RevokeLease, key)
		f.believes(t, who, model.BeliefLost)
		labtest.Eventually(t, "it queues again", func() bool { q := labtest.Queue(t, cli, "/t/a"); return len(q) == 1 && q[0] != key })
		key = labtest.Queue(t, cli, "/t/a")[0]
		labtest.Eventually(t, "it said so", func() bool {
			c, err := l.supervisor.claimOf(who)
			return err == nil && c.key == key
		})
		do(t, l, inject(model.FaultDelete, who))
		labtest.Eventually(t, "the claim goes", not(key))
		f.wrote(t, model.DeleteClaim, key)
		wantRefused(t, l, inject(model.FaultDelete, who), "is gone")
		wantRefused(t, l, inject(model.FaultRevoke, "nobody"), "not a contender of the lab")
	})
}

// wrote waits for the report that the lab itself ended that key: only that makes the
// cause certain.
func (f *feed) wrote(t *testing.T, kind model.ActionKind, key string) {
	t.Helper()
	labtest.Eventually(t, "the lab reports: "+string(kind)+" "+key, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return slices.ContainsFunc(f.all, func(e model.Event) bool {
			a, ok := e.(model.Acted)
			return ok && a.Outcome.Done && a.Outcome.Action.Kind == kind && a.Outcome.Action.Key == key && a.Outcome.Rev > 0
		})
	})
}

// second drops what a request answered.
func second[T any](_ T, err error) error { return err }
