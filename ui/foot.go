package ui

import (
	"errors"
	"io"
	"strconv"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

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
func (a *App) noticeSpans() []draw.Span {
	th := a.th
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
		return []draw.Span{draw.Bad.Of(th.Sign.Bad + " The watch ended: " + th.Clean(a.spent.Error()) + ". Restart locktop.")}
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
func (a *App) footerLine() string {
	th, w := a.th, a.w
	text, hits := a.filter()
	switch {
	case a.palette != nil:
		return a.palette.Paint(w)
	case a.field != nil:
		return th.Line(w, append([]draw.Span{draw.Accent.Of("/ "), draw.Strong.Of(th.Clean(a.field.Text)), draw.Accent.Of("_"), draw.Dim.Of("  " + hits + "  ")},
			a.hints(host.InFilter, w/2)...), nil)
	case text != "" && a.start == nil:
		return th.Line(w, []draw.Span{draw.Accent.Of("/ "), draw.Strong.Of(th.Clean(text)), draw.Dim.Of("  " + hits + "  "), draw.Accent.Of("esc"), draw.Dim.Of(" clears")}, nil)
	case a.dialog != nil:
		return string(draw.Pad(nil, w)) // the dialog says what to press
	}
	keys, help := a.keys.Hints(a.where(), w-3, a.footer(a.where()))
	return th.Line(w, append([]draw.Span{draw.Plain.Of(" ")}, keys...), append(help, draw.Plain.Of(" ")))
}

// startScreen is what to watch, in full.
func (a *App) startScreen() []string {
	note := a.noticeSpans()
	switch {
	case a.notice.text != "":
	case a.opening:
		note = []draw.Span{draw.Plain.Of("  opening " + a.th.Sign.Unread)}
	default:
		note = a.start.Note(a.w)
	}
	lines := append(a.start.Lines(a.o.Label, a.w, a.h-2), a.th.Line(a.w, note, nil), a.footerLine())
	return draw.Fill(lines, a.w, a.h)
}

// hints are the keys of a place in short, help last, as many as fit in w cells.
func (a *App) hints(in host.Where, w int) []draw.Span {
	keys, help := a.keys.Hints(in, w, a.footer(in))
	return append(keys, help...)
}

// footer is what the keys of a place depend on.
func (a *App) footer(in host.Where) host.Footer {
	f := host.Footer{Lab: a.o.Lab, Armed: a.o.Armed, Gap: tabGap(a.w)}
	switch {
	case a.o.Lab && in&host.AnyPage != 0 && a.w < wordsFrom:
		f.Before = narrowInLab
	case a.o.Lab && in&host.AnyPage != 0:
		f.Before = firstInLab
	}
	if own := a.here().About().First; own != nil && in == a.pageWhere() {
		f.Before = own
	}
	return f
}

// The keys that come first in a lab, where everything may be broken. A narrow footer keeps
// the keys that break.
var (
	firstInLab  = []string{"x", "enter", "esc", "/", "e", "P", "H", "K", "N", "F", "A", "w"}
	narrowInLab = []string{"x", "enter", "esc", "P", "H", "K", "N", "F", "A", "/", "e", "w"}
)
