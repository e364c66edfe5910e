package store

import (
	"slices"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/modeltest"
	"locktop/model/text"
)

// TestACauseWhereReadingsStarved: on a machine without time a short lease is not read in its
// last second. That it went just when it had to is a hint then, and nothing more; one that was
// read as it should be and had time left was not left to end.
func TestACauseWhereReadingsStarved(t *testing.T) {
	const lease = 0xa1
	for _, r := range []struct {
		reason        string
		granted, left int64
		read, gone    float64
		cause         journal.Cause
		confidence    model.Confidence
		agreed        model.Answers
	}{
		{"less than a second left, and gone as soon as etcd looks for it", 3, 0, 10, 11.4, journal.CauseExpired, model.Strong, model.Answers{}},
		{"not read for 7.5 s, and gone when what was left was over", 9, 7, 10, 17.5, journal.CauseExpired, model.Hint, model.Answers{}},
		{"the same of a lease so short that every other close falls there: in an hour of traffic a quarter of these was one", 3, 2, 10, 12.5, journal.CauseUnknown, model.Hint, model.Answers{}},
		{"not read for 2.5 s, and gone long before what was left was over", 10, 9, 10, 12.5, journal.CauseRevoked, model.Hint, model.Answers{}},
		{"not read for 5 s, and gone long after what was left was over: it was renewed meanwhile", 3, 2, 10, 15, journal.CauseUnknown, model.Hint, model.Answers{}},
		{"read as often as it should be: a session that is closed goes at any time", 2, 1, 10, 11.5, journal.CauseUnknown, model.Hint, model.Answers{}},
		{"the same while the cluster answers late: a revoke of its owner may have come in that moment", 3, 0, 10, 11.4, journal.CauseExpired, model.Hint,
			model.Answers{Asked: 20, Longest: 2 * time.Second, Slow: 9, SlowFor: 20 * time.Second}},
		{"the same, and it has only begun to", 3, 0, 10, 11.4, journal.CauseExpired, model.Hint, model.Answers{Asked: 20, Longest: 2 * time.Second, Slow: 3, SlowFor: time.Second}},
		{"the same, and one answer was late", 3, 0, 10, 11.4, journal.CauseExpired, model.Strong, model.Answers{Asked: 20, Longest: 2 * time.Second, Slow: 1}},
	} {
		for _, first := range []bool{false, true} {
			h := modeltest.New()
			h.Loaded(0)
			h.Put(1, modeltest.ClaimKey("/lock", lease), "", lease)
			h.Add(model.ClusterStatus{At: modeltest.At(9), Agreed: r.agreed})
			h.Read(r.read, lease, r.granted, r.left)
			if first { // that the lease is gone may be read before the watch tells of its key
				h.Read(r.gone-0.001, lease, 0, -1)
			}
			h.Del(r.gone, modeltest.ClaimKey("/lock", lease))
			h.Read(r.gone+0.3, lease, 0, -1)
			s := state(h)
			i := slices.IndexFunc(s.Journal(), func(f *journal.Entry) bool { return f.Kind == journal.Left })
			if f := s.Journal()[i]; f.Cause != r.cause || f.Confidence != r.confidence {
				t.Errorf("%s (its end was read first: %v): %s (%s): %s; want %s (%s)", r.reason, first, f.Cause, f.Confidence, text.English(f.Evidence), r.cause, r.confidence)
			}
		}
	}
}

// TestTheLastSecondOfALeaseIsLookedAt: only a reading in it tells an expiry for sure.
func TestTheLastSecondOfALeaseIsLookedAt(t *testing.T) {
	for _, r := range []struct {
		reason string
		left   int64
		due    float64
	}{{"less than a second left", 0, 5.3}, {"more than that: half a second later it tells in which half the end is", 1, 5.5}} {
		h := modeltest.New()
		h.Loaded(0)
		h.Put(1, modeltest.ClaimKey("/lock", 0xa1), "", 0xa1)
		h.Put(1, modeltest.ClaimKey("/lock", 0xa2), "", 0xa2)
		h.Read(1, 0xa2, 60, 59)
		h.Read(5, 0xa1, 3, r.left)
		if at := state(h).Want(nil).WakeAt; !at.Equal(modeltest.At(r.due)) {
			t.Errorf("%s: read again after %s, want %.1f s", r.reason, at.Sub(modeltest.At(5)), r.due-5)
		}
	}
}
