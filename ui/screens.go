package ui

import (
	"slices"
	"strconv"

	"locktop/model"
)

// bootScreen shows how far the start has come.
func (a *App) bootScreen() []string {
	th := a.th
	elapsed := ""
	if !a.started.IsZero() {
		elapsed = "  " + age(a.tick.Sub(a.started), false)
	}
	lines := []string{th.line(a.w, []span{{accent, "locktop"}, {plain, " "}, {a.o.labelStyle(), th.clean(a.o.Label)},
		{dim, " is starting" + elapsed}}, nil), string(pad(nil, a.w))}
	shown := a.boot[max(0, len(a.boot)-max(1, a.h-4)):]
	for i, text := range shown {
		st, sign := dim, th.sign.holds
		if i == len(shown)-1 {
			st, sign = plain, th.sign.waits
		}
		lines = append(lines, th.line(a.w, []span{{st, "  " + sign + " " + th.clean(text)}}, nil))
	}
	return fill(append(lines, string(pad(nil, a.w)), th.line(a.w, []span{{accent, "  q"}, {dim, " quit"}}, nil)), a.w, a.h)
}

// tinyLine is all that fits on a very small screen.
func (a *App) tinyLine(w int) string {
	f := a.frame()
	if a.booted {
		f.locks.update(f)
	}
	n := f.locks.order.bad
	if n == 0 {
		return a.th.line(w, []span{{plain, plural(f.locks.order.total, "lock")}, {good, " ok"}}, nil)
	}
	return a.th.line(w, []span{{bad, a.th.sign.bad + " " + strconv.Itoa(n)}, {plain, " of " + plural(f.locks.order.total, "lock")}}, nil)
}

// noticeSpans is what a person must know now, empty if there is nothing.
func (a *App) noticeSpans(th *theme) []span {
	fr := fresh(a.state)
	switch {
	case a.frozen:
		return []span{{armed, " FROZEN for " + age(a.now.Sub(a.frozenAt), false) + " "},
			{plain, " events are still collected, "}, {accent, "space"}, {plain, " lets go"}}
	case a.notice.text != "":
		return []span{{a.notice.st, a.notice.text}}
	case a.spent != nil:
		return []span{{bad, th.sign.bad + " nothing more will come: " + th.clean(a.spent.Error()) + "; start locktop again"}}
	case fr.state == model.WatchLost:
		seen := ""
		if !fr.seen.IsZero() {
			seen = "; shown as it was " + age(a.now.Sub(fr.seen), false) + " ago"
		}
		return []span{{bad, th.sign.bad + " " + th.clean(fr.what) + seen}}
	}
	return nil
}

// footerLine is the filter while there is one, and the keys that work here.
func (a *App) footerLine(th *theme, w int) string {
	if a.palette != nil {
		return a.paletteLine(th, w)
	}
	if a.field != nil {
		return th.line(w, append([]span{{accent, "/ "}, {strong, th.clean(a.field.text)}, {accent, "_"}, {dim, "  " + a.hits() + "  "}},
			a.hints(inFilter, w/2)...), nil)
	}
	if text := a.filter(); text != "" {
		return th.line(w, []span{{accent, "/ "}, {strong, th.clean(text)}, {dim, "  " + a.hits() + "  "}, {accent, "esc"}, {dim, " clears"}}, nil)
	}
	if a.dialog != nil || a.question != nil || a.columns != nil {
		return string(pad(nil, w)) // the dialog says what to press
	}
	return th.line(w, a.hints(a.where(), w), nil)
}

func (a *App) hits() string {
	if p, ok := a.here().(filtered); ok {
		return p.Hits()
	}
	return ""
}

// first are the keys that a footer shows before all others, in this order.
var first = []string{"n", "x", "enter", "/", "e", "w"}

// hints are the keys of a place in short, the most important first and as many as
// fit; help comes last and always.
func (a *App) hints(in where, w int) []span {
	rows := make([]*binding, 0, len(a.keys.rows))
	spans := make([]span, 0, 48)
	var help [2]span
	for i := range a.keys.rows {
		b := &a.keys.rows[i]
		switch {
		case b.short == "" || b.in&in == 0 || b.needs == NeedsLab && !a.o.Lab || b.needs == needsLesson && a.whyNoLesson() != "", in == inStart && b.closed(a) != "", in == inBreak && b.act != "" && a.whyNotWay(a.dialog.way(b.act)) != "":
		case b.short == "help":
			help = a.hint(b)
			w -= 7
		default:
			rows = append(rows, b)
		}
	}
	before := first
	if own := a.here().About().First; own != nil && in == a.pageWhere() {
		before = own
	}
	slices.SortStableFunc(rows, func(a, b *binding) int { return prominence(before, a) - prominence(before, b) })
	for _, b := range rows {
		part := a.hint(b)
		if n := width(part[0].text) + width(part[1].text) + 2; n <= w {
			w -= n
			spans = append(spans, part[0], part[1], span{plain, "  "})
		}
	}
	if help[0].text == "" {
		return spans
	}
	return append(spans, help[0], help[1])
}

// hint is a key in short. One that would only say why it does nothing now is dim: it
// keeps its place, so that the others keep theirs.
func (a *App) hint(b *binding) [2]span {
	short, st := b.short, accent
	if b.brief != nil {
		short = b.brief(a)
	}
	if b.in&anyPage != 0 && (b.closed(a) != "" || b.needs == needsArmed && !a.o.Armed) {
		st = dim
	}
	return [2]span{{st, keyNames(b.keys[:1])}, {dim, " " + short}}
}

func prominence(first []string, b *binding) int {
	if i := slices.Index(first, b.keys[0]); i >= 0 {
		return i
	}
	return len(first)
}
