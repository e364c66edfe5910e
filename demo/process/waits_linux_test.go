package process

import (
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// TestWaitsOfWhoHasNoProcessor: of more programs that are busy than there are processors each waits for one now
// and then, and so does what a program has started; who sleeps does not.
func TestWaitsOfWhoHasNoProcessor(t *testing.T) {
	start := func(script string) *Child {
		c, err := Start(exec.Command("sh", "-c", script), nil, true)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Signal(SigStop); c.Wait() })
		return c
	}
	longest := func(c *Child) (d time.Duration) {
		for _, one := range Waits(c.PID()) {
			d = max(d, one)
		}
		return d
	}
	const busy = "while :; do :; done"
	for range runtime.NumCPU() {
		start(busy)
	}
	alone, parent := start(busy), start("("+busy+") & wait")
	for end := time.Now().Add(20 * time.Second); longest(alone) < 50*time.Millisecond || longest(parent) < 50*time.Millisecond; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("they waited for %v and %v", longest(alone), longest(parent))
		}
	}
	if ended := Waits(1 << 30); len(ended) > 0 {
		t.Errorf("of no process: %v", ended)
	}
}
