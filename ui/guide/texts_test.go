package guide

import (
	"strings"
	"testing"

	"github.com/muesli/termenv"

	"locktop/ui/draw"
)

// typical is the longest that a fact is in the demo.
var typical = facts{"count": "6", "holder": "c12", "next": "c12", "from": "c12", "to": "c12", "paused": "c12", "left": ", in 5s",
	"wrong": "1m12s", "one": "c13", "other": "c14", "stuck": "/demo/stock", "leader": "m3"}

// TestTheTextsFit: on a screen of 80 columns one line says it, on one of 120 two, and no
// line is cut.
func TestTheTextsFit(t *testing.T) {
	th := draw.NewTheme(draw.ThemeDark, termenv.Ascii, draw.SignsUnicode)
	p := &Pane{scene: scene{lock: "/demo/billing"}, facts: typical}
	all := append(texts[:], end, text{title: "alone", ask: alone})
	for _, x := range all {
		for s, w := range map[string]int{x.ask: 80, x.wait: 80, x.result: 80, x.why: 120, x.more: 120} {
			n, text := 0, ""
			for _, sp := range p.spans(th, s) {
				n += draw.Width(sp.Text)
				text += sp.Text
			}
			if n > w {
				t.Errorf("%s: %d cells, and %d have room: %q", x.title, n, w, text)
			}
			if strings.ContainsAny(text, "{}`") {
				t.Errorf("%s: a fact is missing: %q", x.title, text)
			}
		}
		if x.title != "alone" && (x.result == "" || x.more == "") {
			t.Errorf("%s: nothing is said of what was seen", x.title)
		}
	}
	if len(texts) != 5 {
		t.Errorf("%d steps: a newcomer has two minutes", len(texts))
	}
}
