package experiment

import (
	"slices"
	"strings"
	"testing"
	"time"

	"locktop/demo/lockset"
)

// TestShortRunsStandByThemselves: neither in the sums of longer ones, nor beside what others
// measured in longer ones.
func TestShortRunsStandByThemselves(t *testing.T) {
	c := lockset.Cells()[3]
	row := func(seconds float64, acked, lost int) lockset.Row {
		return lockset.Row{Fault: c.Fault, Fence: c.Fence, Seconds: seconds, Acked: acked, Lost: lost}
	}
	var table strings.Builder
	if err := Table(&table, []lockset.Row{row(120, 71, 1), row(5, 2, 0), row(120, 70, 3)}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(table.String()), "\n")[2:]
	if len(lines) != 2 || !strings.Contains(lines[0], "| 2 × 120 s | 71 / 70 | 1 / 3 | 2.8 % (1.1 to 7.1) |") || !strings.Contains(lines[0], "4 runs of 120 s") ||
		!strings.Contains(lines[1], "| 1 × 5 s | 2 | 0 | 0.0 % (0.0 to 65.8) |") || !strings.Contains(lines[1], "- (longer runs)") {
		t.Errorf("want the two long ones together, and the short one by itself:\n%s", table.String())
	}
}

// TestWords: how long it takes, how sure a share is, and which lengths there are.
func TestWords(t *testing.T) {
	if got := Takes(1, 5*time.Second); got != "17 s" {
		t.Errorf("one of 5 s: %s", got)
	}
	if got := share(0, 0); got != "–" {
		t.Errorf("nothing of nothing: %s", got)
	}
	if got := lengths([]lockset.Row{{Seconds: 5}, {Seconds: 120}, {Seconds: 5}}); !slices.Equal(got, []float64{120, 5}) {
		t.Errorf("lengths %v", got)
	}
}
