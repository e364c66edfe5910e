package store

import (
	"math/rand/v2"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/journal"
	"locktop/model/modeltest"
)

// TestARevokeInTheLastMomentIsNoExpiry: an owner that was away wakes shortly before its lease ends, and
// closes its session. That looks like an expiry as long as nobody knows the end better than to the second.
// What etcd removes by itself goes in the half second after the end.
func TestARevokeInTheLastMomentIsNoExpiry(t *testing.T) {
	const lease, other, lock = model.LeaseID(0xa1), model.LeaseID(0xb2), "/lock"
	for _, ttl := range []float64{5, 10, 30} {
		random := rand.New(rand.NewPCG(32, uint64(ttl)))
		const runs = 80
		var strong, hints int
		for i := range 2 * runs {
			revoked := i%2 == 1
			h := modeltest.New()
			h.Loaded(0)
			s := New()
			told := 0
			flush := func() {
				s.Apply(model.Batch{Events: h.Events[told:]})
				told = len(h.Events)
			}
			came := 1 + random.Float64()
			h.Put(came, modeltest.ClaimKey(lock, lease), "", lease)
			h.Put(came+0.1, modeltest.ClaimKey(lock, other), "", other)
			renewed := came
			for range 3 + random.IntN(4) { // before it dies
				renewed += ttl / 3
			}
			end := renewed + ttl
			gone := end + 0.5*random.Float64() + 0.002
			if revoked {
				gone = end - 1.5*random.Float64()
			}
			flush()
			read := func(at float64) {
				last := came
				for next := came; next <= min(at, renewed); next += ttl / 3 {
					last = next
				}
				took := 0.001 + 0.02*random.Float64()
				e := model.LeaseRead{At: modeltest.At(at + took), ID: lease, Granted: int64(ttl), Remaining: int64(last + ttl - at), Term: 2, Rev: h.Rev,
					Took: time.Duration(took * float64(time.Second))}
				if at >= gone {
					e.Granted, e.Remaining = 0, -1
				}
				h.Add(e)
			}
			over := false
			for at := came + 0.2; at < gone+2; at += 0.03 {
				if !over && at+0.02 >= gone {
					h.End(gone+0.005, lease)
					over = true
				}
				h.Add(model.Tick{At: modeltest.At(at + 0.02)})
				flush()
				for _, id := range s.Want(nil).Leases {
					if id == lease {
						read(at + 0.02)
					} else {
						h.Read(at+0.02, id, 60, 59)
					}
				}
				flush()
			}
			for _, f := range s.Journal() {
				if f.Kind != journal.Handover {
					continue
				}
				switch {
				case revoked && f.Cause == journal.CauseExpired && f.Confidence != model.Hint:
					t.Errorf("ttl %v, run %d: revoked %.3f s before the end: %s (%s), %s", ttl, i, end-gone, f.Cause, f.Confidence, f.Evidence)
				case !revoked && f.Cause == journal.CauseExpired && f.Confidence == model.Strong:
					strong++
				case !revoked && f.Cause == journal.CauseExpired:
					hints++
				case !revoked:
					t.Errorf("ttl %v, run %d: it ran out: %s (%s), %s", ttl, i, f.Cause, f.Confidence, f.Evidence)
				}
			}
		}
		if strong+hints != runs || strong*10 < runs*6 {
			t.Errorf("ttl %v: of %d that ran out %d are strong and %d hints, want most of them strong", ttl, runs, strong, hints)
		}
		t.Logf("ttl %v: %d strong %d hints", ttl, strong, hints)
	}
}
