package model

import (
	"slices"
	"testing"
)

// TestPercentileGoesByTheNearestRank: the lists are 1 to n, the highest first.
func TestPercentileGoesByTheNearestRank(t *testing.T) {
	for _, tt := range []struct {
		n                   int
		p50, p95, p99, p100 int
		reason              string
	}{
		{0, 0, 0, 0, 0, "of nothing there is nothing"},
		{1, 1, 1, 1, 1, "one value is all that is known"},
		{2, 1, 2, 2, 2, "the lower is half of two, and 99 of 100 are more than half"},
		{3, 2, 3, 3, 3, "the middle; of few the highest is the percentile"},
		{4, 2, 4, 4, 4, "of two middles the lower: half of all do not exceed it"},
		{20, 10, 19, 20, 20, "one of twenty may be above p95"},
		{100, 50, 95, 99, 100, "each value is a hundredth"},
		{101, 51, 96, 100, 101, "a hundredth of 101 is more than one value"},
	} {
		var list []int
		for i := tt.n; i > 0; i-- {
			list = append(list, i)
		}
		was := slices.Clone(list)
		for p, want := range map[int]int{0: min(tt.n, 1), 50: tt.p50, 95: tt.p95, 99: tt.p99, 100: tt.p100} {
			if got := Percentile(list, p); got != want {
				t.Errorf("p%d of %d values is %d, want %d: %s", p, tt.n, got, want, tt.reason)
			}
		}
		if !slices.Equal(list, was) {
			t.Errorf("%d values: the list was changed", tt.n)
		}
	}
}
