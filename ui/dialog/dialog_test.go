package dialog

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestStampCutsWideCharacters: half of one is not shown, at neither edge.
func TestStampCutsWideCharacters(t *testing.T) {
	for x := range 6 {
		if got := stamp("銀行銀行銀行", "[--]", x, 4, 12); ansi.StringWidth(got) != 12 {
			t.Errorf("at %d: %q is %d cells wide", x, got, ansi.StringWidth(got))
		}
	}
}
