package findings_test

import (
	"slices"
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/modeltest"
	"locktop/model/store"
	"locktop/model/text"

	"github.com/google/go-cmp/cmp"
)

// A contender that takes several locks says of one that it holds while it waits for
// the next, and lets them go in the opposite order.
func TestAContenderHasABeliefForEachLock(t *testing.T) {
	h := modeltest.New()
	h.Loaded(0)
	id := model.LeaseID(0xa1)
	x, y := modeltest.ClaimKey("/x", id), modeltest.ClaimKey("/y", id)
	h.Add(model.Contender{At: modeltest.At(1), Name: "c1", PID: 7, Lock: "/x", Recipe: "mutex", TTL: 10, Proc: model.ProcRunning},
		model.LeaseOwner{At: modeltest.At(1), Lease: id, Client: model.Client{Name: "c1", Certain: true}})
	says := func(second float64, lock, key string, b model.BeliefState) {
		h.Add(model.Belief{At: modeltest.At(second), Contender: "c1", Lock: lock, Key: key, Lease: id, State: b})
	}
	h.Put(1, x, "", id)
	says(1.1, "/x", x, model.BeliefHolding)
	says(1.2, "/y", y, model.BeliefWaiting)
	h.Put(1.3, y, "", id)
	says(1.4, "/y", y, model.BeliefHolding)
	h.Add(model.Tick{At: modeltest.At(5)})
	for _, f := range state(h).Findings() {
		if f.Code != model.CodeSharedLease {
			t.Errorf("it holds both, and is found to be %s: %s", f.Code, text.English(f.Summary))
		}
	}
	says(6, "/y", y, model.BeliefLeaving)
	h.Del(6.1, y)
	says(6.2, "/y", "", model.BeliefIdle)
	h.Add(model.Tick{At: modeltest.At(10)})
	if d := cmp.Diff([]string(nil), codes(state(h))); d != "" {
		t.Errorf("it holds the first one (-want +got)\n%s", d)
	}
	h.End(11, id)
	h.Add(model.Tick{At: modeltest.At(14)})
	if d := cmp.Diff([]string{"error stale-holder (strong) /x"}, codes(state(h))); d != "" {
		t.Errorf("it was not told that the first one went (-want +got)\n%s", d)
	}
	for _, lock := range []string{"/x", "/y"} {
		if all := state(h).Reports().Beliefs(lock); len(all) != 1 {
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
		{"longer than any healthy client takes", false, 2.5, []string{"error stale-holder (strong) /lock"}},
		{"a pause is not a delay", true, 1, []string{"error stale-holder (strong) /lock"}},
	} {
		h := modeltest.TwoContenders()
		if row.paused {
			h.Add(model.Contender{At: modeltest.At(3), Name: "c1", PID: 7, Lock: "/lock", Recipe: "mutex", TTL: 10, Proc: model.ProcPaused})
		}
		h.End(4, 0xa1)
		h.Add(model.Belief{At: modeltest.At(4), Contender: "c2", Lock: "/lock", State: model.BeliefHolding, Key: modeltest.ClaimKey("/lock", 0xb2), Lease: 0xb2})
		h.Add(model.Tick{At: modeltest.At(4 + row.after)})
		if d := cmp.Diff(row.want, codes(state(h))); d != "" {
			t.Errorf("%s (-want +got)\n%s", row.reason, d)
		}
	}
}

// A contender may say again that it holds: it did all the same when its key went.
func TestAStaleUnlockOfOneThatSpeaksAgain(t *testing.T) {
	h := modeltest.TwoContenders()
	key := modeltest.ClaimKey("/lock", 0xa1)
	h.Del(4, key)
	h.Add(model.Wrote{At: modeltest.At(4), Client: model.Client{Name: "c1", Certain: true}, Key: key, Delete: true, Took: true, Rev: h.Rev, Told: true},
		model.Belief{At: modeltest.At(4.1), Contender: "c1", Lock: "/lock", Key: key, Lease: 0xa1, State: model.BeliefHolding, Text: "unlocked once more"},
		model.Belief{At: modeltest.At(4.1), Contender: "c2", Lock: "/lock", Key: modeltest.ClaimKey("/lock", 0xb2), Lease: 0xb2, State: model.BeliefHolding})
	h.Add(model.Tick{At: modeltest.At(8)})
	if d := cmp.Diff([]string{"error stale-unlock (certain) /lock"}, codes(state(h))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// What the lab revoked is known to be revoked, whoever speaks first.
func TestTheLabRevokes(t *testing.T) {
	for _, first := range []string{"the watch", "the lab"} {
		h := modeltest.TwoContenders()
		acted := model.Acted{At: modeltest.At(4), Outcome: model.Outcome{At: modeltest.At(4), Done: true, Rev: h.Rev + 1,
			Action: model.Action{Kind: model.RevokeLease, Lock: "/lock", Lease: 0xb2}}}
		if first == "the lab" {
			h.Add(acted)
			h.Del(4, modeltest.ClaimKey("/lock", 0xb2))
		} else {
			h.Del(4, modeltest.ClaimKey("/lock", 0xb2))
			h.Add(acted)
		}
		h.Add(model.Tick{At: modeltest.At(5)})
		for _, f := range state(h).Journal() {
			if f.Kind == journal.Left && (f.Cause != journal.CauseRevoked || f.Confidence != model.Certain) {
				t.Errorf("%s first: %s (%s)", first, f.Cause, f.Confidence)
			}
		}
	}
}

// A waiter whose process ended is dead, whatever its lease has left.
func TestAWaiterWhoseProcessEnded(t *testing.T) {
	h := modeltest.TwoContenders()
	h.Add(model.Contender{At: modeltest.At(3), Name: "c2", PID: 7, Lock: "/lock", Recipe: "mutex", TTL: 10, Proc: model.ProcEnded, Ended: "killed"}, model.Tick{At: modeltest.At(3.4)})
	if d := cmp.Diff([]string(nil), codes(state(h))); d != "" {
		t.Errorf("it may have let go in order (-want +got)\n%s", d)
	}
	h.Add(model.Tick{At: modeltest.At(4)})
	if d := cmp.Diff([]string{"warning dead-waiter (certain) /lock"}, codes(state(h))); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// TestANewProcessHasSaidNothing: what the one before it under its name believed is not held against it.
func TestANewProcessHasSaidNothing(t *testing.T) {
	for _, r := range []struct {
		who    string
		lease  model.LeaseID
		reason string
	}{
		{"c1", 0xa1, "its forerunner held"},
		{"c2", 0xb2, "its forerunner waited"},
	} {
		h := modeltest.TwoContenders()
		proc := func(sec float64, pid int, how model.ProcState) {
			h.Add(model.Contender{At: modeltest.At(sec), Name: r.who, PID: pid, Lock: "/lock", Recipe: "mutex", TTL: 10, Proc: how})
		}
		proc(3, 7, model.ProcEnded)
		h.End(13, r.lease)
		proc(20, 8, model.ProcRunning)
		h.Add(model.Tick{At: modeltest.At(20)}, model.Tick{At: modeltest.At(26)})
		for _, l := range codes(state(h)) {
			if strings.Contains(l, string(model.CodeStaleHolder)) || strings.Contains(l, string(model.CodeZombieCandidate)) {
				t.Errorf("%s: %s", r.reason, l)
			}
		}
	}
}

// TestAHolderThatSaysSoIsNotHeldLong: a lesson waits for its reader, and its contenders hold
// meanwhile. Of one that is paused, or says something else, etcd is all there is to go by.
func TestAHolderThatSaysSoIsNotHeldLong(t *testing.T) {
	key := modeltest.ClaimKey("/lock", 0xa1)
	for _, r := range []struct {
		reason string
		proc   model.ProcState
		state  model.BeliefState
		want   bool
	}{
		{"it says that it holds", model.ProcRunning, model.BeliefHolding, false},
		{"it said so, and is paused", model.ProcPaused, model.BeliefHolding, true},
		{"it does not know yet", model.ProcRunning, model.BeliefWaiting, true},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Add(model.Contender{At: modeltest.At(1), Name: "c1", PID: 7, Lock: "/lock", Recipe: "mutex", TTL: 2, Proc: model.ProcRunning})
		h.Put(1, key, "", 0xa1)
		h.Put(1, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
		h.Add(model.Belief{At: modeltest.At(2), Contender: "c1", Lock: "/lock", Key: key, Lease: 0xa1, State: r.state},
			model.Contender{At: modeltest.At(3), Name: "c1", PID: 7, Lock: "/lock", Recipe: "mutex", TTL: 2, Proc: r.proc})
		h.Read(40, 0xa1, 2, 1)
		s := store.New()
		s.Apply(model.Batch{Events: h.Events})
		if got := slices.ContainsFunc(s.Findings(), func(f model.Finding) bool { return f.Code == model.CodeLongHeld }); got != r.want {
			t.Errorf("%s: found %v, want long-held: %v", r.reason, codes(s), r.want)
		}
	}
}

// TestOneKeyIsNotOneClaim: programs that share a key one after the other share no session. Who
// believes on by the key of another is a stale holder; workers of one session do hold by one
// claim.
func TestOneKeyIsNotOneClaim(t *testing.T) {
	const a, b = model.LeaseID(0xa1), model.LeaseID(0xb2)
	type word struct {
		who   string
		lease model.LeaseID
		token int64 // 1: the revision of the first claim, 2: that of the second
	}
	stale, shared := []string{"error stale-holder (strong) /locks/job"}, []string{"error same-session (strong) /locks/job"}
	for _, r := range []struct {
		reason        string
		first, second word
		again         model.LeaseID // of the claim that came after the first went; 0: it stays
		letsGo        bool          // the first says so
		want          []string
		overlaps      int
	}{
		{"another program has the key, with a lease of its own", word{"a", a, 0}, word{"b", b, 0}, b, false, stale, 1},
		{"and both show their tokens", word{"a", a, 1}, word{"b", b, 2}, b, false, stale, 1},
		{"they tell no lease, but tokens", word{"a", 0, 1}, word{"b", 0, 2}, b, false, stale, 1},
		{"a session made the key anew, and one of its workers means the old one", word{"a.1", a, 1}, word{"a.2", a, 2}, a, false, stale, 1},
		{"the first let go before", word{"a", a, 1}, word{"b", b, 2}, b, true, nil, 0},
		{"two workers of one session, and one claim", word{"a.1", a, 1}, word{"a.2", a, 1}, 0, false, shared, 0},
		{"the token is the revision of the answer, which is later", word{"a.1", a, 1}, word{"a.2", a, 2}, 0, false, shared, 0},
		{"they name the key alone", word{"a.1", 0, 0}, word{"a.2", 0, 0}, 0, false, shared, 0},
	} {
		h := modeltest.New()
		h.Loaded(0)
		tokens := []int64{0, 0, 0}
		says := func(second float64, w word, state model.BeliefState) {
			h.Add(model.Belief{At: modeltest.At(second), Contender: w.who, Lock: "/locks/job", Key: "/locks/job", Lease: w.lease, Token: tokens[w.token], State: state})
		}
		for _, name := range []string{"a", "b"} {
			h.Add(model.Contender{At: modeltest.At(1), Name: name, PID: 7, Lock: "/locks/job", Recipe: "single", TTL: 10, Proc: model.ProcRunning})
		}
		h.Put(2, "/locks/job", "", a)
		tokens[1], tokens[2] = h.Rev, h.Rev+1
		says(2, r.first, model.BeliefHolding)
		if r.letsGo {
			says(5, r.first, model.BeliefLeaving)
		}
		if r.again != 0 {
			h.Del(5, "/locks/job")
			if r.letsGo {
				says(5.1, r.first, model.BeliefIdle)
			}
			h.Put(6, "/locks/job", "", r.again)
			tokens[2] = h.Rev
		}
		says(6, r.second, model.BeliefHolding)
		h.Add(model.Tick{At: modeltest.At(9)})
		s := state(h)
		if d := cmp.Diff(r.want, codes(s)); d != "" {
			t.Errorf("%s (-want +got)\n%s", r.reason, d)
		}
		if all := s.Reports().Overlaps("/locks/job"); len(all) != r.overlaps {
			t.Errorf("%s: overlaps %+v, want %d", r.reason, all, r.overlaps)
		}
	}
}

// TestWhoHeldBeforeIsNoGhost: one who locked twice with one session, and let go once, believes on
// by a key that is gone. It did hold by it; who never did is another finding.
func TestWhoHeldBeforeIsNoGhost(t *testing.T) {
	key := modeltest.ClaimKey("/lock", 0xa1)
	for _, r := range []struct {
		held   bool // before the key went
		want   string
		reason string
	}{
		{true, "error stale-holder (strong) /lock", "it locked twice and let go once"},
		{false, "error expired-waiter-wins (certain) /lock", "it waited until its key was gone, and was told that it won"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Add(model.Contender{At: modeltest.At(1), Name: "c1", PID: 7, Lock: "/lock", Recipe: "mutex", TTL: 10, Proc: model.ProcRunning})
		h.Put(1, key, "", 0xa1)
		token := h.Rev
		says := func(second float64, state model.BeliefState) {
			h.Add(model.Belief{At: modeltest.At(second), Contender: "c1", Lock: "/lock", Key: key, Lease: 0xa1, Token: token, State: state})
		}
		if r.held {
			says(2, model.BeliefHolding)
			says(4, model.BeliefLeaving)
		} else {
			says(2, model.BeliefWaiting)
		}
		h.Del(4.1, key)
		says(4.2, model.BeliefHolding)
		h.Put(4.3, modeltest.ClaimKey("/lock", 0xb2), "", 0xb2)
		h.Add(model.Tick{At: modeltest.At(9)})
		if d := cmp.Diff([]string{r.want}, codes(state(h))); d != "" {
			t.Errorf("%s (-want +got)\n%s", r.reason, d)
		}
	}
}

// TestABeliefThatNamesNoClaim: a line of a program's output says that it holds, and not by what.
// It is held against the claims of leases that are certainly its own; where none is known, its
// word is held against nothing.
func TestABeliefThatNamesNoClaim(t *testing.T) {
	const a, b, again = model.LeaseID(0xa1), model.LeaseID(0xb2), model.LeaseID(0xa3)
	stale := []string{"error stale-holder (strong) /lock"}
	for _, r := range []struct {
		reason string
		owner  model.Client // of the leases a and again
		lost   bool         // its key goes at 5 s, and b is next
		back   bool         // and it takes the lock anew at 6 s, without another word
		late   bool         // the proxy tells of its lease after its word
		want   []string
		over   int
	}{
		{"it holds", model.Client{Name: "a", Certain: true}, false, false, false, nil, 0},
		{"it holds, and its lease is told of later", model.Client{Name: "a", Certain: true}, false, false, true, nil, 0},
		{"it lost the lock, and believes on", model.Client{Name: "a", Certain: true}, true, false, false, stale, 1},
		{"it took the lock again, with another session", model.Client{Name: "a", Certain: true}, true, true, false, nil, 1},
		{"whose the lease is, is a guess", model.Client{Name: "a"}, true, false, false, nil, 0},
		{"the lease is somebody else's", model.Client{Name: "z", Certain: true}, true, false, false, nil, 0},
	} {
		h := modeltest.New()
		h.Loaded(0)
		owns := func(second float64, id model.LeaseID, c model.Client) {
			h.Add(model.LeaseOwner{At: modeltest.At(second), Lease: id, Client: c})
		}
		for i, name := range []string{"a", "b"} {
			h.Add(model.Contender{At: modeltest.At(0.5), Name: name, PID: 7 + i, Lock: "/lock", Recipe: "mutex", TTL: 10, Proc: model.ProcRunning})
		}
		if !r.late {
			owns(0.6, a, r.owner)
		}
		owns(0.6, b, model.Client{Name: "b", Certain: true})
		h.Put(1, modeltest.ClaimKey("/lock", a), "", a)
		h.Put(1.5, modeltest.ClaimKey("/lock", b), "", b)
		h.Add(model.Belief{At: modeltest.At(2), Contender: "a", Lock: "/lock", State: model.BeliefHolding})
		if r.late {
			owns(2.1, a, r.owner)
		}
		if r.lost {
			h.Del(5, modeltest.ClaimKey("/lock", a))
		}
		if r.back {
			owns(5.5, again, r.owner)
			h.Put(5.6, modeltest.ClaimKey("/lock", again), "", again)
			h.Del(6, modeltest.ClaimKey("/lock", b))
		}
		h.Add(model.Tick{At: modeltest.At(9)})
		s := state(h)
		if d := cmp.Diff(r.want, codes(s)); d != "" {
			t.Errorf("%s (-want +got)\n%s", r.reason, d)
		}
		if all := s.Reports().Overlaps("/lock"); len(all) != r.over {
			t.Errorf("%s: overlaps %+v, want %d", r.reason, all, r.over)
		}
	}
}
