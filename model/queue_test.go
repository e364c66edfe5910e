package model

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestQueueIsASortedList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var q queue
		var want []*Claim
		for i := range n {
			if len(want) > 0 && r.IntN(4) == 0 {
				j := r.IntN(len(want))
				if r.IntN(2) == 0 {
					j = 0
				}
				if !q.remove(want[j]) {
					t.Fatalf("claim %d is not in the queue", j)
				}
				want = slices.Delete(want, j, j+1)
				continue
			}
			c := &Claim{KV: KV{CreateRev: int64(r.IntN(n)), Key: fmt.Sprint(i)}}
			q.insert(c)
			at, _ := slices.BinarySearchFunc(want, c, q.compare)
			want = slices.Insert(want, at, c)
		}
		if q.n != len(want) {
			t.Fatalf("%d claims, want %d", q.n, len(want))
		}
		for i, c := range want {
			if q.at(i) != c || q.rank(c) != i {
				t.Fatalf("place %d: at %v, rank %d", i, q.at(i), q.rank(c))
			}
			if i > 0 && q.prev(c) != want[i-1] {
				t.Fatalf("place %d: wrong predecessor", i)
			}
		}
		if q.remove(&Claim{KV: KV{CreateRev: -1}}) {
			t.Fatal("removed what was never in it")
		}
	})
}
