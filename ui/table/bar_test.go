package table

import (
	"strconv"
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"locktop/ui/draw"
)

// TestABarSaysWhereTheWindowIs: beside a list of which not all is shown, and nowhere else.
func TestABarSaysWhereTheWindowIs(t *testing.T) {
	for _, r := range []struct {
		n, at  int
		want   string
		reason string
	}{
		{5, 0, "     ", "all of it is shown"},
		{10, 0, "##:::", "half of it, from the first row"},
		{10, 9, ":::##", "up to the last"},
		{500, 0, "#::::", "one line at least"},
		{500, 260, "::#::", "in the middle"},
		{500, 499, "::::#", "at the end only once the end is there"},
		{500, 490, ":::#:", "not before"},
	} {
		th := *draw.NewTheme(draw.ThemeMono, termenv.Ascii, draw.SignsASCII)
		th.Sign.LaneShort = "#"
		x := New([]Column{{Title: "title-lock", Least: 4, Most: 4}}, false)
		x.Fit(20, 5, &th)
		x.Reveal(r.at, r.n)
		lines := x.Paint(nil, r.n, Look{Cursor: r.at, Keys: true}, strconv.Itoa, func(i int, row *Row) { row.cell(draw.Plain, strconv.Itoa(i)) })
		var got strings.Builder
		for _, line := range lines {
			got.WriteByte(line[len(line)-1])
		}
		if got.String() != r.want {
			t.Errorf("row %d of %d: %q, want %q: %s", r.at, r.n, got.String(), r.want, r.reason)
		}
	}
}
