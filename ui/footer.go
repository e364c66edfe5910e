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
func (sh *Shell) tinyLine(w int) string {
	f := sh.canvas()
	if sh.booted {
		f.UpdateLocks()
	}
	n := f.Locks.Order.Bad
	if n == 0 {
		return sh.th.Line(w, []draw.Span{draw.Plain.Of(sh.th.Say("locks-counted", draw.Counted(f.Locks.Order.Total))), draw.Good.Of(" " + sh.th.Say("ok"))}, nil)
	}
	st, sign := sh.th.Level(f.Locks.Order.Worst)
	return sh.th.Line(w, []draw.Span{st.Of(sign + " " + strconv.Itoa(n)), draw.Plain.Of(" " + sh.th.Say("of-so-many-locks", draw.Counted(f.Locks.Order.Total)))}, nil)
}

// noticeSpans is what a person must know now, empty if there is nothing.
func (sh *Shell) noticeSpans() []draw.Span {
	th := sh.th
	fr := page.Fresh(sh.state.View)
	switch {
	case sh.frozen && sh.text.Text != "":
		return []draw.Span{sh.text}
	case sh.frozen:
		return []draw.Span{draw.Plain.Of(th.Say("events-are-still-collected") + " "), draw.Accent.Of(host.Names([]string{" "})), draw.Plain.Of(" " + th.Say("lets-go"))}
	case sh.text.Text != "":
		return append([]draw.Span{sh.text}, sh.undoSpans()...)
	case len(sh.underWay) > 0:
		return []draw.Span{sh.underWay[len(sh.underWay)-1].says}
	case sh.present != nil && sh.inPast():
		return sh.panel.Texts(sh.look())
	case sh.present != nil:
		return sh.present.texts(th, sh.o.Past.Since())
	case errors.Is(sh.spent, io.EOF):
		return []draw.Span{draw.Plain.Of(th.Say("end-of-recording"))}
	case sh.spent != nil:
		return []draw.Span{draw.Bad.Of(th.Sign.Bad + " " + th.Say("the-watch-ended-restart", model.Verbatim(th.Clean(sh.spent.Error()))))}
	case fr.State == locks.Lost:
		return []draw.Span{draw.Bad.Of(th.Sign.Bad + " " + th.Message(fr.What))}
	}
	return fr.MayNot(th)
}

// inPast says whether the reader has gone back in a lesson.
func (sh *Shell) inPast() bool {
	return sh.panel.IsBack()
}

// footerLine is what is typed, if anything is, and the keys that work here.
func (sh *Shell) footerLine() string {
	switch {
	case sh.palette != nil:
		return sh.palette.Foot(sh.viewOf(sh.Frame()), sh.w, sh.h)
	case sh.dialog != nil:
		return string(draw.Pad(nil, sh.w)) // the dialog says what to press
	}
	lead, in := sh.lead(), sh.where()
	keys, help := sh.keys.Hints(in, sh.w-1-draw.WidthOf(lead), sh.footer(in))
	return sh.th.Line(sh.w, append(lead, keys...), append(help, draw.Plain.Of(" ")))
}

// lead stands in the footer before the keys: the filter, while there is one.
func (sh *Shell) lead() []draw.Span {
	text, hits := sh.filter()
	switch cursor := ""; {
	case sh.field == nil && (text == "" || sh.start != nil || sh.current().About().SaysFilter):
		return []draw.Span{draw.Plain.Of(" ")}
	case sh.field != nil:
		text, cursor = sh.field.Text, "_"
		fallthrough
	default:
		return []draw.Span{draw.Accent.Of(" / "), draw.Strong.Of(sh.th.Clean(text)), draw.Accent.Of(cursor), draw.Dim.Of("  " + sh.th.Message(hits) + "   ")}
	}
}

// clickFooter does what the key in a cell of the footer does.
func (sh *Shell) clickFooter(x int) tea.Cmd {
	in := sh.where()
	if sh.palette != nil && !sh.palette.Boxed(sh.h) || sh.dialog != nil {
		return nil
	}
	from := draw.WidthOf(sh.lead())
	key := sh.keys.HintAt(in, sh.w-1-from, sh.footer(in), x-from)
	if b := sh.keys.At[in][key]; b != nil {
		return sh.press(b, key)
	}
	return nil
}

