package ui

import (
	"cmp"
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/fold"
	"locktop/model/prefixes"
	"locktop/ui/draw"
	"locktop/ui/guide"
	"locktop/ui/host"
	"locktop/ui/lesson"
	"locktop/ui/page"
	"locktop/ui/page/pages"
	"locktop/ui/palette"
	"locktop/ui/replay"
	"locktop/ui/start"
	"locktop/ui/table"
)

// App is the console as a Bubble Tea model. Make it with [NewApp].
type App struct {
	o     Options
	ctx   context.Context
	err   error // why the program ended
	copy  func(string)
	after func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
	keys  host.Keymap
	self  parts
	was   Settings // as they came in

	state *fold.State
	board *page.Board
	pageSet
	trail []historyEntry // of jumps, to come back
	start *start.Page    // what to watch is being chosen, nil if it is not
	under host.Pane      // the page: a lesson, or the guide of the demo

	booting
	watching
	acting
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
	sources int             // how many there have been
	opening bool            // another one is being opened
	present *replay.Present // what goes on under the past that is shown, nil: now is shown
	moments int             // of the past that were shown
	cursor  time.Time       // of the axis, when the recording was last moved to it
	held    tea.Msg         // what the source said while another moment of the recording is looked up
	cost    model.Cost
	spent   error // why the source ended
}

// inputs are what takes the keyboard from the page.
type inputs struct {
	dialog   host.Dialog   // over the page, nil for none
	sheet    *sheet        // what is read in the place of the page
	field    *host.Field   // the filter, while it is typed
	palette  *palette.Line // a command, while it is typed
	pressed  string        // the key that is being done
	touched  time.Time     // when the last one was pressed
	mouseOff bool
}

// looks are how it looks.
type looks struct {
	th     *draw.Theme
	old    *draw.Theme // for what may not be true any more
	themed string      // the theme that was chosen by hand, "" for none
	ask    func() (light, ok bool)
}

// clock is the time that is shown, and the last tick.
type clock struct {
	now, tick time.Time
	set       time.Duration // by how much the machine's was set, as it was told last
}

// freezing is the body as it was when the screen was frozen.
type freezing struct {
	frozen     bool
	frozenAt   time.Time
	frozenBody []string
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
	said  draw.Span
	stays bool
	since time.Time // of the first tick after it was said
}

const noticeFor = 4 * time.Second

// say shows a line, grey unless it matters.
func (n *notice) say(st draw.Style, text string) {
	if st == draw.Plain {
		st = draw.Dim
	}
	*n = notice{said: st.Of(text), stays: st == draw.Bad}
}

