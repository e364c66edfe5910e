package fold

import (
	"fmt"
	"testing"

	"locktop/model/history"
)

// BenchmarkGrowth is what it costs to load claims, ten of each lock, and to apply an
// event to them: a holder goes and another one joins at the end.
func BenchmarkGrowth(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000, 1_000_000} {
		events := history.TenClaims(n)
		b.Run(fmt.Sprintf("load/%d", n), func(b *testing.B) { load(b, events, n) })
		b.Run(fmt.Sprintf("event/%d", n), func(b *testing.B) {
			event := turnover(events, n)
			for b.Loop() {
				event()
			}
		})
	}
}
