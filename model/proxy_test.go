package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func sureOf(name string) Client { return Client{Name: name, Certain: true} }

// twoContenders is c1 that holds /l and c2 behind it, as the lab reports them.
func twoContenders() *History {
	h := New()
	h.Loaded(0)
	for i, id := range []LeaseID{0xa1, 0xb2} {
		name := fmt.Sprint("c", i+1)
		h.Add(Contender{At: At(1), Name: name, PID: 7, Lock: "/l", Recipe: "mutex", TTL: 10, Proc: ProcRunning},
			LeaseOwner{At: At(1), Lease: id, Client: sureOf(name)})
		h.Put(1+float64(i), ClaimKey("/l", id), "", id)
		h.Add(Belief{At: At(1 + float64(i)), Contender: name, Lock: "/l", Key: ClaimKey("/l", id), Lease: id,
			State: []BeliefState{BeliefHolding, BeliefWaiting}[i]})
	}
	return h
}

// The proxy and the watch do not wait for each other.
func TestTheProxySaysWhoDeleted(t *testing.T) {
	rows := []struct {
		reason, who string
		cause       Cause
		words       string
	}{
		{"its own unlock", "c1", CauseReleased, "the proxy saw its owner c1 delete it"},
		{"somebody else's", "c9", CauseDeleted, "the proxy saw c9 delete it, which is not its owner c1"},
	}
	for _, row := range rows {
		for _, first := range []string{"the watch", "the proxy"} {
			h := twoContenders()
			key := ClaimKey("/l", 0xa1)
			wrote := Wrote{At: At(3), Client: sureOf(row.who), Key: key, Delete: true, Rev: h.Rev + 1, Told: true}
			if first == "the proxy" {
				h.Add(wrote)
				h.Del(3.1, key)
			} else {
				h.Del(3.1, key)
				h.Add(wrote)
			}
			facts := state(h).Journal()
			i := slices.IndexFunc(facts, func(f *JournalEntry) bool { return f.Kind == EntryHandover })
			if i < 0 {
				t.Fatalf("%s: no handover", row.reason)
			}
			if f := facts[i]; f.Cause != row.cause || f.Confidence != Certain || f.Pending || f.Evidence != row.words {
				t.Errorf("%s, seen by %s first: %s (%s, pending %v): %s", row.reason, first, f.Cause, f.Confidence, f.Pending, f.Evidence)
			}
		}
	}
}

func TestAPutThatIsNotToldIsAGhostOnlyIfItIsNotKnown(t *testing.T) {
	key := ClaimKey("/l", 0xc3)
	put := func(rev int64, told bool) Wrote {
		return Wrote{At: At(4), Client: sureOf("c3"), Key: key, Lease: 0xc3, Rev: rev, Told: told}
	}
	rows := []struct {
		name, reason string
		tell         func(h *History)
		want         bool
	}{
		{"not told", "it does not know", func(h *History) { h.Put(4, key, "", 0xc3); h.Add(put(h.Rev, false)) }, true},
		{"the proxy first", "sources do not wait for each other", func(h *History) { h.Add(put(h.Rev+1, false)); h.Put(4, key, "", 0xc3) }, true},
		{"told", "it knows", func(h *History) { h.Put(4, key, "", 0xc3); h.Add(put(h.Rev, true)) }, false},
		{"a later put of the same claim", "a proposal whose answer is lost is no ghost", func(h *History) {
			h.Put(4, key, "", 0xc3)
			h.Add(put(h.Rev, true))
			h.Put(4, key, "x", 0xc3)
			h.Add(put(h.Rev, false))
		}, false},
		{"taken again", "that it knew of the claim before says nothing about the next of that name", func(h *History) {
			h.Put(4, key, "", 0xc3)
			h.Add(put(h.Rev, true))
			h.Del(4, key)
			h.Add(Wrote{At: At(4), Client: sureOf("c3"), Key: key, Delete: true, Rev: h.Rev, Told: true})
			h.Put(4, key, "", 0xc3)
			h.Add(put(h.Rev, false))
		}, true},
		{"its own word", "it says that it waits by that key, after the put", func(h *History) {
			h.Put(4, key, "", 0xc3)
			h.Add(put(h.Rev, false), Belief{At: At(4.1), Contender: "c3", Lock: "/l", State: BeliefWaiting, Key: key, Lease: 0xc3})
		}, false},
		{"ended", "its process is gone, so its lease ends", func(h *History) {
			h.Add(Contender{At: At(3), Name: "c3", Lock: "/l", Proc: ProcRunning})
			h.Put(4, key, "", 0xc3)
			h.Add(put(h.Rev, false), Contender{At: At(5), Name: "c3", Lock: "/l", Proc: ProcEnded})
		}, false},
		{"gone", "there is nothing left", func(h *History) {
			h.Put(4, key, "", 0xc3)
			h.Add(put(h.Rev, false))
			h.Del(5, key)
		}, false},
	}
	for _, row := range rows {
		h := twoContenders()
		row.tell(h)
		h.Add(Tick{At: At(8)})
		got := slices.ContainsFunc(state(h).Findings(), func(f Finding) bool { return f.Code == CodeGhostWaiter })
		if got != row.want {
			t.Errorf("%s: found %v; %s", row.name, got, row.reason)
		}
	}
}

