package page

import (
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/ui/draw"
)

// Where the pane is too low for a sentence, its last line says that it goes on.
func TestWhatIsCutInTheWhyPaneSaysSo(t *testing.T) {
	th := draw.NewTheme(draw.ThemeMono, termenv.Ascii, draw.SignsUnicode)
	found := []model.Finding{{Code: model.CodeLongHeld, Severity: model.SevWarning, Confidence: model.Hint, Summary: model.Say("quote", "one two three four five six seven eight nine ten eleven"),
		Advice: []model.Message{model.Say("quote", "do the first thing that takes more than one line to tell"), model.Say("quote", "then the second thing that takes more than one line as well")}}}
	whole := len(whyLines(th, found, 40))
	for h := 2; h <= whole+2; h++ {
		lines := WhyPane(th, nil, found, 40, h)
		text := strings.Join(lines, "\n")
		if len(lines) > h {
			t.Fatalf("%d lines where %d are free\n%s", len(lines), h, text)
		}
		for _, end := range []string{"eleven", "line to tell", "line as well"} {
			begins := map[string]string{"eleven": "one two", "line to tell": "do the first", "line as well": "then the second"}[end]
			at := strings.Index(text, begins)
			if at < 0 || strings.Contains(strings.Join(strings.Fields(text), " "), end) {
				continue
			}
			if next := strings.Index(text[at:], "…"); next < 0 {
				t.Errorf("%d lines: what begins with %q ends without a sign\n%s", h, begins, text)
			}
		}
		if h > whole && strings.Contains(text, "…") {
			t.Errorf("%d lines are enough for all\n%s", h, text)
		}
		for _, l := range lines {
			if draw.Width(l) != 40 {
				t.Errorf("a line of %d cells: %q", draw.Width(l), l)
			}
		}
	}
}
