package ui

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/locks"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// tinyLine is all that fits on a very small screen.
func (a *Shell) tinyLine(w int) string {
	f := a.canvas()
	if a.booted {
		f.UpdateLocks()
	}
	n := f.Locks.Order.Bad
	if n == 0 {
		return a.th.Line(w, []draw.Span{draw.Plain.Of(a.th.Say("locks-counted", draw.Counted(f.Locks.Order.Total))), draw.Good.Of(" " + a.th.Say("ok"))}, nil)
	}
	st, sign := a.th.Level(f.Locks.Order.Worst)
	return a.th.Line(w, []draw.Span{st.Of(sign + " " + strconv.Itoa(n)), draw.Plain.Of(" " + a.th.Say("of-so-many-locks", draw.Counted(f.Locks.Order.Total)))}, nil)
}

// noticeSpans is what a person must know now, empty if there is nothing.
func (a *Shell) noticeSpans() []draw.Span {
	th := a.th
	fr := page.Fresh(a.state.View)
	switch {
	case a.frozen && a.text.Text != "":
		return []draw.Span{a.text}
	case a.frozen:
		return []draw.Span{draw.Plain.Of(th.Say("events-are-still-collected") + " "), draw.Accent.Of(host.Names([]string{" "})), draw.Plain.Of(" " + th.Say("lets-go"))}
	case a.text.Text != "":
		return append([]draw.Span{a.text}, a.undoSpans()...)
	case a.present != nil && a.inPast():
		return a.panel.Texts(a.look())
	case a.present != nil:
		return a.present.texts(th, a.o.Past.Since())
	case errors.Is(a.spent, io.EOF):
		return []draw.Span{draw.Plain.Of(th.Say("end-of-recording"))}
	case a.spent != nil:
		return []draw.Span{draw.Bad.Of(th.Sign.Bad + " " + th.Say("the-watch-ended-restart", model.Verbatim(th.Clean(a.spent.Error()))))}
	case fr.State == locks.Lost:
		return []draw.Span{draw.Bad.Of(th.Sign.Bad + " " + th.Message(fr.What))}
	}
	return fr.MayNot(th)
}

// inPast says whether the reader has gone back in a lesson.
func (a *Shell) inPast() bool {
	return a.panel.IsBack()
}

// footerLine is what is typed, if anything is, and the keys that work here.
func (a *Shell) footerLine() string {
	switch {
	case a.palette != nil:
		return a.palette.Foot(a.viewOf(a.Frame()), a.w, a.h)
	case a.dialog != nil:
		return string(draw.Pad(nil, a.w)) // the dialog says what to press
	}
	lead, in := a.lead(), a.where()
	keys, help := a.keys.Hints(in, a.w-1-draw.WidthOf(lead), a.footer(in))
	return a.th.Line(a.w, append(lead, keys...), append(help, draw.Plain.Of(" ")))
}

// lead stands in the footer before the keys: the filter, while there is one.
func (a *Shell) lead() []draw.Span {
	text, hits := a.filter()
	switch cursor := ""; {
	case a.field == nil && (text == "" || a.start != nil || a.current().About().SaysFilter):
		return []draw.Span{draw.Plain.Of(" ")}
	case a.field != nil:
		text, cursor = a.field.Text, "_"
		fallthrough
	default:
		return []draw.Span{draw.Accent.Of(" / "), draw.Strong.Of(a.th.Clean(text)), draw.Accent.Of(cursor), draw.Dim.Of("  " + a.th.Message(hits) + "   ")}
	}
}

// clickFooter does what the key in a cell of the footer does.
func (a *Shell) clickFooter(x int) tea.Cmd {
	in := a.where()
	if a.palette != nil && !a.palette.Boxed(a.h) || a.dialog != nil {
		return nil
	}
	from := draw.WidthOf(a.lead())
	key := a.keys.HintAt(in, a.w-1-from, a.footer(in), x-from)
	if b := a.keys.At[in][key]; b != nil {
		return a.press(b, key)
	}
	return nil
}

