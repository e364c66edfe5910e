package cli

import (
	"strings"
	"testing"

	"locktop/demo/contender"
	"locktop/model"
)

// TestContendByEveryRecipe takes two locks for a turn with each recipe.
func TestContendByEveryRecipe(t *testing.T) {
	endpoint := testServer(t)
	for _, recipe := range contender.Recipes {
		t.Run(recipe, func(t *testing.T) {
			code, out, errs := program(t, t.TempDir(), "contend", "--armed", "--endpoints", endpoint, "--recipe", recipe, "--name", "me",
				"--rounds", "1", "--ttl", "5", "--hold", "10ms", "--think", "10ms", "/locks/"+recipe+"/a", "/locks/"+recipe+"/b")
			if code != 0 {
				t.Fatalf("exit %d: %s%s", code, out, errs)
			}
			held := map[string]bool{}
			for _, line := range strings.Split(strings.TrimSpace(out), "\n") {
				b, _, err := contender.DecodeBelief([]byte(line))
				if err != nil {
					t.Fatalf("%v: %s", err, line)
				}
				if b.State == model.BeliefHolding {
					held[b.Lock] = true
				}
			}
			if len(held) != 2 {
				t.Errorf("held %v\n%s", held, out)
			}
		})
	}
}
