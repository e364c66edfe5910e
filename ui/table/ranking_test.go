package table

import (
	"fmt"
	"slices"
	"testing"
	"time"

	_ "locktop/model/modeltest" // the seed of what is drawn

	"pgregory.net/rapid"
)

// A ranking in pieces is the sorted list, however long it is and however it is filtered.
func TestARankingIsTheSortedList(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, 7, RankPiece - 1, RankPiece, RankPiece + 1, 3*RankPiece + 11}).Draw(rt, "n")
		ranks, keep := rapid.Int64Range(1, 1000).Draw(rt, "ranks"), rapid.IntRange(1, 3).Draw(rt, "one in")
		mix := rapid.Uint64().Draw(rt, "mix") | 1
		list := make([]int, n)
		for i := range list {
			list[i] = i
		}
		rank := func(x int) int64 { return int64(uint64(x)*mix>>20) % ranks }
		r, calls := NewRanking[int, int](), 0
		for r.Unranked(1, Clock{Now: t0}) {
			calls++
			r.Refresh(1, Clock{Now: t0}, func() []int { return list }, func(x, at int) (Scored[int], bool) {
				r.Found++
				return Scored[int]{x, rank(x), uint64(at)}, x%keep == 0
			})
		}
		want := slices.DeleteFunc(slices.Clone(list), func(x int) bool { return x%keep != 0 })
		slices.SortStableFunc(want, func(a, b int) int { return int(rank(a) - rank(b)) })
		if !slices.Equal(r.IDs, want) || r.Total != n {
			rt.Fatalf("%d of %d, want %d in order", len(r.IDs), r.Total, len(want))
		}
		if most := 1 + n/RankPiece + 1 + len(want)/RankPiece; calls > most {
			rt.Fatalf("%d calls for %d rows, want %d at most", calls, n, most)
		}
	})
}

func TestRhythm(t *testing.T) {
	for _, r := range []struct {
		Rhythm
		version uint64
		after   float64
		due     bool
		reason  string
	}{
		{Rhythm{}, 0, 0, true, "the first time"},
		{Rhythm{At: t0, version: 1, n: 5}, 1, 100, false, "nothing has changed"},
		{Rhythm{At: t0, version: 1, n: 5}, 2, 0.5, false, "not for every change"},
		{Rhythm{At: t0, version: 1, n: 5}, 2, 1, true, "once a second"},
		{Rhythm{At: t0, version: 1, n: 0}, 2, 0, true, "the first row does not wait"},
		{Rhythm{At: t0, version: 1, n: 999, AtOnce: 1000}, 2, 0, true, "few enough to count at once"},
		{Rhythm{At: t0, version: 1, n: 100_000}, 2, 5, false, "the more there are the less often"},
		{Rhythm{At: t0, version: 1, n: 100_000}, 2, 6, true, "but then"},
		{Rhythm{At: t0, version: 1, n: 5, NotBefore: at(2)}, 2, 1, false, "a cursor key was pressed: the rows stay"},
		{Rhythm{At: t0, version: 1, n: 5, NotBefore: at(2)}, 2, 2, true, "for a while"},
		{Rhythm{At: t0, version: 1, n: 5, NotBefore: at(2), Force: true}, 1, 0, true, "a person has asked for it"},
	} {
		r.Per = SortPer
		r.AtOnce = max(1, r.AtOnce)
		if got := r.Rhythm.Due(r.version, Clock{Now: t0.Add(time.Duration(r.after * float64(time.Second)))}); got != r.due {
			t.Errorf("%s: due %v: %s", fmt.Sprintf("%+v", r.Rhythm), got, r.reason)
		}
	}
}

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func at(s float64) time.Time { return t0.Add(time.Duration(s * float64(time.Second))) }
