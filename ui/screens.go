package ui

import (
	"errors"
	"io"
	"slices"
	"strconv"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// bootScreen shows how far the start has come.
func (a *App) bootScreen() []string {
	th := a.th
	elapsed := ""
	if !a.started.IsZero() {
		elapsed = "  " + draw.Age(a.tick.Sub(a.started), false)
	}
	lines := []string{th.Line(a.w, []draw.Span{draw.Accent.Of("locktop"), draw.Plain.Of(" "), a.o.labelStyle().Of(th.Clean(a.o.Label)),
		draw.Dim.Of(" is starting" + elapsed)}, nil), string(draw.Pad(nil, a.w))}
	shown := a.boot[max(0, len(a.boot)-max(1, a.h-4)):]
	for i, text := range shown {
		st, sign := draw.Dim, th.Sign.Holds
		if i == len(shown)-1 {
			st, sign = draw.Plain, th.Sign.Waits
		}
		lines = append(lines, th.Line(a.w, []draw.Span{st.Of("  " + sign + " " + th.Clean(text))}, nil))
	}
	return draw.Fill(append(lines, string(draw.Pad(nil, a.w)), th.Line(a.w, []draw.Span{draw.Accent.Of("  q"), draw.Dim.Of(" quit")}, nil)), a.w, a.h)
}

// tinyLine is all that fits on a very small screen.
func (a *App) tinyLine(w int) string {
	f := a.canvas()
	if a.booted {
		f.Locks.Update(f)
	}
	n := f.Locks.Order.Bad
	if n == 0 {
		return a.th.Line(w, []draw.Span{draw.Plain.Of(draw.Plural(f.Locks.Order.Total, "lock")), draw.Good.Of(" ok")}, nil)
	}
	return a.th.Line(w, []draw.Span{draw.Bad.Of(a.th.Sign.Bad + " " + strconv.Itoa(n)), draw.Plain.Of(" of " + draw.Plural(f.Locks.Order.Total, "lock"))}, nil)
}

// noticeSpans is what a person must know now, empty if there is nothing.
func (a *App) noticeSpans(th *draw.Theme) []draw.Span {
	fr := page.Fresh(a.state)
	switch {
	case a.frozen:
		return []draw.Span{draw.Armed.Of(" FROZEN for " + draw.Age(a.now.Sub(a.frozenAt), false) + " "),
			draw.Plain.Of(" events are still collected, "), draw.Accent.Of("space"), draw.Plain.Of(" lets go")}
	case a.notice.text != "":
		return []draw.Span{a.notice.st.Of(a.notice.text)}
	case errors.Is(a.spent, io.EOF):
		return []draw.Span{draw.Plain.Of("End of recording")}
	case a.spent != nil:
		return []draw.Span{draw.Bad.Of(th.Sign.Bad + " nothing more will come: " + th.Clean(a.spent.Error()) + "; start locktop again")}
	case fr.State == model.WatchLost:
		seen := ""
		if !fr.Seen.IsZero() {
			seen = "; shown as it was " + draw.Age(a.now.Sub(fr.Seen), false) + " ago"
		}
		return []draw.Span{draw.Bad.Of(th.Sign.Bad + " " + th.Clean(fr.What) + seen)}
	}
	return nil
}

// footerLine is the filter while there is one, and the keys that work here.
func (a *App) footerLine(th *draw.Theme, w int) string {
	if a.palette != nil {
		return a.paletteLine(th, w)
	}
	if a.field != nil {
		return th.Line(w, append([]draw.Span{draw.Accent.Of("/ "), draw.Strong.Of(th.Clean(a.field.Text)), draw.Accent.Of("_"), draw.Dim.Of("  " + a.hits() + "  ")},
			a.hints(host.InFilter, w/2)...), nil)
	}
	if text := a.filter(); text != "" {
		return th.Line(w, []draw.Span{draw.Accent.Of("/ "), draw.Strong.Of(th.Clean(text)), draw.Dim.Of("  " + a.hits() + "  "), draw.Accent.Of("esc"), draw.Dim.Of(" clears")}, nil)
	}
	if a.dialog != nil {
		return string(draw.Pad(nil, w)) // the dialog says what to press
	}
	hints, help := a.hintsAndHelp(a.where(), w-2)
	return th.Line(w, append([]draw.Span{draw.Plain.Of(" ")}, hints...), append(help, draw.Plain.Of(" ")))
}

func (a *App) hits() string {
	if p, ok := a.here().(page.Filtered); ok {
		return p.Hits()
	}
	return ""
}

// first are the keys that a footer shows before all others, in this order.
var first = []string{"n", "x", "enter", "/", "e", "w"}

// hints are the keys of a place in short, the most important first and as many as
// fit; help comes last and always.
func (a *App) hints(in host.Where, w int) []draw.Span {
	keys, help := a.hintsAndHelp(in, w)
	return append(keys, help...)
}

// hintsAndHelp are the same, and the key of help by itself, nil where there is none.
func (a *App) hintsAndHelp(in host.Where, w int) (keys, help []draw.Span) {
	gap := draw.Blank(tabGap(a.w))
	rows := make([]*host.Key, 0, len(a.keys.Rows))
	keys = make([]draw.Span, 0, 48)
	room := w
	for i := range a.keys.Rows {
		k := &a.keys.Rows[i]
		switch {
		case k.Short == "" || k.In&in == 0 || k.Needs == page.NeedsLab && !a.o.Lab || k.Hidden != nil && k.Hidden():
		case k.Short == "help":
			part := a.hint(k, w)
			help = part[:]
			room -= draw.WidthOf(help) + len(gap)
		default:
			rows = append(rows, k)
		}
	}
	before := first
	if own := a.here().About().First; own != nil && in == a.pageWhere() {
		before = own
	}
	slices.SortStableFunc(rows, func(a, b *host.Key) int { return prominence(before, a) - prominence(before, b) })
	for _, k := range rows {
		part := a.hint(k, w)
		if n := draw.WidthOf(part[:]) + len(gap); n <= room {
			room -= n
			keys = append(keys, part[0], part[1], draw.Plain.Of(gap))
		}
	}
	return keys, help
}

// hint is a key in short. One that would only say why it does nothing now is dim: it
// keeps its place, so that the others keep theirs.
func (a *App) hint(k *host.Key, w int) [2]draw.Span {
	short, st := k.Short, draw.Accent
	if k.Needs == host.NeedsArmed || k.Needs == page.NeedsLab {
		st = draw.Change
	}
	if k.Brief != nil {
		short = k.Brief(w)
	}
	if k.In&host.AnyPage != 0 && (k.Closed() != "" || k.Needs == host.NeedsArmed && !a.o.Armed) {
		st = draw.Dim
	}
	return [2]draw.Span{st.Of(host.Names(k.Keys[:1])), draw.Dim.Of(" " + short)}
}

func prominence(first []string, k *host.Key) int {
	if i := slices.Index(first, k.Keys[0]); i >= 0 {
		return i
	}
	return len(first)
}
