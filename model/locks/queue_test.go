package locks

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type ranked struct {
	rank int64
	name string
}

// Compare orders by rank, or the other way round.
func (r *ranked) Compare(b *ranked, second bool) int {
	if second {
		r, b = b, r
	}
	return cmp.Or(cmp.Compare(r.rank, b.rank), strings.Compare(r.name, b.name))
}

func TestQueueIsASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		q := newQueue[*ranked](r.IntN(2) == 0)
		var want []*ranked
		for i := range n {
			if len(want) > 0 && r.IntN(4) == 0 {
				j := r.IntN(len(want))
				if r.IntN(2) == 0 {
					j = 0
				}
				if !q.Remove(want[j]) {
					t.Fatalf("claim %d is not in the queue", j)
				}
				want = slices.Delete(want, j, j+1)
				continue
			}
			c := &ranked{int64(r.IntN(n)), fmt.Sprint(i)}
			q.Insert(c)
			at, _ := slices.BinarySearchFunc(want, c, q.compare)
			want = slices.Insert(want, at, c)
		}
		if q.n != len(want) {
			t.Fatalf("%d claims, want %d", q.n, len(want))
		}
		for i, c := range want {
			if q.At(i) != c || q.Rank(c) != i {
				t.Fatalf("place %d: at %v, rank %d", i, q.At(i), q.Rank(c))
			}
			if i > 0 && q.Prev(c) != want[i-1] {
				t.Fatalf("place %d: wrong predecessor", i)
			}
		}
		if q.Remove(&ranked{-1, ""}) {
			t.Fatal("removed what was never in it")
		}
	})
}
