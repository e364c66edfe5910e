package timeline

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"locktop/model/modeltest"
	"locktop/ui/draw"

	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"
)

// TestTheRightEndIsNamed: now is said of now alone.
func TestTheRightEndIsNamed(t *testing.T) {
	th := draw.NewTheme(draw.ThemeDark, termenv.Ascii, draw.SignsUnicode)
	start, now := modeltest.At(0), modeltest.At(60)
	for _, r := range []struct {
		at     time.Time
		want   string
		reason string
	}{
		{time.Time{}, "now▼", "the running console"},
		{modeltest.At(30), "now▼", "the cursor stands at an earlier moment of what goes on to now"},
		{now, now.Format(time.TimeOnly) + " ▼", "all pages show that moment"},
		{now.Add(time.Millisecond), now.Format(time.TimeOnly) + " ▼", "the clock of a page has whole seconds"},
	} {
		w := &Window{at: r.at}
		sc := w.Scale(start, now, 40)
		if got := th.Line(60, sc.Ruler(th, w, now), nil); !strings.Contains(got, r.want) || strings.Contains(got, "now") != (r.want == "now▼") {
			t.Errorf("%s: %q", r.reason, got)
		}
	}
}

// TestNothingIsLeftOfWhatTheCursorCovers: a word of the ruler is there as a whole, or not at all.
func TestNothingIsLeftOfWhatTheCursorCovers(t *testing.T) {
	th := draw.NewTheme(draw.ThemeDark, termenv.Ascii, draw.SignsUnicode)
	start, now := modeltest.At(0), modeltest.At(300)
	whole := regexp.MustCompile(`^(╌|┬-[0-9.]+(s|m|m[0-9]+s) |now▼| ?[0-9:]{8} ▼|▼ [0-9:]{8} )*$`)
	for ms := 1; ms < 60_000; ms += 97 {
		w := &Window{at: now.Add(-time.Duration(ms) * time.Millisecond)}
		sc := w.Scale(start, now, 85)
		if got := ansi.Strip(th.Line(85, sc.Ruler(th, w, now), nil)); !whole.MatchString(got) {
			t.Fatalf("the cursor at -%d ms: %q", ms, got)
		}
	}
}
