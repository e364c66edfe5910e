package diagnose_test

import (
	"testing"

	"locktop/model"
	"locktop/model/history"

	"github.com/google/go-cmp/cmp"
)

// A contender that takes several locks says of one that it holds while it waits for
// the next, and lets them go in the opposite order.
func TestAContenderHasABeliefForEachLock(t *testing.T) {
	h := history.New()
	h.Loaded(0)
	id := model.LeaseID(0xa1)
	x, y := history.ClaimKey("/x", id), history.ClaimKey("/y", id)
	h.Add(model.Contender{At: history.At(1), Name: "c1", PID: 7, Lock: "/x", Recipe: "mutex", TTL: 10, Proc: model.ProcRunning},
		model.LeaseOwner{At: history.At(1), Lease: id, Client: model.Client{Name: "c1", Certain: true}})
	says := func(second float64, lock, key string, b model.BeliefState) {
		h.Add(model.Belief{At: history.At(second), Contender: "c1", Lock: lock, Key: key, Lease: id, State: b})
	}
	h.Put(1, x, "", id)
	says(1.1, "/x", x, model.BeliefHolding)
	says(1.2, "/y", y, model.BeliefWaiting)
	h.Put(1.3, y, "", id)
	says(1.4, "/y", y, model.BeliefHolding)
	h.Add(model.Tick{At: history.At(5)})
	for _, f := range state(h).Findings() {
		if f.Code != model.CodeSharedLease {
			t.Errorf("it holds both, and is found to be %s: %s", f.Code, f.Summary)
		}
	}
	says(6, "/y", y, model.BeliefLeaving)
	h.Del(6.1, y)
	says(6.2, "/y", "", model.BeliefIdle)
	h.Add(model.Tick{At: history.At(10)})
	if d := cmp.Diff([]string(nil), codes(state(h))); d != "" {
		t.Errorf("it holds the first one (-want +got)\n%s", d)
	}
	h.End(11, id)
	h.Add(model.Tick{At: history.At(14)})
	if d := cmp.Diff([]string{"error stale-holder (strong) /x"}, codes(state(h))); d != "" {
		t.Errorf("it was not told that the first one went (-want +got)\n%s", d)
	}
	for _, lock := range []string{"/x", "/y"} {
		if all := state(h).Beliefs(lock); len(all) != 1 {
			t.Errorf("%s: beliefs %+v, want one of each lock", lock, all)
		}
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
		h := history.TwoContenders()
		if row.paused {
			h.Add(model.Contender{At: history.At(3), Name: "c1", PID: 7, Lock: "/l", Recipe: "mutex", TTL: 10, Proc: model.ProcPaused})
		}
		h.End(4, 0xa1)
		h.Add(model.Belief{At: history.At(4), Contender: "c2", Lock: "/l", State: model.BeliefHolding, Key: history.ClaimKey("/l", 0xb2), Lease: 0xb2})
		h.Add(model.Tick{At: history.At(4 + row.after)})
		if d := cmp.Diff(row.want, codes(state(h))); d != "" {
			t.Errorf("%s (-want +got)\n%s", row.reason, d)
		}
	}
}

// A contender may say again that it holds: it did all the same when its key went.
func TestAStaleUnlockOfOneThatSpeaksAgain(t *testing.T) {
	h := history.TwoContenders()
	key := history.ClaimKey("/l", 0xa1)
	h.Del(4, key)
	h.Add(model.Wrote{At: history.At(4), Client: model.Client{Name: "c1", Certain: true}, Key: key, Delete: true, Took: true, Rev: h.Rev, Told: true},
		model.Belief{At: history.At(4.1), Contender: "c1", Lock: "/l", Key: key, Lease: 0xa1, State: model.BeliefHolding, Text: "unlocked once more"},
		model.Belief{At: history.At(4.1), Contender: "c2", Lock: "/l", Key: history.ClaimKey("/l", 0xb2), Lease: 0xb2, State: model.BeliefHolding})
	h.Add(model.Tick{At: history.At(8)})
	if d := cmp.Diff([]string{"error stale-unlock (certain) /l"}, codes(state(h))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// What the lab revoked is known to be revoked, whoever speaks first.
func TestTheLabRevokes(t *testing.T) {
	for _, first := range []string{"the watch", "the lab"} {
		h := history.TwoContenders()
		acted := model.Acted{At: history.At(4), Outcome: model.Outcome{At: history.At(4), Done: true, Rev: h.Rev + 1,
			Action: model.Action{Kind: model.RevokeLease, Lock: "/l", Lease: 0xb2}}}
		if first == "the lab" {
			h.Add(acted)
			h.Del(4, history.ClaimKey("/l", 0xb2))
		} else {
			h.Del(4, history.ClaimKey("/l", 0xb2))
			h.Add(acted)
		}
		h.Add(model.Tick{At: history.At(5)})
		for _, f := range state(h).Journal() {
			if f.Kind == model.EntryLeft && (f.Cause != model.CauseRevoked || f.Confidence != model.Certain) {
				t.Errorf("%s first: %s (%s)", first, f.Cause, f.Confidence)
			}
		}
	}
}

// A waiter whose process ended is dead, whatever its lease has left.
func TestAWaiterWhoseProcessEnded(t *testing.T) {
	h := history.TwoContenders()
	h.Add(model.Contender{At: history.At(3), Name: "c2", PID: 7, Lock: "/l", Recipe: "mutex", TTL: 10, Proc: model.ProcEnded, Ended: "killed"}, model.Tick{At: history.At(3.4)})
	if d := cmp.Diff([]string(nil), codes(state(h))); d != "" {
		t.Errorf("it may have let go in order (-want +got)\n%s", d)
	}
	h.Add(model.Tick{At: history.At(4)})
	if d := cmp.Diff([]string{"warning dead-waiter (certain) /l"}, codes(state(h))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}
