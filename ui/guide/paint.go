package guide

import (
	"strings"

	"locktop/ui/draw"
	"locktop/ui/page"
)

// Height is how many lines the pane would like to have: a title, and one line of text or
// two.
func (p *Pane) Height(_ *draw.Theme, _, h int) int {
	switch {
	case !p.Showing():
		return 0
	case p.folded:
		return 1
	case h >= page.TallFrom:
		return 3
	}
	return 2
}

// Lines is the pane in h lines of w cells.
func (p *Pane) Lines(f page.Frame, w, h int) []string {
	if h <= 0 {
		return nil
	}
	lines := []string{p.title(f.Th, w)}
	first, second := p.texts()
	if h < 3 && (p.phase != seen && !p.ended()) {
		first = second
	}
	for _, s := range []string{first, second}[:max(0, min(2, h-1))] {
		lines = append(lines, f.Th.Line(w, p.spans(f.Th, s), nil))
	}
	return draw.Fill(lines, w, h)
}

// texts are the two lines of the text: why and what to do, or what was seen and what it
// means.
func (p *Pane) texts() (first, second string) {
	if p.ended() {
		return end.result, end.more
	}
	t := texts[p.at]
	switch {
	case p.phase == seen && p.facts[instead] != "":
		return p.facts[instead], t.more
	case p.phase == seen:
		return t.result, t.more
	case p.facts == nil && !p.h.Frame().S.Coverage().LoadedFor(p.lock):
		return t.why, loading
	case p.facts == nil:
		return t.why, alone
	case p.phase == going:
		return t.why, t.wait
	}
	return t.why, t.ask
}

// spans put the facts and the looks of keys into a text.
func (p *Pane) spans(th *draw.Theme, s string) []draw.Span {
	words := []string{"{lock}", th.CutPath(th.Clean(p.lock), 32), "{count}", "Several"}
	for name, word := range p.facts {
		words = append([]string{"{" + name + "}", th.Cut(word, 24)}, words...)
	}
	spans := []draw.Span{draw.Plain.Of("  ")}
	for i, part := range strings.Split(s, "`") {
		st := draw.Plain
		if i%2 == 1 {
			if st = draw.Accent; strings.ToUpper(part) == part && part != "?" || part == "x" {
				st = draw.Change
			}
		}
		spans = append(spans, st.Of(strings.NewReplacer(words...).Replace(part)))
	}
	return spans
}

// title says which step it is, and what the keys do.
func (p *Pane) title(th *draw.Theme, w int) string {
	t := end
	if !p.ended() {
		t = texts[p.at]
	}
	done := min(p.at+1, len(steps))
	left := []draw.Span{draw.Dim.Of(" guide "), draw.Accent.Of(strings.Repeat(th.Sign.Holds, done)),
		draw.Dim.Of(strings.Repeat(th.Sign.Waits, len(steps)-done)), draw.Strong.Of(" " + t.title + " ")}
	right := p.hints()
	n := w - 1
	for _, sp := range append(left[:len(left):len(left)], right...) {
		n -= draw.Width(sp.Text)
	}
	return th.Line(w, append(append(left, draw.Rule.Of(strings.Repeat(th.Sign.Line, max(0, n)))), right...), nil)
}

func (p *Pane) hints() []draw.Span {
	var spans []draw.Span
	key := func(k, what string, st draw.Style) {
		spans = append(spans, draw.Plain.Of("  "), draw.Accent.Of(k), st.Of(" "+what))
	}
	switch {
	case p.folded:
	case p.ended():
		key("n", closesIt, draw.Plain)
	case p.phase == seen:
		key("n", goesOn, draw.Plain)
	case p.offers():
		key("n", offersIt, draw.Strong)
	case p.phase == asked:
		key("n", playsIt, draw.Dim)
	}
	if p.folded {
		key("L", showsIt, draw.Dim)
	} else {
		key("L", hidesIt, draw.Dim)
	}
	return spans
}
