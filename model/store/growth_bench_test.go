package store

import (
	"fmt"
	"testing"
	"time"

	"locktop/model"
	"locktop/model/modeltest"
)

// BenchmarkGrowth is what it costs to load claims, ten of each lock, and to apply an
// event to them: a holder goes and another one joins at the end.
func BenchmarkGrowth(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		events := modeltest.TenClaims(n)
		b.Run(fmt.Sprintf("load/%d", n), func(b *testing.B) { load(b, events, n) })
		b.Run(fmt.Sprintf("event/%d", n), func(b *testing.B) {
			event := turnover(events, n)
			for b.Loop() {
				event()
			}
		})
	}
}

// turnover is a state of n claims, and an event of it: a holder goes and another claim joins
// at the end.
func turnover(events []model.Event, n int) func() {
	s := New()
	s.Apply(model.Batch{Events: events})
	locks := s.Locks()
	rev, at := int64(2*n), modeltest.Start
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
