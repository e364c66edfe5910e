package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/modeltest"
	"locktop/model/reports"
	"locktop/model/text"

	"github.com/google/go-cmp/cmp"
)

func sureOf(name string) model.Client { return model.Client{Name: name, Certain: true} }

// The proxy and the watch do not wait for each other.
func TestTheProxySaysWhoDeleted(t *testing.T) {
	rows := []struct {
		reason, who string
		cause       journal.Cause
		words       string
	}{
		{"its own unlock", "c1", journal.CauseReleased, "the proxy saw its owner c1 delete it"},
		{"somebody else's", "c9", journal.CauseDeleted, "the proxy saw c9 delete it, which is not its owner c1"},
	}
	for _, row := range rows {
		for _, first := range []string{"the watch", "the proxy"} {
			h := modeltest.TwoContenders()
			key := modeltest.ClaimKey("/lock", 0xa1)
			wrote := model.Wrote{At: modeltest.At(3), Client: sureOf(row.who), Key: key, Delete: true, Took: true, Rev: h.Rev + 1, Told: true}
			if first == "the proxy" {
				h.Add(wrote)
				h.Del(3.1, key)
			} else {
				h.Del(3.1, key)
				h.Add(wrote)
			}
			facts := state(h).Journal()
			i := slices.IndexFunc(facts, func(f *journal.Entry) bool { return f.Kind == journal.Handover })
			if i < 0 {
				t.Fatalf("%s: no handover", row.reason)
			}
			if f := facts[i]; f.Cause != row.cause || f.Confidence != model.Certain || f.Pending || text.English(f.Evidence) != row.words {
				t.Errorf("%s, seen by %s first: %s (%s, pending %v): %s", row.reason, first, f.Cause, f.Confidence, f.Pending, text.English(f.Evidence))
			}
		}
	}
}

// TestTheProxySaysWhoRevoked: nobody needs a reading of the lease, which comes too rarely where a
// lease is short or the machine busy. What is surer stays.
func TestTheProxySaysWhoRevoked(t *testing.T) {
	key := modeltest.ClaimKey("/lock", 0xa1)
	const nothing = "its lease has not been read since"
	for _, row := range []struct {
		reason, who string
		lease       model.LeaseID
		rev         int64 // after that of the going
		deleted     bool  // the proxy saw the key deleted, too
		cause       journal.Cause
		sure        model.Confidence
		words       string
	}{
		{"its owner closes its session", "c1", 0xa1, 0, false, journal.CauseRevoked, model.Strong, "the proxy saw its owner c1 revoke its lease"},
		{"somebody else does", "c9", 0xa1, 0, false, journal.CauseRevoked, model.Strong, "the proxy saw c9 revoke its lease, which is that of c1"},
		{"somebody whose name is a guess", "127.0.0.1:7", 0xa1, 0, false, journal.CauseRevoked, model.Strong, "the proxy saw its lease revoked"},
		{"the lease had no keys any more", "c1", 0xa1, 1, false, journal.CauseUnknown, model.Hint, nothing},
		{"another lease", "c1", 0xb2, 0, false, journal.CauseUnknown, model.Hint, nothing},
		{"the member refused", "c1", 0xa1, -1000, false, journal.CauseUnknown, model.Hint, nothing},
		{"it unlocked, and closed its session before anything else was written", "c1", 0xa1, 0, true, journal.CauseReleased, model.Certain, "the proxy saw its owner c1 delete it"},
	} {
		for _, first := range []string{"the watch", "the proxy"} {
			h := modeltest.TwoContenders()
			told := []model.Event{model.Revoked{At: modeltest.At(3), Client: model.Client{Name: row.who, Certain: row.who[0] == 'c'}, Lease: row.lease, Rev: max(0, h.Rev+1+row.rev)}}
			if row.deleted {
				told = append(told, model.Wrote{At: modeltest.At(3), Client: sureOf(row.who), Key: key, Delete: true, Took: true, Rev: h.Rev + 1, Told: true})
			}
			if first == "the proxy" {
				h.Add(told...)
			}
			h.Del(3.1, key)
			if first == "the watch" {
				h.Add(told...)
			}
			facts := state(h).Journal()
			i := slices.IndexFunc(facts, func(f *journal.Entry) bool { return f.Kind == journal.Handover })
			if i < 0 {
				t.Fatalf("%s: no handover", row.reason)
			}
			if f := facts[i]; f.Cause != row.cause || f.Confidence != row.sure || f.Pending != (row.cause == journal.CauseUnknown) || text.English(f.Evidence) != row.words {
				t.Errorf("%s, seen by %s first: %s (%s, pending %v): %s", row.reason, first, f.Cause, f.Confidence, f.Pending, text.English(f.Evidence))
			}
		}
	}
}