// way are the places from which one came here by jumps, each with what was selected there.
func (a *Shell) way() (way []string) {
	from := 0
	for i, e := range a.backStack {
		if e.turned {
			from = i + 1
		}
	}
	spot := a.current().Spot()
	for _, e := range slices.Backward(a.backStack[from:]) {
		was := e.spots[e.page]
		if was == spot { // what comes next says it
			was = ""
		}
		way = append(way, a.crumb(e.page, was))
		spot = e.spots[e.page]
	}
	slices.Reverse(way)
	if len(way) == 0 && a.current().About().Inner { // the page behind which it stands
		way = append(way, a.th.Say(a.pages[a.pageSet.outer()].About().Label))
	}
	return way
}

// crumbs say how one came here by jumps, and how to go back; blank where one did not jump, or the title
// of the page says it.
func (a *Shell) crumbs(w int) string {
	way := a.way()
	switch n := len(a.chosen()); {
	case n > 0 && a.overlay == nil:
		return a.th.Line(w, []draw.Span{draw.Change.Of(" " + a.th.Say("locks-marked", draw.Counted(n))), draw.Dim.Of(": "), draw.Accent.Of("x"), draw.Dim.Of(" " + a.th.Say("breaks-them") + " "), draw.Accent.Of("M"), draw.Dim.Of(" " + a.th.Say("takes-a-mark-away"))}, nil)
	case a.overlay != nil || len(way) == 0 || a.current().About().Inner:
		return draw.Blank(w)
	}
	way = append(way, a.crumb(a.at, a.current().Spot()))
	between := " " + a.th.Sign.Arrow + " "
	text := strings.Join(way, between)
	for draw.Width(text) > w-10 && len(way) > 1 {
		way = way[1:]
		text = a.th.Sign.Unread + between + strings.Join(way, between)
	}
	return a.th.Line(w, []draw.Span{draw.Dim.Of(" " + text)}, []draw.Span{draw.Accent.Of("-"), draw.Dim.Of(" " + a.th.Say("back") + " ")})
}

// crumbMost is how many cells the name of a spot takes in the back stack.
const crumbMost = 28

// crumb names a page and what is selected there.
func (a *Shell) crumb(at int, spot string) string {
	about := a.pages[at].About()
	if spot == "" || about.Shows&page.ShowFinding != 0 { // a finding has no name
		return a.th.Say(about.Label)
	}
	return a.th.Say(about.Label) + " " + a.th.CutPath(a.th.Clean(spot), crumbMost)
}

// startScreen is what to watch, in full.
func (a *Shell) startScreen() []string {
	note := a.noticeSpans()
	switch {
	case a.text.Text != "":
	case a.opening:
		note = []draw.Span{draw.Plain.Of("  " + a.th.Say("opening") + " " + a.th.Sign.Unread)}
	default:
		note = a.start.Note(a.look(), a.w)
	}
	lines := append(a.start.Lines(a.look(), a.o.Label, a.w, a.h-2), a.th.Line(a.w, note, nil), a.footerLine())
	return draw.Fill(lines, a.w, a.h)
}

// hints are the keys of a place in short, help last, as many as fit in w cells.
func (a *Shell) hints(in host.Where, w int) []draw.Span {
	keys, help := a.keys.Hints(in, w, a.footer(in))
	return append(keys, help...)
}

// wideFooter is the width from which the keys of the footer stand wider apart.
const wideFooter = 100

// footer is what the keys of a place depend on.
func (a *Shell) footer(in host.Where) host.Footer {
	f := host.Footer{View: a.look(), Gap: 3, Frozen: a.frozen}
	narrow := a.w < wideFooter
	if narrow {
		f.Gap = 2
	}
	switch {
	case a.o.Lab && in&host.AnyPage != 0 && narrow:
		f.Before = narrowInLab
	case a.o.Lab && in&host.AnyPage != 0:
		f.Before = firstInLab
	case in&host.AnyPage != 0:
		f.Before = firstOnPage
	}
	if own := a.current().About().First; own != nil && in == a.pageWhere() {
		f.Before = own
	}
	return f
}

// The keys that come first on a page, and in a lab, where everything may be broken. A narrow
// footer keeps the keys that break.
var (
	firstInLab  = []string{"x", "enter", "esc", "/", "e", "P", "H", "K", "N", "F", "A", "w"}
	narrowInLab = []string{"x", "enter", "esc", "P", "H", "K", "F", "A", "N", "/", "e", "w"}
	firstOnPage = []string{"x", "enter", "esc", "/", "e", "w"}
)