// fade takes the line away when it was there for long enough.
func (n *notice) fade(tick time.Time) {
	switch {
	case n.said.Text == "" || n.stays:
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

// NewApp returns the console as a tea.Model; [Run] is how to run it.
func NewApp(o Options) *App {
	a := &App{o: o, ctx: context.Background(), copy: func(string) {}, after: tea.Tick}
	a.self = parts{a}
	a.acting = acting{host: nowParts{a.self}, may: &a.o, on: &a.live}
	switch {
	case o.Lesson != nil:
		a.under = lesson.New(nowParts{a.self}, o.Lesson)
	case o.Guide != "":
		a.under = guide.New(nowParts{a.self}, o.Guide)
	default:
		a.under = (*lesson.Pane)(nil) // which does not show
	}
	a.setTheme(cmp.Or(o.Theme, known(o.Settings.Theme), draw.ThemeDark))
	a.reset(o.Settings)
	a.was = a.settings()
	return a
}

// reset forgets all that was seen. What a person has set stays.
func (a *App) reset(s Settings) {
	a.state = fold.NewState(a.o.Pins...)
	locks := page.NewLockList()
	a.pages = pages.All(locks)
	a.keys = host.NewKeymap(keyTable(a, a.o.Tape != nil || a.o.Past != nil))
	a.board = &page.Board{Locks: locks, Tally: page.NewTally(), Doubts: page.Doubts{}, Marked: a.board.Bookmarks(), Picked: page.NoMarks(), Lab: a.o.Lab, NoLab: a.o.NoLab}
	a.trail, a.awaited, a.spent = nil, nil, nil
	a.themed = known(s.Theme)
	s.apply(locks, a.tables())
}

// setTheme changes how it looks.
func (a *App) setTheme(name string) {
	a.th = draw.NewTheme(name, a.o.Profile, a.o.Signs)
	if a.o.Lesson != nil {
		a.th.Lang = a.o.Lesson.Lang
	}
	a.old = a.th.Dimmed()
}

// Init starts the boot and the clock.
func (a *App) Init() tea.Cmd {
	return tea.Batch(a.booting.begin(a.ctx, a.o.Boot), everySecond(nil), a.askGround())
}

// groundMsg says that the ground of the terminal is light.
type groundMsg struct{}

// askGround asks the terminal whether its ground is light, if it may be asked.
func (l *looks) askGround() tea.Cmd {
	ask := l.ask
	if ask == nil {
		return nil
	}
	return func() tea.Msg {
		if light, ok := ask(); ok && light {
			return groundMsg{}
		}
		return nil
	}
}

// rankMsg says that the next piece of a long list of locks or sessions can be ranked.
type rankMsg struct{}

// Update takes a message in.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m, cmd := a.update(msg)
	if a.ranking || a.frozen || !a.unranked(a.frame()) {
		return m, cmd
	}
	a.ranking = true
	return m, tea.Batch(cmd, func() tea.Msg { return rankMsg{} })
}

func (a *App) update(msg tea.Msg) (tea.Model, tea.Cmd) {
	was := a.dirty
	a.dirty = true
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		a.resize(msg.Width, msg.Height)
		return a, nil
	case tea.KeyMsg:
		return a, a.key(msg)
	case tea.MouseMsg:
		return a, a.mouse(msg)
	case tea.ResumeMsg: // suspending took the mouse from the terminal
		if !a.mouseOff {
			return a, tea.EnableMouseCellMotion
		}
		return a, nil
	case tickMsg:
		return a, a.ticked(time.Time(msg))
	case bootLineMsg:
		a.lines = append(a.lines, msg.text)
		return a, msg.more
	case bootedMsg:
		return a, a.bootDone(msg)
	case batchMsg:
		cmd, tells := a.batch(model.Batch(msg))
		a.dirty = was || tells
		return a, cmd
	case pulledMsg:
		a.dirty = was
		past := a.present != nil && msg.source == -a.moments
		switch {
		case msg.source != a.sources && !past: // of what was watched before
			return a, nil
		case a.present != nil && !past:
			return a, a.self.beneath(msg.msg)
		case a.opening && (a.o.Tape != nil || past):
			a.held = msg.msg
			return a, nil
		}
		return a.update(msg.msg)
	case start.Scanned:
		a.start.Scanned(msg)
		return a, nil
	case start.Progress:
		return a, a.start.Progressed(msg)
	case watchedMsg:
		return a, a.watched(msg)
	case soughtMsg:
		return a, a.self.sought(msg)
	case sourceEndedMsg:
		switch {
		case a.ctx.Err() != nil:
		case a.present != nil:
			a.self.pastEnded(msg.err)
		default:
			a.spent = msg.err
		}
		return a, nil
	case host.Late:
		if msg.To == a.dialog {
			return a, msg.Take()
		}
		return a, nil
	case saidMsg:
		a.say(msg.st, msg.text)
		return a, nil
	case groundMsg:
		if a.themed == "" {
			a.setTheme(draw.ThemeLight)
		}
		return a, nil
	case lesson.StepMsg:
		return a, a.under.(*lesson.Pane).Stepped(msg)
	case availableMsg:
		return a, a.available(msg)
	case helpMsg:
		msg.of.cannot, msg.of.asking = msg.whys, false
		return a, nil
	case outcomeMsg:
		return a, a.outcome(msg.out)
	case rankMsg:
		a.ranking = false
		tells := !a.frozen && a.rank(a.frame())
		a.dirty = was || tells
		return a, nil
	}
	a.dirty = false
	return a, nil
}

// View returns the screen. Bubble Tea asks for it after every message, so it is
// painted only if something changed.
func (a *App) View() string {
	if a.dirty {
		a.dirty = false
		a.view = strings.Join(a.paint(), "\n")
	}
	return a.view
}

func (a *App) resize(w, h int) {
	a.w, a.h = w, h
	a.thaw()
}

// frame is what a page is asked about.
func (a *App) frame() page.Frame {
	b := a.board
	b.Prefixes, b.Endpoints, b.Height, b.Lesson = a.o.Prefixes, a.live.Endpoints, a.h, a.under.Height(a.th, a.w, a.h) > lessonShort || a.under.Showing() && a.h >= page.TallFrom
	return page.Frame{Board: b, View: table.View{S: a.state, Th: a.th, Now: a.now, OnScreen: &a.onScreen, Marks: b.Marked.Has, Chosen: b.Picked.Has}}
}