// A delete that found nothing is answered with the revision of whatever came last. Who was
// paused beyond its TTL sends one when it wakes, and that may be the revision at which its
// lease ended.
func TestADeleteThatFoundNothingExplainsNothing(t *testing.T) {
	key := modeltest.ClaimKey("/lock", 0xa1)
	for _, row := range []struct {
		reason       string
		took, missed bool
		rev          int64 // after that of the end
		want         model.Confidence
		cause        journal.Cause
	}{
		{"it woke, and its key had gone", false, true, 0, model.Strong, journal.CauseExpired},
		{"the lock service does not say whether there was a key", false, false, 0, model.Strong, journal.CauseExpired},
		{"it took another key of that name, later", true, false, 1, model.Strong, journal.CauseExpired},
		{"its delete came first, just before the end", true, false, 0, model.Certain, journal.CauseReleased},
	} {
		for _, early := range []bool{true, false} {
			h := modeltest.TwoContenders()
			h.Read(4, 0xa1, 10, 1)
			h.Read(5, 0xa1, 10, 0)
			wrote := model.Wrote{At: modeltest.At(6.2), Client: sureOf("c1"), Key: key, Delete: true, Took: row.took, Missed: row.missed, Rev: h.Rev + 1 + row.rev, Told: true}
			if early {
				h.Add(wrote)
			}
			h.End(6.1, 0xa1)
			h.Read(6.2, 0xa1, 0, -1)
			if !early {
				h.Add(wrote)
			}
			for _, f := range state(h).Journal() {
				if f.Kind == journal.Handover && (f.Cause != row.cause || f.Confidence != row.want) {
					t.Errorf("%s (reported first: %v): %s (%s), %s; want %s (%s)", row.reason, early, f.Cause, f.Confidence, text.English(f.Evidence), row.cause, row.want)
				}
			}
		}
	}
}

func TestAPutThatIsNotToldIsAGhostOnlyIfItIsNotKnown(t *testing.T) {
	key := modeltest.ClaimKey("/lock", 0xc3)
	put := func(rev int64, told bool) model.Wrote {
		return model.Wrote{At: modeltest.At(4), Client: sureOf("c3"), Key: key, Lease: 0xc3, Rev: rev, Told: told}
	}
	rows := []struct {
		name, reason string
		tell         func(h *modeltest.History)
		want         bool
	}{
		{"not told", "it does not know", func(h *modeltest.History) { h.Put(4, key, "", 0xc3); h.Add(put(h.Rev, false)) }, true},
		{"the proxy first", "sources do not wait for each other", func(h *modeltest.History) { h.Add(put(h.Rev+1, false)); h.Put(4, key, "", 0xc3) }, true},
		{"told", "it knows", func(h *modeltest.History) { h.Put(4, key, "", 0xc3); h.Add(put(h.Rev, true)) }, false},
		{"a later put of the same claim", "a proposal whose answer is lost is no ghost", func(h *modeltest.History) {
			h.Put(4, key, "", 0xc3)
			h.Add(put(h.Rev, true))
			h.Put(4, key, "x", 0xc3)
			h.Add(put(h.Rev, false))
		}, false},
		{"taken again", "that it knew of the claim before says nothing about the next of that name", func(h *modeltest.History) {
			h.Put(4, key, "", 0xc3)
			h.Add(put(h.Rev, true))
			h.Del(4, key)
			h.Add(model.Wrote{At: modeltest.At(4), Client: sureOf("c3"), Key: key, Delete: true, Took: true, Rev: h.Rev, Told: true})
			h.Put(4, key, "", 0xc3)
			h.Add(put(h.Rev, false))
		}, true},
		{"its own word", "it says that it waits by that key, after the put", func(h *modeltest.History) {
			h.Put(4, key, "", 0xc3)
			h.Add(put(h.Rev, false), model.Belief{At: modeltest.At(4.1), Contender: "c3", Lock: "/lock", State: model.BeliefWaiting, Key: key, Lease: 0xc3})
		}, false},
		{"ended", "its process is gone, so its lease ends", func(h *modeltest.History) {
			h.Add(model.Contender{At: modeltest.At(3), Name: "c3", Lock: "/lock", Proc: model.ProcRunning})
			h.Put(4, key, "", 0xc3)
			h.Add(put(h.Rev, false), model.Contender{At: modeltest.At(5), Name: "c3", Lock: "/lock", Proc: model.ProcEnded})
		}, false},
		{"gone", "there is nothing left", func(h *modeltest.History) {
			h.Put(4, key, "", 0xc3)
			h.Add(put(h.Rev, false))
			h.Del(5, key)
		}, false},
	}
	for _, row := range rows {
		h := modeltest.TwoContenders()
		row.tell(h)
		h.Add(model.Tick{At: modeltest.At(8)})
		got := slices.ContainsFunc(state(h).Findings(), func(f model.Finding) bool { return f.Code == model.CodeGhostWaiter })
		if got != row.want {
			t.Errorf("%s: found %v; %s", row.name, got, row.reason)
		}
	}
}

