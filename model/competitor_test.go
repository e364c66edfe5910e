package model

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A contender that takes several locks says of one that it holds while it waits for
// the next, and lets them go in the opposite order.
func TestAContenderHasABeliefForEachLock(t *testing.T) {
	h := newHistory()
	h.loaded(0)
	id := LeaseID(0xa1)
	x, y := claimKey("/x", id), claimKey("/y", id)
	h.add(Contender{At: at(1), Name: "c1", PID: 7, Lock: "/x", Recipe: "mutex", TTL: 10, Proc: ProcRunning},
		LeaseOwner{At: at(1), Lease: id, Client: sureOf("c1")})
	says := func(second float64, lock, key string, b BeliefState) {
		h.add(Belief{At: at(second), Contender: "c1", Lock: lock, Key: key, Lease: id, State: b})
	}
	h.put(1, x, "", id)
	says(1.1, "/x", x, BeliefHolding)
	says(1.2, "/y", y, BeliefWaiting)
	h.put(1.3, y, "", id)
	says(1.4, "/y", y, BeliefHolding)
	h.add(Tick{At: at(5)})
	for _, f := range h.state().Findings() {
		if f.Code != CodeSharedLease {
			t.Errorf("it holds both, and is found to be %s: %s", f.Code, f.Summary)
		}
	}
	says(6, "/y", y, BeliefLeaving)
	h.del(6.1, y)
	says(6.2, "/y", "", BeliefIdle)
	h.add(Tick{At: at(10)})
	if d := cmp.Diff([]string(nil), codes(h.state())); d != "" {
		t.Errorf("it holds the first one (-want +got)\n%s", d)
	}
	h.end(11, id)
	h.add(Tick{At: at(14)})
	if d := cmp.Diff([]string{"error stale-holder (strong) /x"}, codes(h.state())); d != "" {
		t.Errorf("it was not told that the first one went (-want +got)\n%s", d)
	}
	if all := h.state().Intervals("c1"); len(all) != 4 {
		t.Errorf("spells: %+v, want to hold and to believe for each lock", all)
	}
}

// A client that runs learns of its loss late; one that was paused has to be told of
// at once.
func TestWhoIsMerelyLateIsNoStaleHolder(t *testing.T) {
	for _, row := range []struct {
		reason string
		paused bool
		after  float64 // the loss
		want   []string
	}{
		{"a client counts by itself and looks once a second", false, 1.5, nil},
		{"longer than any healthy client takes", false, 2.5, []string{"error stale-holder (strong) /l"}},
		{"a pause is not a delay", true, 1, []string{"error stale-holder (strong) /l"}},
	} {
		h := twoContenders()
		if row.paused {
			h.add(Contender{At: at(3), Name: "c1", PID: 7, Lock: "/l", Recipe: "mutex", TTL: 10, Proc: ProcPaused})
		}
		h.end(4, 0xa1)
		h.add(Belief{At: at(4), Contender: "c2", Lock: "/l", State: BeliefHolding, Key: claimKey("/l", 0xb2), Lease: 0xb2})
		h.add(Tick{At: at(4 + row.after)})
		if d := cmp.Diff(row.want, codes(h.state())); d != "" {
			t.Errorf("%s (-want +got)\n%s", row.reason, d)
		}
	}
}

// A contender may say again that it holds: it did all the same when its key went.
func TestAStaleUnlockOfOneThatSpeaksAgain(t *testing.T) {
	h := twoContenders()
	key := claimKey("/l", 0xa1)
	h.del(4, key)
	h.add(Wrote{At: at(4), Client: sureOf("c1"), Key: key, Delete: true, Rev: h.rev, Told: true},
		Belief{At: at(4.1), Contender: "c1", Lock: "/l", Key: key, Lease: 0xa1, State: BeliefHolding, Text: "unlocked once more"},
		Belief{At: at(4.1), Contender: "c2", Lock: "/l", Key: claimKey("/l", 0xb2), Lease: 0xb2, State: BeliefHolding})
	h.add(Tick{At: at(8)})
	if d := cmp.Diff([]string{"error stale-unlock (certain) /l"}, codes(h.state())); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// What the lab revoked is known to be revoked, whoever speaks first.
func TestTheLabRevokes(t *testing.T) {
	for _, first := range []string{"the watch", "the lab"} {
		h := twoContenders()
		acted := Acted{At: at(4), Outcome: Outcome{At: at(4), Done: true,
			Action: Action{Kind: RevokeLease, Lock: "/l", Lease: 0xb2}}}
		if first == "the lab" {
			h.add(acted)
			h.del(4, claimKey("/l", 0xb2))
		} else {
			h.del(4, claimKey("/l", 0xb2))
			h.add(acted)
		}
		h.add(Tick{At: at(5)})
		for _, f := range h.state().Journal() {
			if f.Kind == EntryLeft && (f.Cause != CauseRevoked || f.Confidence != Certain) {
				t.Errorf("%s first: %s (%s)", first, f.Cause, f.Confidence)
			}
		}
	}
}

// A waiter whose process ended is dead, whatever its lease has left.
func TestAWaiterWhoseProcessEnded(t *testing.T) {
	h := twoContenders()
	h.add(Contender{At: at(3), Name: "c2", PID: 7, Lock: "/l", Recipe: "mutex", TTL: 10, Proc: ProcEnded, Ended: "killed"}, Tick{At: at(3.4)})
	if d := cmp.Diff([]string(nil), codes(h.state())); d != "" {
		t.Errorf("it may have let go in order (-want +got)\n%s", d)
	}
	h.add(Tick{At: at(4)})
	if d := cmp.Diff([]string{"warning dead-waiter (certain) /l"}, codes(h.state())); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
