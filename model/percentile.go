package model

import (
	"cmp"
	"slices"
)

// Percentile returns the p-th percentile of a list by the nearest rank: the least of its values that p percent of them
// do not exceed, so always one that was measured. Of two, p50 is the lower, and p99 the higher. P is from 0 to 100;
// of none it returns zero. It does not change the list.
func Percentile[S ~[]E, E cmp.Ordered](list S, p int) (at E) {
	if len(list) == 0 {
		return at
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[max(0, (p*len(sorted)+99)/100-1)] // the rank is rounded up
}
