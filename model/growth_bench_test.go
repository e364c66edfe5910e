package model

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkGrowth is what it costs to load claims, ten of each lock, and to apply an
// event to them: a holder goes and another one joins at the end.
func BenchmarkGrowth(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		events := TenClaims(n)
		b.Run(fmt.Sprintf("load/%d", n), func(b *testing.B) { load(b, events, n) })
		b.Run(fmt.Sprintf("event/%d", n), func(b *testing.B) {
			s := NewState()
			s.Apply(Batch{Events: events})
			locks := s.Locks()
			rev, at := int64(2*n), Start
			for b.Loop() {
				l := locks[int(rev)%len(locks)]
				rev += 2
				at = at.Add(time.Millisecond)
				lease := LeaseID(0x694d81e5fd000000 + rev)
				s.Apply(Batch{Events: []Event{
					Committed{At: at, Rev: rev, Changes: []Change{{Deleted: true, KV: KV{Key: l.At(0).Key, ModRev: rev}}}},
					Committed{At: at, Rev: rev + 1, Changes: []Change{{KV: KV{Key: l.Name + "/" + lease.String(),
						CreateRev: rev + 1, ModRev: rev + 1, Version: 1, Lease: lease}}}}}})
			}
		})
	}
}
