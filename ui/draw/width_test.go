package draw

import (
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
)

// TestKeysAreShownAsTheyWereTyped, as far as every terminal shows them alike and as they are; the rest is
// escaped, character by character.
func TestKeysAreShownAsTheyWereTyped(t *testing.T) {
	th := NewTheme(ThemeDark, termenv.TrueColor, SignsUnicode)
	for _, r := range []struct {
		key, want string
		cells     int
		reason    string
	}{
		{"/café", "/café", 5, "one character"},
		{"/cafe\u0301", "/cafe\u0301", 5, "a letter and its mark, as a Mac names files"},
		{"/kê\u0301", "/kê\u0301", 3, "a Vietnamese vowel with two"},
		{"/か\u3099", "/か\u3099", 3, "kana"},
		{"/ล\u0e47อก", "/ล\u0e47อก", 4, "a Thai vowel stands on its letter"},
		{"/订单/é", "/订单/é", 7, "wide characters"},
		{"/\u0301x", `/\u0301x`, 8, "a mark on no letter"},
		{"\u0301", `\u0301`, 6, "a mark alone"},
		{"/e\u0301\u0301\u0301", "/e\u0301" + `\u0301\u0301`, 14, "a tower of marks"},
		{"/i\u0307", `/i\u0307`, 8, "it would look like /i"},
		{"/o\u0338", `/o\u0338`, 8, "it strikes the letter through"},
		{"/a\ufe0f", `/a\ufe0f`, 8, "it cannot be seen"},
		{"/a\u200bb", `/a\u200bb`, 9, "a space without a width"},
		{"/a\u034fb", `/a\u034fb`, 9, "a joiner that cannot be seen"},
		{"/\u202egnp", `/\u202egnp`, 10, "it turns the text round"},
		{"/\u2066x\u2069", `/\u2066x\u2069`, 14, "so does this"},
		{"/x\U000e0041", `/x\U000e0041`, 12, "a tag"},
		{"/🔒", "/🔒", 3, "an emoji has two cells everywhere"},
		{"/👩\u200d💻", `/👩\u200d💻`, 11, "a joined one has two cells or four: its parts are shown"},
		{"/❤\ufe0f", `/❤\ufe0f`, 8, "one cell or two"},
		{"/🇩🇪", `/\U0001f1e9\U0001f1ea`, 21, "a flag, or two letters"},
	} {
		got := th.Clean(r.key)
		if got != r.want || Width(got) != r.cells {
			t.Errorf("%q is shown as %q in %d cells, want %q in %d: %s", r.key, got, Width(got), r.want, r.cells, r.reason)
		}
		if ansi.StringWidth(got) != ansi.StringWidthWc(got) {
			t.Errorf("%q: terminals disagree how wide %q is", r.key, got)
		}
	}
}

// TestACutTakesAMarkWithItsLetter: a mark alone would stand on the sign of the cut.
func TestACutTakesAMarkWithItsLetter(t *testing.T) {
	th := NewTheme(ThemeDark, termenv.TrueColor, SignsUnicode)
	const name = "/cafe\u0301e\u0301"
	for _, r := range []struct {
		w                  int
		start, end, reason string
	}{
		{6, name, name, "it has room"},
		{5, "/caf…", "…afe\u0301e\u0301", "marks take no room"},
		{2, "/…", "…e\u0301", "one letter"},
		{1, "…", "…", "none"},
	} {
		if got := th.Cut(name, r.w); got != r.start {
			t.Errorf("%d cells: %q, want %q: %s", r.w, got, r.start, r.reason)
		}
		if got := th.CutKey(name, r.w); got != r.end {
			t.Errorf("%d cells: the end is %q, want %q: %s", r.w, got, r.end, r.reason)
		}
	}
}
