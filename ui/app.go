package ui

import (
	"context"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
)

// pageID is one of the pages, or the queue view that opens from the first.
type pageID int

const (
	pageLocks pageID = iota
	pageSessions
	pageJournal
	pageFindings
	pageLab
	pageQueue
)

// pages are those with a digit, in order.
var pages = []struct {
	title string
	where where
}{{"Locks", onLocks}, {"Sessions", onSessions}, {"Journal", onJournal}, {"Findings", onFindings}, {"Lab", onLab}}

// App is the console as a Bubble Tea model. Make it with [NewApp].
type App struct {
	o    Options
	ctx  context.Context
	keys keymap
	th   *theme
	old  *theme // for what may not be true any more

	state   *model.State
	live    Live
	booted  bool
	boot    []string // progress lines
	booting bootGate
	started time.Time
	now     time.Time // what is shown is as of now
	tick    time.Time
	cost    model.Cost
	spent   error // why the source ended
	err     error // why the program ended

	page     pageID
	paneHas  bool // the keyboard is with the queue pane
	locks    *locksPanel
	queue    *queuePanel
	sessions *sessionsPanel
	journal  *journalPanel
	findings *findingsPanel
	lab      *labPanel
	tally    tally
	trail    []spot // of jumps, to come back
	sheet    *sheet // what is read in the place of the page
	dialog   *dialog
	dialogs  int // so that a late answer does not reach the next one
	helping  bool
	helpTop  int
	field    *field // the filter, while it is typed
	notice   notice
	awaited  []awaited
	mouseOff bool
	copy     func(string)
	after    func(time.Duration, func(time.Time) tea.Msg) tea.Cmd

	frozen     bool
	frozenAt   time.Time
	frozenBody []string

	w, h     int
	dirty    bool
	view     string
	onScreen []model.LeaseID
}

// notice is a line for the person, shown for a while.
type notice struct {
	st    style
	text  string
	until time.Time
}

const noticeFor = 12 * time.Second

// NewApp returns the console as a tea.Model; [Run] is how to run it.
func NewApp(o Options) *App {
	th := newTheme(o.Profile, o.ASCII)
	return &App{
		o: o, ctx: context.Background(), keys: newKeymap(keyTable()),
		th: th, old: th.dimmed(), state: model.NewState(o.Pins...),
		locks: newLocksPanel(), queue: newQueuePanel(), lab: newLabPanel(),
		sessions: newSessionsPanel(), journal: newJournalPanel(), findings: newFindingsPanel(),
		copy: func(string) {}, after: tea.Tick,
	}
}

// Init starts the boot and the clock.
func (a *App) Init() tea.Cmd { return tea.Batch(a.startBoot(), everySecond()) }

// Update takes a message in.
func (a *App) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	a.dirty = true
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		return a, a.resize(msg.Width, msg.Height)
	case tea.KeyMsg:
		return a, a.key(msg)
	case tea.MouseMsg:
		return a, a.mouse(msg)
	case tea.ResumeMsg:
		return a, a.resumed()
	case tickMsg:
		return a, a.ticked(time.Time(msg))
	case bootLineMsg:
		return a, a.bootLine(msg)
	case bootedMsg:
		return a, a.bootDone(msg)
	case batchMsg:
		return a, a.batch(msg)
	case sourceEndedMsg:
		return a, a.sourceEnded(msg.err)
	case planMsg:
		return a, a.planned(msg)
	case graceMsg:
		return a, a.graceOver(msg)
	case outcomeMsg:
		return a, a.outcome(msg.out)
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

func (a *App) resize(w, h int) tea.Cmd {
	a.w, a.h = w, h
	a.paneHas = a.paneHas && arrange(w, h, pageLocks).pane.h > 0
	a.thaw()
	return nil
}

func (a *App) say(st style, text string) {
	a.notice = notice{st, text, a.now.Add(noticeFor)}
}

// frame is what the panels paint from.
func (a *App) frame() frame {
	th := a.th
	if a.spent != nil || fresh(a.state).state == model.FeedLost || a.dialog != nil {
		th = a.old
	}
	return frame{s: a.state, th: th, now: a.now, onScreen: &a.onScreen}
}

