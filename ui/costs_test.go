package ui

import "testing"

// The budgets that the comment of the package names, a fifth above what was measured.
const (
	frameAllocs = 490
	fiveAllocs  = 430
)

// What a frame takes does not grow with the locks, and a row that did not change is
// not painted anew.
func TestCostsOfAFrame(t *testing.T) {
	for _, locks := range []int{500, 5_000} {
		x := crowd(t, locks)
		all := testing.AllocsPerRun(50, func() {
			clear(x.locksTable.Old)
			clear(x.queueTable.Old)
			x.dirty = true
			x.View()
		})
		five := testing.AllocsPerRun(50, func() {
			for _, name := range x.viewState.Locks.Order.IDs[:5] {
				delete(x.locksTable.Old, name)
			}
			x.dirty = true
			x.View()
		})
		if all > frameAllocs || five > fiveAllocs {
			t.Errorf("%d locks: %.0f allocations for a frame and %.0f if five rows changed, want %d and %d at most", locks, all, five, frameAllocs, fiveAllocs)
		}
	}
}
