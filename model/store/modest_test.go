package store

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"locktop/model"
	"locktop/model/modeltest"
)

// TestHowAShortLifeEnds: whoever puts a key lives then, so a lease that ends soon after was not left to run out.
func TestHowAShortLifeEnds(t *testing.T) {
	const a, other = model.LeaseID(0xa1), "/registry/me"
	key := modeltest.ClaimKey("/lock", a)
	for _, r := range []struct {
		reason string
		tell   func(h *modeltest.History)
		want   string
	}{
		{"a lease that was in use for long, a lock on it for 0.3 s, and its end by the clock", func(h *modeltest.History) {
			h.Put(1, other, "", a)
			h.Put(9, key, "", a)
			h.Del(9.1, key)
			h.Read(9.2, a, 10, 6)
			h.Put(15, key, "", a)
			h.End(15.3, a)
			h.Read(15.5, a, 0, -1)
		}, "cause unknown (hint)"},
		{"the same, when the lock was held for long", func(h *modeltest.History) {
			h.Put(1, other, "", a)
			h.Put(9, key, "", a)
			h.Read(9.2, a, 10, 6)
			h.End(15.3, a)
			h.Read(15.5, a, 0, -1)
		}, "lease expired (hint)"},
		{"a reading just before says so", func(h *modeltest.History) {
			h.Put(1, other, "", a)
			h.Put(15, key, "", a)
			h.Read(14.2, a, 10, 0)
			h.Read(15.1, a, 10, 0)
			h.End(15.3, a)
			h.Read(15.5, a, 0, -1)
		}, "lease expired (strong)"},
		{"it may have been revoked in its last second", func(h *modeltest.History) {
			h.Put(1, other, "", a)
			h.Put(15, key, "", a)
			h.Read(15.1, a, 10, 0)
			h.End(15.3, a)
			h.Read(15.5, a, 0, -1)
		}, "lease expired (hint)"},
		{"an unlock, and a close before anybody could ask", func(h *modeltest.History) {
			h.Put(1, key, "", a)
			h.Read(1.2, a, 10, 9)
			h.Del(1.3, key)
			h.Read(1.4, a, 0, -1)
		}, "released and closed, or lease revoked (hint)"},
		{"a close takes all keys at once", func(h *modeltest.History) {
			h.Put(1, other, "", a)
			h.Put(1, key, "", a)
			h.Read(1.2, a, 10, 9)
			h.End(1.3, a)
			h.Read(1.4, a, 0, -1)
		}, "lease revoked or closed (hint)"},
		{"an unlock, and a session that lives on", func(h *modeltest.History) {
			h.Put(1, key, "", a)
			h.Read(1.2, a, 10, 9)
			h.Del(1.3, key)
			h.Read(1.4, a, 10, 9)
		}, "released (hint)"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		r.tell(h)
		s := state(h)
		got := ""
		for _, f := range s.Lock("/lock").Journal() {
			if f.WasHolder {
				got = f.Sentence(s.Who)
			}
		}
		if !strings.Contains(got, ": "+r.want) {
			t.Errorf("%s: %q, want %q", r.reason, got, r.want)
		}
	}
}

// TestWhatBecameFreeUnseenMayHaveBeenFreeForLonger, and what was seen to is free since then.
func TestWhatBecameFreeUnseenMayHaveBeenFreeForLonger(t *testing.T) {
	key := modeltest.ClaimKey("/lock", 0xa1)
	slept := func(h *modeltest.History) { h.Add(model.Slept{At: modeltest.At(45), Since: modeltest.At(5)}) }
	for _, r := range []struct {
		reason  string
		tell    func(h *modeltest.History)
		atLeast bool
	}{
		{"while it was watched", func(h *modeltest.History) { h.Del(45, key) }, false},
		{"while locktop was stopped for 40 s: its watch tells of it late", func(h *modeltest.History) { slept(h); h.Del(45.5, key) }, true},
		{"the same, and the keys were listed again", func(h *modeltest.History) {
			slept(h)
			h.Add(model.Lost{At: modeltest.At(45.1), Reason: model.LostDisconnect}, model.LoadStarted{At: modeltest.At(45.5), Rev: h.Rev}, model.Loaded{At: modeltest.At(45.5), Rev: h.Rev + 1})
		}, true},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, key, "", 0xa1)
		r.tell(h)
		h.Add(model.Tick{At: modeltest.At(46)})
		s := state(h)
		l := s.Lock("/lock")
		if l == nil || !l.Free() {
			t.Fatalf("%s: the lock is not free", r.reason)
		}
		if _, atLeast := l.FreeFor(s.Now()); atLeast != r.atLeast {
			t.Errorf("%s: free for at least so long: %v, want %v", r.reason, atLeast, r.atLeast)
		}
	}
}