// paint returns the lines of the screen, each exactly as wide as it.
func (a *App) paint() []string {
	if a.w <= 0 || a.h <= 0 {
		return nil
	}
	l := arrange(a.w, a.h, a.page)
	a.tally.update(a.state, a.locks.order.total, a.now)
	switch {
	case l.tiny:
		return fill([]string{a.tinyLine(a.w)}, a.w, a.h)
	case !a.booted:
		return a.bootScreen()
	}
	lines := []string{statusLine(a.th, a.w, a.statusLeft(a.th), a.statusRight(a.th))}
	if l.tabs.h > 0 {
		lines = append(lines, a.tabsLine(a.th, a.w))
	}
	if a.frozen {
		lines = append(lines, a.frozenBody...)
	} else {
		lines = append(lines, a.body(l)...)
	}
	lines = fill(lines, a.w, l.main.y+l.main.h+l.pane.h)
	lines = a.bottom(lines, l)
	if a.dialog != nil {
		lines = a.dialog.over(a, lines)
	}
	return fill(lines, a.w, a.h)
}

// bottom paints the notice and the footer. A notice that is longer than its line
// takes the footer's too: what went wrong is worth more than the keys.
func (a *App) bottom(lines []string, l layout) []string {
	note := a.noticeSpans(a.th)
	if l.footer.h == 0 {
		return lines
	}
	if l.notice.y == l.footer.y {
		if len(note) > 0 && a.field == nil {
			return append(lines, a.th.line(a.w, note, nil))
		}
		return append(lines, a.footerLine(a.th, a.w))
	}
	if len(note) == 1 && width(note[0].text) > a.w && a.field == nil && a.dialog == nil {
		for _, text := range a.th.wrap(note[0].text, a.w, 2) {
			lines = append(lines, a.th.line(a.w, []span{{note[0].st, text}}, nil))
		}
		return lines
	}
	return append(lines, a.th.line(a.w, note, nil), a.footerLine(a.th, a.w))
}

// body paints the page.
func (a *App) body(l layout) []string {
	a.onScreen = a.onScreen[:0]
	f := a.frame()
	h := l.main.h + l.pane.h
	a.locks.update(f) // its counts stand on every page
	if a.sheet != nil {
		return a.sheet.render(a.th, a.w, h)
	}
	if a.helping {
		return a.helpLines(a.w, h)
	}
	if text := a.nothing(); text != nil && (a.page == pageLocks || a.page == pageQueue) {
		return fill(text, a.w, h)
	}
	switch a.page {
	case pageSessions:
		return a.sessions.Render(f, a.w, h)
	case pageJournal:
		return a.journal.Render(f, a.w, h)
	case pageFindings:
		return a.findings.Render(f, a.w, h, &a.tally)
	case pageLab:
		if !a.o.Lab {
			return fill(a.noLabLines(), a.w, h)
		}
		return a.lab.Render(f, a.w, h, a.live.Endpoints)
	case pageQueue:
		return a.queue.Render(f, a.w, h, true)
	}
	lines := a.locks.Render(f, a.w, l.main.h, !a.paneHas || l.pane.h == 0)
	a.queue.show(a.locks.pick.id)
	if l.pane.h > 0 {
		lines = append(lines, a.queue.Render(f, a.w, l.pane.h, a.paneHas)...)
	}
	return lines
}

// where says which keys count now: the top of the stack of inputs.
func (a *App) where() where {
	switch {
	case a.dialog != nil && a.dialog.typing != "":
		return inTyped
	case a.dialog != nil:
		return inBreak
	case a.field != nil:
		return inFilter
	case a.sheet != nil:
		return inSheet
	case a.helping:
		return inHelp
	}
	return a.pageWhere()
}

// pageWhere is the page under dialogs, fields and help.
func (a *App) pageWhere() where {
	if a.page == pageQueue {
		return onQueue
	}
	return pages[a.page].where
}
