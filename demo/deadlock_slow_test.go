//go:build slow

package demo

import (
	"slices"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"locktop/demo/labtest"
	"locktop/model"
)

// deadlocked waits until two programs hold one lock each and wait for that of the other.
func deadlocked(t *testing.T, cli *clientv3.Client) {
	t.Helper()
	labtest.Eventually(t, "each holds a lock and waits for the other", func() bool {
		a, b := leasesOf(t, cli, deadlockLocks[0]), leasesOf(t, cli, deadlockLocks[1])
		return len(a) == 2 && len(b) == 2 && a[0] == b[1] && a[1] == b[0]
	})
}

// leasesOf are the last parts of the keys of a lock, the holder's first.
func leasesOf(t *testing.T, cli *clientv3.Client, lock string) []string {
	keys := labtest.Queue(t, cli, lock)
	for i, key := range keys {
		keys[i] = strings.TrimPrefix(key, lock+"/")
	}
	return keys
}

func TestFaultDeadlock(t *testing.T) {
	l, f := startLab(t, func(o *Options) { o.Contenders, o.Hold = 1, 50*time.Millisecond })
	cli := labtest.NewClient(t, l.MemberEndpoints()...)
	free := func() bool {
		return len(labtest.Queue(t, cli, deadlockLocks[0])) == 0 && len(labtest.Queue(t, cli, deadlockLocks[1])) == 0
	}
	x := model.Fault{Kind: model.FaultDeadlock}

	t.Run("healing ends both programs", func(t *testing.T) {
		inAndOut(t, l, f, x, func() bool { deadlocked(t, cli); return true }, free)
	})
	t.Run("who breaks it lets both get on, and the fault is over", func(t *testing.T) {
		labtest.Eventually(t, "the pair is gone", func() bool { return slices.Equal(l.Contenders(), []string{"c1"}) })
		who := do(t, l, injectIt(x))
		deadlocked(t, cli)
		_, second, _ := strings.Cut(who, " and ")
		do(t, l, inject(model.FaultRevoke, second))
		labtest.Eventually(t, "both locks are free", free)
		labtest.Eventually(t, "its end is reported", func() bool {
			return slices.Contains(f.faults(), "off: deadlock: "+string(model.FaultTargetEnded))
		})
	})
	if !slices.Equal(l.Contenders(), []string{"c1"}) {
		t.Errorf("%v are left: want the one that has nothing to do with it", l.Contenders())
	}
	if got := do(t, l, healEverything); got != "no fault was in force" {
		t.Errorf("left to heal: %s", got)
	}
}
