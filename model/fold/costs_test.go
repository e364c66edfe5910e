package fold

import (
	"runtime"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/history"
)

// The budgets that the comment of the package names, a fifth above what was measured.
const (
	claimBytes  = 530
	claimAllocs = 3.2
	eventAllocs = 21
)

// A claim is paid for a million times, so what it costs is a promise.
func TestCostsOfAClaim(t *testing.T) {
	const n = 10_000
	for _, r := range []struct {
		reason string
		events []model.Event
	}{{"ten claims of each lock", history.TenClaims(n)}, {"one long queue", history.OneQueue(n)}} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		s := NewState()
		s.Apply(model.Batch{Events: r.events})
		runtime.GC()
		runtime.ReadMemStats(&after)
		allocs := float64(after.Mallocs-before.Mallocs) / n
		bytes := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) / n
		if bytes > claimBytes || allocs > claimAllocs {
			t.Errorf("%s: %d bytes stay of a claim, made in %.2f allocations; want %d in %g at most", r.reason, bytes, allocs, claimBytes, claimAllocs)
		}
		if keys, _ := s.Counts(); keys != n {
			t.Fatalf("%d keys", keys)
		}
		runtime.KeepAlive(r.events) // the keys are in there: they are not counted
	}
}

// turnover is a state of n claims, and an event of it: a holder goes and another claim joins
// at the end.
func turnover(events []model.Event, n int) func() {
	s := NewState()
	s.Apply(model.Batch{Events: events})
	locks := s.Locks()
	rev, at := int64(2*n), history.Start
	return func() {
		l := locks[int(rev)%len(locks)]
		rev += 2
		at = at.Add(time.Millisecond)
		lease := model.LeaseID(0x694d81e5fd000000 + rev)
		s.Apply(model.Batch{Events: []model.Event{
			model.Committed{At: at, Rev: rev, Changes: []model.Change{{Deleted: true, KV: model.KV{Key: l.At(0).Key, ModRev: rev}}}},
			model.Committed{At: at, Rev: rev + 1, Changes: []model.Change{{KV: model.KV{Key: l.Name + "/" + lease.String(),
				CreateRev: rev + 1, ModRev: rev + 1, Version: 1, Lease: lease}}}}}})
	}
}

// What an event takes does not depend on how many claims there are.
func TestCostsOfAnEvent(t *testing.T) {
	for _, n := range []int{1_000, 20_000} {
		if allocs := testing.AllocsPerRun(1_000, turnover(history.TenClaims(n), n)); allocs > eventAllocs {
			t.Errorf("of %d claims one goes and one comes in %.0f allocations, want %d at most", n, allocs, eventAllocs)
		}
	}
}
