package findings

import (
	"math/rand/v2"
	"testing"
	"time"
)

// TestAgesByChance draws ages that mean nothing: of holders that die at any time of their work, however
// long that is.
func TestAgesByChance(t *testing.T) {
	random := rand.New(rand.NewPCG(32, 1))
	patterns := 0
	const draws = 200_000
	for range draws {
		all := make([]time.Duration, 8)
		for i := range all {
			all[i] = 20*time.Second + time.Duration(random.IntN(60))*time.Second + time.Duration(random.IntN(1000))*time.Millisecond
		}
		if n, _ := sameAge(all[1:], all[0], 5*time.Second); n >= stopsMin {
			patterns++
		}
	}
	if patterns > 4 {
		t.Errorf("%d of %d make a pattern, want hardly any", patterns, draws)
	}
}
