package tutor

import (
	"strings"
	"testing"

	"locktop/chaos/drill"
	"locktop/demo/lessons"
	"locktop/model"
	"locktop/model/text"
	"locktop/ui/draw"
)

// typical is the longest that a fact is in the demo.
var typical = facts{"count": "6", "holder": "c12", "next": "c12", "from": "c12", "to": "c12", "paused": "c12", "left": ", in 5s",
	"wrong": "1m12s", "one": "c13", "other": "c14", "stuck": "/demo/stock", "leader": "m3"}

// TestTheTextsOfTheGuideFit: on a screen of 80 columns one line says it, on one of 120 two, no line
// is cut, and no fact is missing, in each language.
func TestTheTextsOfTheGuideFit(t *testing.T) {
	d, err := lessons.Guide()
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range drill.Languages() {
		th := plainTheme()
		th.Lang = lang
		p := &Panel{tour: tour{scene: scene{lock: "/demo/billing"}, facts: typical}}
		if lang == text.Chinese {
			p.facts["left"] = th.Say("tutor-left", 5)
		}
		fits := func(w int, all ...string) {
			for _, s := range all {
				n, text := 0, ""
				for _, sp := range p.taskSpans(th, s) {
					n += draw.Width(sp.Text)
					text += sp.Text
				}
				if n > w {
					t.Errorf("%s: %d cells, and %d have room: %q", lang, n, w, text)
				}
				if strings.ContainsAny(text, "{}`") {
					t.Errorf("%s: a fact is missing: %q", lang, text)
				}
			}
		}
		for _, x := range d.Guide.Tasks {
			fits(80, x.Ask.In(lang), x.Wait.In(lang), x.Result.In(lang))
			fits(120, x.Why.In(lang), x.More.In(lang), x.Ended.In(lang), x.Silent.In(lang))
		}
		result, more, two := strings.Cut(d.Guide.End.In(lang), "\n\n")
		if fits(80, result); !two {
			t.Errorf("%s: the end has one line", lang)
		}
		fits(120, more)
		for _, id := range []model.MessageID{"tutor-loading", "tutor-alone"} {
			fits(80, text.Render(lang, model.Message{ID: id, Args: []any{model.Verbatim("{lock}")}}))
		}
	}
	if len(d.Guide.Tasks) != 5 {
		t.Errorf("%d tasks: a newcomer has two minutes", len(d.Guide.Tasks))
	}
}

// TestEverySightIsUsed: what a file may wait for is what the panel knows, and the guide shows it.
func TestEverySightIsUsed(t *testing.T) {
	d, err := lessons.Guide()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range drill.Grammar() {
		for _, f := range o.Fields {
			if f.Name == "sees" && len(f.Words) != len(sights) {
				t.Errorf("a file may wait for %q, the panel knows %d", f.Words, len(sights))
			}
		}
	}
	used := map[string]bool{}
	for _, x := range d.Guide.Tasks {
		if used[x.Sees] = true; sights[x.Sees].look == nil {
			t.Errorf("the panel does not know how %q looks", x.Sees)
		}
	}
	if len(used) != len(sights) {
		t.Errorf("the guide shows %d of %d", len(used), len(sights))
	}
}