// way are the places from which one came here by jumps, each with what was selected there.
func (sh *Shell) way() (way []string) {
	from := 0
	for i, e := range sh.backStack {
		if e.turned {
			from = i + 1
		}
	}
	spot := sh.current().Spot()
	for _, e := range slices.Backward(sh.backStack[from:]) {
		was := e.spots[e.page]
		if was == spot { // what comes next says it
			was = ""
		}
		way = append(way, sh.crumb(e.page, was))
		spot = e.spots[e.page]
	}
	slices.Reverse(way)
	if len(way) == 0 && sh.current().About().Inner { // the page behind which it stands
		way = append(way, sh.th.Say(sh.pages[sh.pageSet.outer()].About().Label))
	}
	return way
}

// crumbs say how one came here by jumps, and how to go back; blank where one did not jump, or the title
// of the page says it.
func (sh *Shell) crumbs(w int) string {
	way := sh.way()
	switch n := len(sh.chosen()); {
	case n > 0 && sh.overlay == nil:
		return sh.th.Line(w, []draw.Span{draw.Change.Of(" " + sh.th.Say("locks-marked", draw.Counted(n))), draw.Dim.Of(": "), draw.Accent.Of("x"), draw.Dim.Of(" " + sh.th.Say("breaks-them") + " "), draw.Accent.Of("M"), draw.Dim.Of(" " + sh.th.Say("takes-a-mark-away"))}, nil)
	case sh.overlay != nil || len(way) == 0 || sh.current().About().Inner:
		return draw.Blank(w)
	}
	way = append(way, sh.crumb(sh.at, sh.current().Spot()))
	between := " " + sh.th.Sign.Arrow + " "
	text := strings.Join(way, between)
	for draw.Width(text) > w-10 && len(way) > 1 {
		way = way[1:]
		text = sh.th.Sign.Unread + between + strings.Join(way, between)
	}
	return sh.th.Line(w, []draw.Span{draw.Dim.Of(" " + text)}, []draw.Span{draw.Accent.Of("-"), draw.Dim.Of(" " + sh.th.Say("back") + " ")})
}

// crumbMost is how many cells the name of a spot takes in the back stack.
const crumbMost = 28

// crumb names a page and what is selected there.
func (sh *Shell) crumb(at int, spot string) string {
	about := sh.pages[at].About()
	if spot == "" || about.Shows&page.ShowFinding != 0 { // a finding has no name
		return sh.th.Say(about.Label)
	}
	return sh.th.Say(about.Label) + " " + sh.th.CutPath(sh.th.Clean(spot), crumbMost)
}

// startScreen is what to watch, in full.
func (sh *Shell) startScreen() []string {
	note := sh.noticeSpans()
	switch {
	case sh.text.Text != "":
	case sh.opening:
		note = []draw.Span{draw.Plain.Of("  " + sh.th.Say("opening") + " " + sh.th.Sign.Unread)}
	default:
		note = sh.start.Note(sh.look(), sh.w)
	}
	lines := append(sh.start.Lines(sh.look(), sh.o.Label, sh.w, sh.h-2), sh.th.Line(sh.w, note, nil), sh.footerLine())
	return draw.Fill(lines, sh.w, sh.h)
}

// hints are the keys of a place in short, help last, as many as fit in w cells.
func (sh *Shell) hints(in host.Where, w int) []draw.Span {
	keys, help := sh.keys.Hints(in, w, sh.footer(in))
	return append(keys, help...)
}

// wideFooter is the width from which the keys of the footer stand wider apart.
const wideFooter = 100

// footer is what the keys of a place depend on.
func (sh *Shell) footer(in host.Where) host.Footer {
	f := host.Footer{View: sh.look(), Gap: 3, Frozen: sh.frozen}
	narrow := sh.w < wideFooter
	if narrow {
		f.Gap = 2
	}
	switch {
	case sh.o.Lab && in&host.AnyPage != 0 && narrow:
		f.Before = narrowInLab
	case sh.o.Lab && in&host.AnyPage != 0:
		f.Before = firstInLab
	case in&host.AnyPage != 0:
		f.Before = firstOnPage
	}
	if own := sh.current().About().First; own != nil && in == sh.pageWhere() {
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
