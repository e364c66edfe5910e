package tutor

import (
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"locktop/ui/draw"
)

// TestTheCurveOfALease: a cell a second, as high as what was left; a gap where nobody held, and the newest at
// the right end where not all has room.
func TestTheCurveOfALease(t *testing.T) {
	left := func(of int64, all ...int64) (c curve) {
		for _, n := range all {
			x := sample{who: "a", left: n, of: of}
			if n < 0 {
				x = sample{}
			}
			c = append(c, x)
		}
		return c
	}
	for _, r := range []struct {
		c      curve
		w      int
		want   []string
		reason string
	}{
		{left(3, 3, 2, 1, 0), 40, []string{"    3s █", "       ██", "    0s ███"}, "what is left falls"},
		{left(3, 1, -1, 3), 40, []string{"    3s   █", "         █", "    0s █ █"}, "nobody held for a second"},
		{left(12, 12, 11, 10), 40, []string{"   12s █▆▄", "       ███", "    0s ███"}, "by eighths of a cell"},
		{left(3, 3, 3, 3, 1, 1), 11, []string{"    3s █", "       █", "    0s ███"}, "the oldest have no room"},
	} {
		var got []string
		for _, l := range r.c.lines(draw.NewTheme(draw.ThemeDark, termenv.TrueColor, draw.SignsUnicode), r.w)[1:] {
			got = append(got, strings.TrimRight(ansi.Strip(l), " "))
		}
		if !slices.Equal(got, r.want) {
			t.Errorf("%s: got %q, want %q", r.reason, got, r.want)
		}
	}
}