func TestStaysAndOverlaps(t *testing.T) {
	h := modeltest.TwoContenders()
	h.End(4, 0xa1)
	h.Add(model.Belief{At: modeltest.At(4), Contender: "c2", Lock: "/lock", State: model.BeliefHolding, Key: modeltest.ClaimKey("/lock", 0xb2), Lease: 0xb2},
		model.Belief{At: modeltest.At(4.8), Contender: "c1", Lock: "/lock", State: model.BeliefLost, Key: modeltest.ClaimKey("/lock", 0xa1), Lease: 0xa1})
	s := state(h)
	second := func(at time.Time) string {
		if at.IsZero() {
			return "-"
		}
		return fmt.Sprint(at.Sub(modeltest.Start).Seconds())
	}
	var b strings.Builder
	for x := range s.Timeline().Spans("/lock", modeltest.At(0), modeltest.At(10)) {
		fmt.Fprintf(&b, "%s came %s got %s gone %s; ", s.Who(x.Claim), second(x.Came), second(x.Got), second(x.Gone))
	}
	for _, x := range s.Reports().Beliefs("/lock") {
		fmt.Fprintf(&b, "%s believes %s to %s; ", x.Contender, second(x.From), second(x.To))
	}
	if d := cmp.Diff("c1 came 1 got 1 gone 4; c2 came 2 got 4 gone -; c1 believes 1 to 4.8; c2 believes 4 to -; ", b.String()); d != "" {
		t.Error(d)
	}
	all := s.Reports().Overlaps("/lock")
	if len(all) != 1 || all[0].Believer != "c1" || all[0].Client != "c2" || all[0].For(s.Now()) != 800*time.Millisecond || all[0].To.IsZero() {
		t.Errorf("overlaps: %+v", all)
	}
}

// TestOverlapsOfALockWithoutKeys: what was so stays so when all keys have gone; of a lock that
// several may hold nothing is said then, either.
func TestOverlapsOfALockWithoutKeys(t *testing.T) {
	for _, r := range []struct {
		reason string
		key    func(lock string, id model.LeaseID) string
		want   int
	}{
		{"a mutex", modeltest.ClaimKey, 1},
		{"readers", func(lock string, id model.LeaseID) string {
			return fmt.Sprintf("%s/read/17953806417252730%02x", lock, int64(id))
		}, 0},
	} {
		h := modeltest.New()
		h.Loaded(0)
		for i, name := range []string{"c1", "c2"} {
			id := model.LeaseID(0xa1 + i)
			h.Add(model.Contender{At: modeltest.At(0.5), Name: name, Lock: "/lock", TTL: 10, Proc: model.ProcRunning})
			h.Put(1+float64(i), r.key("/lock", id), "", id)
		}
		h.Add(model.Belief{At: modeltest.At(2), Contender: "c1", Lock: "/lock", State: model.BeliefHolding, Key: r.key("/lock", 0xa1), Lease: 0xa1})
		h.End(4, 0xa1)
		h.Del(6, r.key("/lock", 0xa2))
		h.Add(model.Belief{At: modeltest.At(7), Contender: "c1", Lock: "/lock", State: model.BeliefLost, Key: r.key("/lock", 0xa1), Lease: 0xa1})
		h.Add(model.Tick{At: modeltest.At(90)}) // a lock without keys is kept for a minute
		s := state(h)
		if s.Lock("/lock") != nil {
			t.Fatalf("%s: it is there", r.reason)
		}
		all := s.Reports().Overlaps("/lock")
		if len(all) != r.want || r.want == 1 && all[0].For(s.Now()) != 2*time.Second {
			t.Errorf("%s: overlaps: %+v", r.reason, all)
		}
	}
}

