package store

import (
	"reflect"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/locks"
)

// TestUnseen: all was listed at second 0, and it is asked what was seen up to second 10.
func TestUnseen(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	at := func(s int) time.Time { return start.Add(time.Duration(s) * time.Second) }
	const p, q = "/a/", "/b/"
	lost := func(s int) model.Event {
		return model.Lost{At: at(s), Prefix: p, Reason: model.LostDisconnect, Detail: model.Say("quote", "no connection")}
	}
	seen := func(s int, prefix string) model.Event { return model.Watching{At: at(s), Prefix: prefix, Rev: 5} }
	for _, row := range []struct {
		events []model.Event
		leases []model.LeaseID
		want   []locks.CoverageGap // without the reason
		reason string
	}{
		{[]model.Event{seen(10, p), seen(10, q)}, nil, nil, "both answered at the end"},
		{[]model.Event{seen(3, p), seen(10, q)}, nil, []locks.CoverageGap{{Kind: locks.CoverageKeys, Prefix: p, Duration: 7 * time.Second}}, "one is silent since second 3"},
		{[]model.Event{seen(3, p), seen(10, q), lost(8)}, nil, []locks.CoverageGap{{Kind: locks.CoverageKeys, Prefix: p, Duration: 7 * time.Second}}, "it was lost later, but not seen since second 3"},
		{[]model.Event{seen(10, p), model.Watching{At: at(10), Asked: at(9), Prefix: q, Rev: 5}}, nil, []locks.CoverageGap{{Kind: locks.CoverageKeys, Prefix: q, Duration: time.Second}},
			"it was asked at second 9: what came in the last second may not be in the answer"},
		{[]model.Event{lost(2), model.Back{At: at(5), Prefix: p, Rev: 5}, seen(10, p), seen(10, q)}, nil, nil, "it is back without a gap"},
		{[]model.Event{lost(2), model.LoadStarted{At: at(4), Prefix: p, Rev: 5}, model.Loaded{At: at(4), Prefix: p, Rev: 5}, seen(10, p), seen(10, q)}, nil,
			[]locks.CoverageGap{{Kind: locks.CoverageKeys, Prefix: p, Duration: 4 * time.Second}}, "a list had to take the place of the watch"},
		{[]model.Event{seen(10, p), seen(10, q)}, []model.LeaseID{1, 1}, []locks.CoverageGap{{Kind: locks.CoverageLeases, Leases: 1, Duration: 10 * time.Second}}, "a lease was never read"},
		{[]model.Event{model.LeaseRead{At: at(2), ID: 1, Granted: 60, Remaining: 50}, seen(10, p), seen(10, q)}, []model.LeaseID{1}, nil, "it was read"},
		{[]model.Event{model.LeaseRead{At: at(2), ID: 1, Granted: 60, Remaining: 50}, model.LeaseUnread{At: at(6), ID: 1, Reason: model.Say("quote", "no leader")}, seen(10, p), seen(10, q)}, []model.LeaseID{1},
			[]locks.CoverageGap{{Kind: locks.CoverageLeases, Leases: 1, Duration: 8 * time.Second}}, "the last reading failed"},
		{[]model.Event{model.LeaseUnread{At: at(1), ID: 1, Reason: model.Say("quote", "no leader")}, model.LeaseUnread{At: at(1), ID: 2, Reason: model.Say("quote", "no leader")}, seen(10, p), seen(10, q)}, []model.LeaseID{1, 2},
			[]locks.CoverageGap{{Kind: locks.CoverageLeases, Leases: 2, Duration: 10 * time.Second}}, "they have one reason"},
		{[]model.Event{seen(10, p), seen(10, q)}, []model.LeaseID{77}, nil, "a lease on which nothing hangs any more"},
		{[]model.Event{model.ClusterStatus{At: at(4), Unlisted: model.Say("quote", "no permission"), UnlistedSince: at(4)}, seen(10, p), seen(10, q)}, nil,
			[]locks.CoverageGap{{Kind: locks.CoverageLists, Duration: 6 * time.Second}}, "the members did not list their leases"},
	} {
		s := New()
		s.Apply(model.Batch{Events: []model.Event{model.Requested{At: start, Prefixes: []string{p, q}},
			model.LoadStarted{At: start, Prefix: p, Rev: 5},
			model.Listed{At: start, Prefix: p, Rev: 5, KVs: []model.KV{{Key: "/a/l/1", CreateRev: 3, ModRev: 3, Lease: 1}, {Key: "/a/l/2", CreateRev: 4, ModRev: 4, Lease: 2}}},
			model.Loaded{At: start, Prefix: p, Rev: 5}, model.LoadStarted{At: start, Prefix: q, Rev: 5}, model.Loaded{At: start, Prefix: q, Rev: 5}}})
		s.Apply(model.Batch{Events: append(row.events, model.Tick{At: at(10)})})
		got := s.CoverageGaps(at(10), row.leases)
		same := len(got) == len(row.want)
		for i := 0; same && i < len(got); i++ {
			if got[i].Reason.IsZero() {
				t.Errorf("%s: no reason is given", row.reason)
			}
			got[i].Reason = model.Message{}
			same = reflect.DeepEqual(got[i], row.want[i])
		}
		if !same {
			t.Errorf("%s: not seen %+v, want %+v", row.reason, got, row.want)
		}
	}
}
