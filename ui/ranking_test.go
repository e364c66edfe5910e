package ui

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A ranking in pieces is the sorted list, however long it is and however it is filtered.
func TestARankingIsTheSortedList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 7, rankPiece - 1, rankPiece, rankPiece + 1, 3*rankPiece + 11}).Draw(rt, "n")
		ranks, keep := rapid.Int64Range(1, 1000).Draw(rt, "ranks"), rapid.IntRange(1, 3).Draw(rt, "one in")
		mix := rapid.Uint64().Draw(rt, "mix") | 1
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		rank := func(x int) int64 { return int64(uint64(x)*mix>>20) % ranks }
		r, calls := newRanking[int, int](), 0
		for r.unranked(1, t0) {
			calls++
			r.refresh(1, t0, func() []int { return list }, func(x, at int) (scored[int], bool) {
				r.found++
				return scored[int]{x, rank(x), uint64(at)}, x%keep == 0
			})
		}
		want := slices.DeleteFunc(slices.Clone(list), func(x int) bool { return x%keep != 0 })
		slices.SortStableFunc(want, func(a, b int) int { return int(rank(a) - rank(b)) })
		if !slices.Equal(r.ids, want) || r.total != n {
			rt.Fatalf("%d of %d, want %d in order", len(r.ids), r.total, len(want))
		}
		if most := 1 + n/rankPiece + 1 + len(want)/rankPiece; calls > most {
			rt.Fatalf("%d calls for %d rows, want %d at most", calls, n, most)
		}
	})
}

func TestRhythm(t *testing.T) {
	for _, r := range []struct {
		rhythm
		version uint64
		after   float64
		due     bool
		reason  string
	}{
		{rhythm{}, 0, 0, true, "the first time"},
		{rhythm{at: t0, version: 1, n: 5}, 1, 100, false, "nothing has changed"},
		{rhythm{at: t0, version: 1, n: 5}, 2, 0.5, false, "not for every change"},
		{rhythm{at: t0, version: 1, n: 5}, 2, 1, true, "once a second"},
		{rhythm{at: t0, version: 1, n: 0}, 2, 0, true, "the first row does not wait"},
		{rhythm{at: t0, version: 1, n: 999, atOnce: 1000}, 2, 0, true, "few enough to count at once"},
		{rhythm{at: t0, version: 1, n: 100_000}, 2, 5, false, "the more there are the less often"},
		{rhythm{at: t0, version: 1, n: 100_000}, 2, 6, true, "but then"},
		{rhythm{at: t0, version: 1, n: 5, held: at(2)}, 2, 1, false, "a cursor key was pressed: the rows stay"},
		{rhythm{at: t0, version: 1, n: 5, held: at(2)}, 2, 2, true, "for a while"},
		{rhythm{at: t0, version: 1, n: 5, held: at(2), force: true}, 1, 0, true, "a person has asked for it"},
	} {
		r.per = sortPer
		r.atOnce = max(1, r.atOnce)
		if got := r.rhythm.due(r.version, t0.Add(time.Duration(r.after*float64(time.Second)))); got != r.due {
			t.Errorf("%s: due %v: %s", fmt.Sprintf("%+v", r.rhythm), got, r.reason)
		}
	}
}
