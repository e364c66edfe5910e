//go:build slow

package demo

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktop/demo/labtest"
	"locktop/model"
)

func TestPauseAndResume(t *testing.T) {
	l, f := startLab(t, nil)
	cli := labtest.NewClient(t, l.MemberEndpoints()...)
	who := f.holder(t)
	key := labtest.Queue(t, cli, "/t/a")[0]
	do(t, l, pauseOf(who))
	wantRefused(t, l, pauseOf(who), "already")
	labtest.Eventually(t, "its key goes", func() bool { return !slices.Contains(labtest.Queue(t, cli, "/t/a"), key) })
	f.holder(t, who)
	if f.believed(model.BeliefLost) == who {
		t.Error("a process that does not run learned that it lost")
	}
	if got := do(t, l, model.Action{Kind: model.HealAll}); got != "1 fault" {
		t.Errorf("healed: %q", got)
	}
	f.believes(t, who, model.BeliefLost)
	wantRefused(t, l, heal(model.FaultPause, who), "not active")
	want := []string{"on: pause " + who, "off: pause " + who + ": healed"}
	if diff := cmp.Diff(want, f.faults()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestKillLeavesTheKeyUntilTheLeaseEnds(t *testing.T) {
	l, f := startLab(t, func(o *Options) { o.TTL = 3 })
	cli := labtest.NewClient(t, l.MemberEndpoints()...)
	who := f.holder(t)
	key := labtest.Queue(t, cli, "/t/a")[0]
	do(t, l, pauseOf(who))
	do(t, l, inject(model.FaultKill, who))
	if how := f.ended(t, who); how != "killed" {
		t.Errorf("it ended: %q", how)
	}
	if !slices.Contains(labtest.Queue(t, cli, "/t/a"), key) {
		t.Error("the key went with the process")
	}
	labtest.Eventually(t, "the key goes", func() bool { return !slices.Contains(labtest.Queue(t, cli, "/t/a"), key) })
	wantRefused(t, l, inject(model.FaultStop, who), "spawn another")
	want := []string{"on: pause " + who, "off: pause " + who + ": target ended"}
	if diff := cmp.Diff(want, f.faults()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}