// TestARestoredClusterIsWhatItSaysNow: after a backup of before was restored, revisions are smaller, and
// what a key was does not count any more.
func TestARestoredClusterIsWhatItSaysNow(t *testing.T) {
	key := modeltest.ClaimKey("/lock", 0xa1)
	for _, r := range []struct {
		reason string
		back   bool
		want   string
	}{
		{"a list of before", true, "revision 90: [/lock/a1 at 80 says old, lease a1]; then revision 91"},
		{"a list that goes on", false, "revision 300: [/lock/a1 at 200 says new, lease a1]; then revision 301"},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Rev = 199
		h.Put(1, key, "new", 0xa1)
		h.Add(model.ClusterStatus{At: modeltest.At(2), Members: []model.Member{{ID: 1, Rev: 250}}})
		kv, rev := h.Keys[key], int64(300)
		if r.back {
			kv, rev = model.KV{Key: key, Value: "old", Lease: 0xa1, CreateRev: 80, ModRev: 80, Version: 1}, 90
		}
		h.Add(model.Lost{At: modeltest.At(5), Reason: model.LostCompacted}, model.LoadStarted{At: modeltest.At(6), Rev: rev},
			model.Listed{At: modeltest.At(6), Rev: rev, KVs: []model.KV{kv}}, model.Loaded{At: modeltest.At(6), Rev: rev})
		s := state(h)
		got := fmt.Sprintf("revision %d: [", s.Rev())
		for c := range s.Lock("/lock").Claims {
			got += fmt.Sprintf("%s at %d says %s, lease %s", c.Key, c.ModRev, c.Value, c.KV.Lease)
		}
		s.Apply(model.Batch{Events: []model.Event{model.Committed{At: modeltest.At(8), Rev: rev + 1, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: key, ModRev: rev + 1}}}}}})
		got += fmt.Sprintf("]; then revision %d", s.Rev())
		if !s.Lock("/lock").Free() {
			got += ", and the lock is still held"
		}
		if d := cmp.Diff(r.want, got); d != "" {
			t.Errorf("%s (-want +got)\n%s", r.reason, d)
		}
	}
}

// TestLeasesOfABackup: etcd gives each its whole TTL when it starts from one, and its terms may be those of before.
func TestLeasesOfABackup(t *testing.T) {
	for _, r := range []struct {
		reason   string
		rev      int64 // of the list after the gap
		first    bool  // the lease is read before the list
		renewals int
	}{
		{"the revision went back: nobody renewed", 90, false, 0},
		{"nor if the lease is read first", 90, true, 0},
		{"it went on: somebody did", 300, false, 1},
		{"and did so before the list", 300, true, 1},
	} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, "/lock/a1", "", 0xa1)
		h.Read(3, 0xa1, 600, 505)
		kv := model.KV{Key: "/lock/a1", Lease: 0xa1, CreateRev: 80, ModRev: 80, Version: 1}
		h.Add(model.Lost{At: modeltest.At(5), Reason: model.LostCompacted})
		h.Rev = r.rev
		if r.first {
			h.Read(5.5, 0xa1, 600, 599)
		}
		h.Add(model.LoadStarted{At: modeltest.At(6), Rev: r.rev}, model.Listed{At: modeltest.At(6), Rev: r.rev, KVs: []model.KV{kv}},
			model.Loaded{At: modeltest.At(6), Rev: r.rev})
		h.Read(7, 0xa1, 600, 597)
		l := state(h).Lease(0xa1)
		if l.Renewals != r.renewals || l.ResetAt.IsZero() != (r.renewals > 0) {
			t.Errorf("%s: %d renewals, reset at %v", r.reason, l.Renewals, l.ResetAt)
		}
	}
}
