package ui

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/ui/dialog"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
	"locktop/ui/tutor"

	"locktop/ui/table"
)

// Shell is the console as a Bubble Tea model. Make it with [NewShell].
type Shell struct {
	o       Options
	ctx     context.Context
	err     error // why the program ended
	copy    func(string)
	after   func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
	keys    host.Keymap
	initial Settings // as they came in

	state     *store.Store
	viewState *page.ViewState
	pageSet
	backStack []historyEntry    // of jumps, to come back
	start     *dialog.StartPage // what to watch is being chosen, nil if it is not
	panel     *tutor.Panel      // the page: a lesson, or the guide of the demo; nil: none

	booting
	watching
	actionState
	inputs
	looks
	notice
	clock
	freezing
	painting
}

// watching is what is watched, and how that goes.
type watching struct {
	live    Live
	sources int       // how many there have been
	opening bool      // another one is being opened
	present *present  // what goes on under the past that is shown, nil: now is shown
	moments int       // of the past that were shown
	cursor  time.Time // of the axis, when the recording was last moved to it
	pending tea.Msg   // what the source said while another moment of the recording is looked up
	cost    model.Cost
	spent   error // why the source ended
}

// inputs are what takes the keyboard from the page.
type inputs struct {
	dialog   host.Dialog         // over the page, nil for none
	overlay  *overlay            // what is read in the place of the page
	field    *host.Field         // the filter, while it is typed
	palette  *dialog.CommandLine // a command, while it is typed
	pressed  string              // the key that is being done
	touched  time.Time           // when the last one was pressed
	mouseOff bool
	clicked  clicked
	dragged  int // the column in which a button is held on no row, 0 for none: a scroll bar may be there
}

// looks are how it looks.
type looks struct {
	th     *draw.Theme
	old    *draw.Theme // for what may not be true any more
	under  *draw.Theme // for what lies under a dialog
	past   *draw.Theme // for a moment of the past
	themed string      // the theme that was chosen by hand, "" for none
	ask    func() (light, ok bool)
}

// clock is the time that is shown, and the last tick.
type clock struct {
	now, tick time.Time
	set       time.Duration // by how much the machine's was set, as it was told last
}

// freezing is the screen as it was when it was frozen: all that has a date, so that two moments never
// stand side by side. The chip that says so goes on, and a lesson under the page.
type freezing struct {
	frozen      bool
	frozenAt    time.Time
	frozenLeft  []segment // of the status line
	frozenLines []string  // from the line of pages to the end of the page
	frozenMain  rect      // where that stood
}

func (f *freezing) thaw() { *f = freezing{} }

// painting is what was painted last.
type painting struct {
	w, h      int
	dirty     bool
	view      string
	onScreen  []model.LeaseID
	ranking   bool      // a rankMsg is on its way
	listShown time.Time // when a list under way was last painted
}

// notice is a line for the person. It fades, but for what went wrong or was said before
// anybody looked: that stays until a key.
type notice struct {
	text  draw.Span
	undo  model.Fault // what it says was done, as far as that can be taken back
	stays bool
	local bool      // it says why a key of this page did nothing
	since time.Time // of the first tick after it was said
}

// say shows a line, grey unless it matters.
func (n *notice) say(st draw.Style, text string) {
	if st == draw.Plain {
		st = draw.Dim
	}
	*n = notice{text: st.Of(text), stays: st == draw.Bad}
}

// refuse says why a key did nothing, for as long as one stays on the page.
func (n *notice) refuse(why string) { *n = notice{text: draw.Late.Of(why), local: true} }

// fade takes the line away when it was there for long enough.
func (n *notice) fade(tick time.Time) {
	switch {
	case n.text.Text == "" || n.stays:
	case n.since.IsZero():
		n.since = tick
	case tick.Sub(n.since) >= noticeFor:
		*n = notice{}
	}
}

// keyed takes away what stays until a key.
func (n *notice) keyed() {
	if n.stays {
		*n = notice{}
	}
}

// Frame is what a page is asked about.
func (sh *Shell) Frame() page.Frame {
	b := sh.viewState
	b.Cost, b.Armed = sh.cost, sh.o.Armed && !sh.disarmed
	b.Prefixes, b.Endpoints, b.Height, b.Lesson = sh.o.Prefixes, sh.live.Endpoints, sh.h, !sh.lessonBeside() && (sh.panel.Height(sh.th, sh.w, sh.h) > lessonShort || sh.panel.Showing() && sh.h >= page.TallFrom)
	b.Model = sh.panel.ShowsModel()
	if b.Way = nil; sh.current().About().Inner {
		b.Way = sh.way()
	}
	return page.Frame{ViewState: b, View: table.View{S: sh.state.View, Th: sh.th, Now: sh.now, Stands: sh.stands(), OnScreen: &sh.onScreen, Marks: b.Marked.Has, Chosen: b.Picked.Has}}
}

// canvas is what is painted from: dim if it may not be true any more, and as good as gone under a dialog.
func (sh *Shell) canvas() page.Frame {
	f := sh.Frame()
	switch {
	case sh.dialog != nil || sh.palette.Boxed(sh.h):
		f.Th = sh.under
	case sh.stale():
		f.Th = sh.old
	case sh.present != nil:
		f.Th = sh.past
	}
	return f
}

// stale says whether what is painted may not be true any more.
func (sh *Shell) stale() bool {
	return sh.spent != nil || sh.frozen || page.Fresh(sh.state.View).State == locks.Lost
}

// where says which keys count now: the top of the stack of inputs.
func (sh *Shell) where() host.Where {
	if sh.dialog != nil {
		return sh.dialog.Place()
	}
	switch {
	case sh.palette != nil:
		return host.InPalette
	case sh.field != nil:
		return host.InFilter
	case sh.panel.Has() && sh.present == nil:
		return host.InLesson
	case sh.overlay != nil:
		return sh.overlay.where
	}
	return sh.pageWhere()
}

// pageWhere is the page under dialogs, fields and help.
func (sh *Shell) pageWhere() host.Where {
	if sh.start != nil {
		return host.InStart
	}
	return host.OnPage(sh.at)
}

// pageSet are the pages, and which of them is shown.
type pageSet struct {
	pages []page.Page
	at    int
}

// historyEntry is where one was before a jump: a page, and the spot on each.
type historyEntry struct {
	page   int
	spots  []string
	turned bool // one left by the digit of a page: no way leads from there to here
}

// overlay is what is read in the place of the page: help, what a finding means, or how to
// see the same by hand.
type overlay struct {
	where host.Where
	title string
	lines func(w int) []string
	copy  []string              // the lines that can be copied
	rows  func() []host.HelpRow // of help, in the place of lines: with a cursor
	at    int                   // where it is
	top   int
	shown int // how many rows were in sight
	// Of help: what the actions cannot do, by what the key does, and whether they are
	// being asked.
	cannot map[model.MessageID]string
	asking bool
}

// lessonShort is how many lines a lesson has at most that leaves room for blank lines.
const lessonShort = 4