func TestAContenderThatLetGoOverlapsNobody(t *testing.T) {
	h := modeltest.TwoContenders()
	h.Del(4, modeltest.ClaimKey("/lock", 0xa1))
	h.Add(model.Wrote{At: modeltest.At(4), Client: sureOf("c1"), Key: modeltest.ClaimKey("/lock", 0xa1), Delete: true, Took: true, Rev: h.Rev, Told: true},
		model.Belief{At: modeltest.At(4.03), Contender: "c1", Lock: "/lock", State: model.BeliefIdle})
	if all := state(h).Reports().Overlaps("/lock"); len(all) != 0 {
		t.Errorf("overlaps: %+v", all)
	}
}

// A screen painted between the deed and the word shows no false belief for that moment.
func TestTheWordOfOneThatLetGoMayBeOnItsWay(t *testing.T) {
	for _, r := range []struct {
		reason string
		at     float64
		want   int
	}{
		{"its word may still come", 4.03, 0},
		{"no word comes this late", 4.6, 1},
	} {
		h := modeltest.TwoContenders()
		h.Del(4, modeltest.ClaimKey("/lock", 0xa1))
		h.Add(model.Wrote{At: modeltest.At(4), Client: sureOf("c1"), Key: modeltest.ClaimKey("/lock", 0xa1), Delete: true, Took: true, Rev: h.Rev, Told: true},
			model.Tick{At: modeltest.At(r.at)})
		if all := state(h).Reports().Overlaps("/lock"); len(all) != r.want {
			t.Errorf("%s: overlaps: %+v", r.reason, all)
		}
	}
}

// Who deletes a key that has gone already did not let it go: it believed beside the next.
func TestALateDeleteIsNoLettingGo(t *testing.T) {
	for _, missed := range []bool{true, false} {
		h := modeltest.TwoContenders()
		h.End(4, 0xa1)
		h.Add(model.Wrote{At: modeltest.At(6), Client: sureOf("c1"), Key: modeltest.ClaimKey("/lock", 0xa1), Delete: true, Took: !missed, Missed: missed, Rev: h.Rev})
		h.Add(model.Tick{At: modeltest.At(8)})
		if got := len(state(h).Reports().Overlaps("/lock")); (got == 1) != missed {
			t.Errorf("a delete that found nothing: %v; %d overlaps", missed, got)
		}
	}
}

func TestClients(t *testing.T) {
	h := modeltest.TwoContenders()
	foreign := model.Client{Name: "127.0.0.1:5"}
	h.Add(model.Connected{At: modeltest.At(3), Client: sureOf("c1"), Peer: "127.0.0.1:4", Member: "m1:1", On: true},
		model.Connected{At: modeltest.At(3), Client: foreign, Peer: "127.0.0.1:5", Agent: "grpc-go/1.7", Member: "m1:1", On: true},
		model.LeaseOwner{At: modeltest.At(4), Client: foreign, Lease: 0xf1}, model.LeaseOwner{At: modeltest.At(4), Client: foreign, Lease: 0xf1, Renews: true},
		model.Watches{At: modeltest.At(4), Client: foreign, Key: "/lock/x", On: true},
		model.Connected{At: modeltest.At(5), Client: model.Client{Name: "127.0.0.1:6"}, Peer: "127.0.0.1:6", On: true},
		model.Connected{At: modeltest.At(6), Client: model.Client{Name: "127.0.0.1:6"}, Peer: "127.0.0.1:6"})
	want := []reports.ClientInfo{{Client: foreign, Peer: "127.0.0.1:5", Agent: "grpc-go/1.7", Member: "m1:1", Connections: 1,
		Granted: 1, Renewed: 1, Watches: 1, Since: modeltest.At(3)}}
	if d := cmp.Diff(want, state(h).Reports().Clients()); d != "" {
		t.Errorf("contenders and those that went are not listed (-want +got)\n%s", d)
	}
}