// header is the top of the screen as it is now.
func (a *App) header() *header {
	return &header{Frame: a.frame(), o: &a.o, w: a.w, shown: a.pageSet, spent: a.spent, cost: a.cost, present: a.present}
}

// canvas is what is painted from: dim if it may not be true any more, or lies under a dialog.
func (a *App) canvas() page.Frame {
	f := a.frame()
	if a.spent != nil || a.dialog != nil || page.Fresh(a.state).State == prefixes.Lost {
		f.Th = a.old
	}
	return f
}

// paint returns the lines of the screen, each exactly as wide as it.
func (a *App) paint() []string {
	if a.w <= 0 || a.h <= 0 {
		return nil
	}
	if !a.frozen {
		a.board.Locks.Update(a.frame()) // its counts stand on every page, above the rest
		a.board.Tally.Update(a.state, a.board.Locks.Order.Total, a.now)
	}
	l := a.arrange()
	switch {
	case l.tiny:
		return draw.Fill([]string{a.tinyLine(a.w)}, a.w, a.h)
	case !a.booted:
		return a.booting.screen(a.th, a.o.labelled(a.th), a.tick, a.w, a.h)
	}
	if a.start != nil && a.sheet == nil {
		return a.palette.Over(a.startScreen(), a.w)
	}
	top := a.header()
	lines := []string{top.status()}
	if l.tabs.h > 0 {
		lines = append(lines, top.tabs())
	}
	if l.verdict.h > 0 {
		lines = append(draw.Fill(lines, a.w, l.verdict.y), a.verdict(l)...)
	}
	lines = draw.Fill(lines, a.w, l.main.y)
	if a.frozen {
		lines = append(lines, a.frozenBody...)
	} else {
		lines = append(lines, a.body(l)...)
	}
	lines = draw.Fill(lines, a.w, l.main.y+l.main.h)
	if l.lesson.h > 0 {
		f := a.canvas()
		if a.present != nil && !a.self.behind() { // what it tells of goes on elsewhere, and its keys do nothing here
			f.Th = a.old
		}
		lines = append(lines, a.under.Lines(f, a.w, l.lesson.h)...)
	}
	lines = a.bottom(lines, l)
	if a.dialog != nil {
		lines = a.dialog.Over(lines)
	}
	return a.palette.Over(draw.Fill(lines, a.w, a.h), a.w)
}

// noticeLines bounds how many lines a long notice takes.
const noticeLines = 3

// bottom paints the footer, and the notice above it: over the page where it has no line of
// its own, or is longer than that, and never over the keys.
func (a *App) bottom(lines []string, l layout) []string {
	lines = draw.Fill(lines, a.w, l.notice.y+1)
	if l.footer.h > 0 {
		lines = append(draw.Fill(lines, a.w, l.footer.y), a.footerLine())
	}
	note := a.noticeSpans()
	switch {
	case len(note) == 0 && l.notice.h > 0 && l.notice.y >= l.main.y+l.main.h:
		lines[l.notice.y] = a.self.crumbs(l.notice.w)
	case len(note) == 1 && draw.Width(note[0].Text) > a.w:
		text := a.th.Wrap(note[0].Text, a.w, min(noticeLines, l.notice.y))
		for i, part := range text {
			lines[l.notice.y+1-len(text)+i] = a.th.Line(a.w, []draw.Span{note[0].St.Of(part)}, nil)
		}
	case len(note) > 0:
		lines[l.notice.y] = a.th.Line(a.w, note, nil)
	}
	return lines
}

// body paints the page.
func (a *App) body(l layout) []string {
	a.onScreen = a.onScreen[:0]
	f := a.canvas()
	h := l.main.h
	if a.sheet != nil {
		return a.sheet.render(a.th, a.w, h)
	}
	return a.here().Paint(f, a.w, h)
}

// where says which keys count now: the top of the stack of inputs.
func (a *App) where() host.Where {
	if a.dialog != nil {
		return a.dialog.Place()
	}
	switch {
	case a.palette != nil:
		return host.InPalette
	case a.field != nil:
		return host.InFilter
	case a.under.Has() && a.present == nil:
		return host.InLesson
	case a.sheet != nil:
		return a.sheet.in
	}
	return a.pageWhere()
}

// pageWhere is the page under dialogs, fields and help.
func (a *App) pageWhere() host.Where {
	if a.start != nil {
		return host.InStart
	}
	return host.OnPage(a.at)
}
