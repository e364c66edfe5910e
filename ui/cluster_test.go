package ui

import (
	"strings"
	"testing"

	"locktop/model"
)

// TestAnotherClusterDisarms: when another cluster answers, the old holders go from the
// screen, a dialog about one closes, and nothing can be broken any more.
func TestAnotherClusterDisarms(t *testing.T) {
	b := newBench(t, Options{Armed: true})
	b.w.claim(1, "/lock/a", "", 0x21)
	b.sync(2)
	b.sees("ARMED")
	b.pressed("x", "grace", "R")
	if b.dialog == nil {
		t.Fatal("no dialog")
	}
	b.w.add(model.Lost{At: at(3), Prefix: "/", Reason: model.LostCluster, Detail: "another cluster answers (id bb instead of aa) at h:1"})
	b.sync(3)
	b.sees("another cluster answers (id bb instead of aa) at h:1")
	if strings.Contains(b.text(), "/lock/a") || b.dialog != nil {
		t.Errorf("the old cluster is still there:\n%s", b.text())
	}
	b.w.add(model.LoadStarted{At: at(4), Prefix: "/", Rev: 9}, model.Listed{At: at(4), Prefix: "/", Rev: 9,
		KVs: []model.KV{{Key: "/lock/a/22", CreateRev: 8, ModRev: 8, Version: 1, Lease: 0x22}}}, model.Loaded{At: at(4), Prefix: "/", Rev: 9})
	b.sync(4)
	b.sees("/lock/a")
	b.sees("READ-ONLY")
	planned := len(b.h.plans)
	b.pressed("x")
	b.sees("Disarmed: another cluster answers")
	if len(b.h.done) > 0 || len(b.h.plans) > planned {
		t.Errorf("planned %v, did %v", b.h.plans, b.h.done)
	}
}

// TestTheEndpointsOfEachClusterAreNamed: where they lead to several, the screen says which
// is whose.
func TestTheEndpointsOfEachClusterAreNamed(t *testing.T) {
	b := newBench(t, Options{})
	detail := "the endpoints are of 2 clusters: h:1 belongs to cluster aa; h:2 belongs to cluster bb"
	b.w.add(model.Lost{At: at(1), Prefix: "/", Reason: model.LostCluster, Detail: detail})
	b.sync(1)
	b.sync(30) // when the notice is over
	if got := strings.Join(strings.Fields(b.text()), " "); !strings.Contains(got, "h:1 belongs to cluster aa; h:2 belongs to cluster bb") {
		t.Errorf("the screen does not name them:\n%s", b.text())
	}
}
