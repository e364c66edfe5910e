package ui

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
)

// everyAct are the keys that do something to the contender under the cursor, on a
// cluster that is not ours.
var everyAct = []struct {
	keys   []string
	reason string
}{
	{[]string{"5", "down", "H"}, "hold its renewals"}, {[]string{"5", "down", "P"}, "pause it"}, {[]string{"5", "down", "K"}, "kill it"},
	{[]string{"5", "down", "T"}, "stop it"}, {[]string{"1", "N"}, "another contender takes the lock"},
	{[]string{"5", "down", "F", "down", "grace", "enter"}, "from the menu, with nothing to choose"},
	{[]string{"5", "down", "F", "grace", "enter", "grace", "enter"}, "from the menu, with choices"},
}

func notOurs(t *testing.T, armed bool) *bench {
	t.Helper()
	b := newBench(t, Options{Lab: true, Foreign: true, Armed: armed})
	b.live.AuditLogPath = "/state/actions.jsonl"
	wrongLab(b)
	b.w.add(model.LeaseOwner{At: at(23), Lease: 0xf6, Client: model.Client{Name: "c1", Certain: true}})
	b.sync(23)
	return b
}

// TestFaultsBeforeAClusterThatIsNotOurs: nothing happens by one key.
func TestFaultsBeforeAClusterThatIsNotOurs(t *testing.T) {
	for _, r := range everyAct {
		t.Run(r.reason, func(t *testing.T) {
			b := notOurs(t, true)
			b.pressed(r.keys...)
			if len(b.h.done) != 0 || b.dialog == nil {
				t.Fatalf("did %v unasked", b.h.done)
			}
			b.press("Y")
			b.press("enter")
			b.pressed("grace", "enter")
			if len(b.h.done) != 0 {
				t.Fatalf("did %v by a key that was meant for the page, or by enter", b.h.done)
			}
			b.press("Y")
			if len(b.h.done) != 1 || b.dialog != nil {
				t.Errorf("did %v, want it done once it is confirmed", b.h.done)
			}
			b.pressed(r.keys...)
			b.pressed("grace", "esc")
			b.press("Y")
			if len(b.h.done) != 1 {
				t.Errorf("did %v though it was left", b.h.done)
			}
		})
	}
}

func TestTheQuestionNamesWhomItHits(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {80, 24}, {60, 14}} {
		b := notOurs(t, true)
		b.size(size[0], size[1])
		b.pressed("5", "down", "H")
		for _, want := range []string{"hold keepalives of c1", "c1, pid 4711", "/demo/checkout (holds)", "Y do it"} {
			b.sees(want)
		}
		if size[1] >= 24 {
			b.sees("/state/actions.jsonl")
		}
		exact(t, b.View(), size[0], size[1])
		b.pressed("grace", "Y")
		if want := (model.Action{Kind: model.InjectFault, Lock: "/demo/checkout", Fault: model.Fault{Kind: model.FaultHoldKeepalives, Target: "c1"}}); len(b.h.done) != 1 || b.h.done[0] != want {
			t.Errorf("did %+v, want %+v: the journal names the lock", b.h.done, want)
		}
	}
}

func TestTheQuestionFindsTheLocksOfAClient(t *testing.T) {
	b := notOurs(t, true)
	at := model.Client{Name: "127.0.0.1:7"}
	b.w.add(model.Connected{At: at24, Client: at, Peer: at.Name, Member: "m1:2379", On: true},
		model.LeaseOwner{At: at24, Lease: 0xb2, Client: at})
	b.sync(24)
	b.pressed("5", "tab", "F", "down", "grace", "enter", "grace", "enter")
	if b.dialog == nil {
		t.Fatalf("no question:\n%s", b.text())
	}
	b.sees("/jobs/billing (waits)")
	b.sees("/jobs/report (holds)")
	b.pressed("grace", "Y")
	if len(b.h.done) != 1 || b.h.done[0].Lock != "/jobs/report" {
		t.Errorf("did %+v, want the lock that it holds in the journal", b.h.done)
	}
}

var at24 = t0.Add(24 * time.Second)

// TestHealingIsNeverAskedFor: healing takes back what was done.
func TestHealingIsNeverAskedFor(t *testing.T) {
	for _, keys := range [][]string{{"A"}, {"5", "U"}, {"5", "P"}} {
		b := notOurs(t, true) // where c2 is paused
		b.pressed(keys...)
		if len(b.h.done) != 1 || !heals(b.h.done[0].Kind) {
			t.Errorf("%v: did %v", keys, b.h.done)
		}
	}
}

// TestUnarmedNothingIsDoneBeforeAClusterThatIsNotOurs, and the keys are dim and say why.
func TestUnarmedNothingIsDoneBeforeAClusterThatIsNotOurs(t *testing.T) {
	for _, r := range everyAct {
		b := notOurs(t, false)
		b.size(200, 40)
		for _, k := range r.keys {
			if k == "grace" {
				break // there is no dialog
			}
			b.press(k)
		}
		if len(b.h.done)+len(b.h.plans) != 0 || b.dialog != nil {
			t.Errorf("%s: did %v", r.reason, b.h.done)
		}
		if !strings.Contains(b.text(), "locktop proxy --armed") && !slices.Contains(r.keys, "F") {
			t.Errorf("%s: it does not say what would allow it:\n%s", r.reason, b.text())
		}
	}
	b := notOurs(t, false)
	b.press("5", "down")
	for i := range b.keys.Rows {
		if k := &b.keys.Rows[i]; k.Where&host.OnPage(b.at) != 0 && k.Act == model.InjectFault && k.Hint(b.look(), 200)[0].St != draw.Dim {
			t.Errorf("%v is not dim", k.Keys)
		}
	}
	b.press("F")
	b.sees("locktop proxy --armed")
	b.sees("READ-ONLY")
}