func TestSpellsAndOverlaps(t *testing.T) {
	h := twoContenders()
	h.End(4, 0xa1)
	h.Add(Belief{At: At(4), Contender: "c2", Lock: "/l", State: BeliefHolding, Key: ClaimKey("/l", 0xb2), Lease: 0xb2},
		Belief{At: At(4.8), Contender: "c1", Lock: "/l", State: BeliefLost, Key: ClaimKey("/l", 0xa1), Lease: 0xa1})
	s := state(h)
	words := func(list []Interval) string {
		var b strings.Builder
		for _, sp := range list {
			to := "on"
			if !sp.To.IsZero() {
				to = fmt.Sprint(sp.To.Sub(Start).Seconds())
			}
			fmt.Fprintf(&b, "%s %v-%s; ", sp.Kind, sp.From.Sub(Start).Seconds(), to)
		}
		return b.String()
	}
	if d := cmp.Diff("holds 1-4; believes 1-4.8; ", words(s.Intervals("c1"))); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff("waits 2-4; holds 4-on; believes 4-on; ", words(s.Intervals("c2"))); d != "" {
		t.Error(d)
	}
	all := s.Overlaps("/l")
	if len(all) != 1 || all[0].Believer != "c1" || all[0].Who != "c2" || all[0].For(s.Now()) != 800*time.Millisecond || all[0].To.IsZero() {
		t.Errorf("overlaps: %+v", all)
	}
}

func TestAContenderThatLetGoOverlapsNobody(t *testing.T) {
	h := twoContenders()
	h.Del(4, ClaimKey("/l", 0xa1))
	h.Add(Wrote{At: At(4), Client: sureOf("c1"), Key: ClaimKey("/l", 0xa1), Delete: true, Rev: h.Rev, Told: true},
		Belief{At: At(4.03), Contender: "c1", Lock: "/l", State: BeliefIdle})
	if all := state(h).Overlaps("/l"); len(all) != 0 {
		t.Errorf("overlaps: %+v", all)
	}
}

func TestClients(t *testing.T) {
	h := twoContenders()
	foreign := Client{Name: "127.0.0.1:5"}
	h.Add(Connected{At: At(3), Client: sureOf("c1"), Peer: "127.0.0.1:4", Member: "m1:1", On: true},
		Connected{At: At(3), Client: foreign, Peer: "127.0.0.1:5", Agent: "grpc-go/1.7", Member: "m1:1", On: true},
		LeaseOwner{At: At(4), Client: foreign, Lease: 0xf1}, LeaseOwner{At: At(4), Client: foreign, Lease: 0xf1, Renews: true},
		Watches{At: At(4), Client: foreign, Key: "/l/x", On: true},
		Connected{At: At(5), Client: Client{Name: "127.0.0.1:6"}, Peer: "127.0.0.1:6", On: true},
		Connected{At: At(6), Client: Client{Name: "127.0.0.1:6"}, Peer: "127.0.0.1:6"})
	want := []ClientInfo{{Client: foreign, Peer: "127.0.0.1:5", Agent: "grpc-go/1.7", Member: "m1:1", Connections: 1,
		Granted: 1, Renewed: 1, Watches: 1, Since: At(3)}}
	if d := cmp.Diff(want, state(h).Clients()); d != "" {
		t.Errorf("contenders and those that went are not listed (-want +got)\n%s", d)
	}
}
