package ui

import (
	"fmt"
	"testing"

	"locktop/model"
)

// TestFindingsOfOneCauseAreOneRow: the first stands for all, a lock that is found by its name
// comes by itself, and from any of them one gets to its row, where it stands for all: what is
// done there is done to the lock that one came from.
func TestFindingsOfOneCauseAreOneRow(t *testing.T) {
	b := newBench(t, Options{})
	for i := range 12 {
		b.w.claim(0, fmt.Sprintf("/rack/l%02d", i), "10.0.0.7:1", 0xabc)
	}
	b.w.read(1, 0xabc, 12, 11)
	b.w.read(6, 0xabc, 12, 11)
	b.w.read(16, 0xabc, 12, 1)
	b.w.add(model.Tick{At: at(16)})
	b.sync(16)
	b.press("4")
	b.sees("/rack/l00 +11")
	b.press("1", "/", "l07", "enter", "w")
	if f := b.current().(interface{ Chosen() *model.Finding }).Chosen(); f == nil || f.Lock != "/rack/l07" || f.Count != 12 {
		t.Errorf("from /rack/l07 one gets to %+v", f)
	}
	b.press("/", "l07", "enter")
	b.sees("/rack/l07")
}
