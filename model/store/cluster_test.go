package store

import (
	"strings"
	"testing"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/modeltest"
	"locktop/model/text"
)

// TestNothingLeadsFromOneClusterToAnother: the same key, lease and lock in another cluster
// are other ones, at a lower revision as well as at a higher one.
func TestNothingLeadsFromOneClusterToAnother(t *testing.T) {
	for _, row := range []struct {
		rev    int64
		reason string
	}{{5, "a lower revision"}, {900, "a higher revision"}} {
		s := New()
		apply := func(e ...model.Event) { s.Apply(model.Batch{Events: e}) }
		apply(model.LoadStarted{At: modeltest.At(0), Rev: 100}, model.Listed{At: modeltest.At(0), Rev: 100, KVs: []model.KV{
			{Key: "/lock/a/1", CreateRev: 90, ModRev: 90, Version: 1, Lease: 1}, {Key: "/lock/a/2", CreateRev: 91, ModRev: 91, Version: 1, Lease: 2}}},
			model.Loaded{At: modeltest.At(0), Rev: 100}, model.Watching{At: modeltest.At(1), Rev: 100},
			model.LeaseRead{At: modeltest.At(1), ID: 1, Granted: 60, Remaining: 50, Term: 9, Rev: 100})
		// The cause of this handover waits for a reading that will never come.
		apply(model.Committed{At: modeltest.At(2), Rev: 101, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: "/lock/a/1", ModRev: 101}}}})
		before := len(s.Journal())
		apply(model.Lost{At: modeltest.At(3), Reason: model.LostCluster, Detail: model.Say("quote", "another cluster answers")})
		if keys, claims := s.Counts(); keys+claims+len(s.Locks())+len(s.Leases()) != 0 || s.Rev() != 0 || s.Coverage().Loaded() {
			t.Errorf("%s: %d keys, %d locks, %d leases, revision %d are left", row.reason, keys, len(s.Locks()), len(s.Leases()), s.Rev())
		}
		for _, f := range s.Journal() {
			if f.Pending {
				t.Errorf("%s: %+v waits for ever, and what comes behind it with it", row.reason, f)
			}
		}
		apply(model.LoadStarted{At: modeltest.At(4), Rev: row.rev}, model.Listed{At: modeltest.At(4), Rev: row.rev, KVs: []model.KV{
			{Key: "/lock/a/2", CreateRev: 3, ModRev: 3, Version: 1, Lease: 2}}}, model.Loaded{At: modeltest.At(4), Rev: row.rev})
		l := s.Lock("/lock/a")
		if l == nil || l.Holder() == nil || l.Handovers != 0 || s.Lease(2).HasRead || s.Rev() != row.rev {
			t.Fatalf("%s: lock %+v at revision %d", row.reason, l, s.Rev())
		}
		for _, f := range s.Journal()[before:] {
			if f.Kind != journal.Gap || !strings.Contains(text.English(f.Text), "another cluster answers") {
				t.Errorf("%s: the journal tells of %+v", row.reason, f)
			}
		}
		if text.English(s.Coverage().OtherCluster()) != "another cluster answers" {
			t.Errorf("%s: %v", row.reason, s.Coverage().OtherCluster())
		}
	}
}
