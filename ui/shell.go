package ui

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/store"
	"locktop/model/text"
	"locktop/ui/dialog"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
	"locktop/ui/tutor"
)

// NewShell returns the console as a tea.Model; [Run] is how to run it.
func NewShell(o Options) *Shell {
	a := &Shell{o: o, ctx: context.Background(), copy: func(string) {}, after: tea.Tick}
	if o.Lesson != nil { // else there is none, and it does not show
		a.panel = tutor.New(o.Lesson)
	}
	a.setTheme(cmp.Or(o.Theme, known(o.Settings.Theme), draw.ThemeDark))
	a.reset(o.Settings)
	a.initial = a.settings()
	return a
}

// reset forgets all that was seen. What a person has set stays.
func (a *Shell) reset(s Settings) {
	a.state = store.New(a.o.Pins...)
	locks := page.NewLockList()
	a.pages = page.All(locks, a.o.Lab)
	a.keys = host.NewKeymap(keyTable(a, a.o.Playback != nil || a.o.Past != nil))
	a.viewState = &page.ViewState{Locks: locks, Counters: page.NewCounters(), Uncertain: page.Uncertain{}, Marked: a.viewState.Bookmarks(), Picked: page.NoBookmarks(), Lab: a.o.Lab, NoLab: a.o.NoLab}
	a.backStack, a.awaited, a.spent = nil, nil, nil
	a.themed = known(s.Theme)
	s.apply(locks, a.tables())
}

// setTheme changes how it looks.
func (a *Shell) setTheme(name string) {
	a.th, a.past = draw.NewTheme(name, a.o.Profile, a.o.Signs), draw.PastTheme(name, a.o.Profile, a.o.Signs)
	for _, th := range []*draw.Theme{a.th, a.past} {
		th.Past = a.o.Playback != nil
		th.Brief, th.Lang = a.o.Brief, a.o.Lang
	}
	a.old, a.under = a.th.Dimmed(), a.th.Behind()
}

// setAsks hides or shows what a lesson asks about. That is another theme: what was painted with the one
// before is painted anew.
func (a *Shell) setAsks(asks bool) {
	th, past := *a.th, *a.past
	th.Asks, past.Asks = asks, asks
	a.th, a.past, a.old, a.under = &th, &past, th.Dimmed(), th.Behind()
}

// Init starts the boot and the clock.
func (a *Shell) Init() tea.Cmd {
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
func (a *Shell) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m, cmd := a.update(msg)
	if a.ranking || a.frozen || !a.unranked(a.Frame()) {
		return m, cmd
	}
	a.ranking = true
	return m, tea.Batch(cmd, func() tea.Msg { return rankMsg{} })
}

func (a *Shell) update(msg tea.Msg) (tea.Model, tea.Cmd) {
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
		a.lines = append(a.lines, msg.said)
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
			return a, a.beneath(msg.msg)
		case a.opening && (a.o.Playback != nil || past):
			a.pending = msg.msg
			return a, nil
		}
		return a.update(msg.msg)
	case dialog.Scanned:
		a.start.Scanned(msg)
		return a, nil
	case dialog.SearchProgress:
		return a, a.start.Progressed(msg)
	case watchedMsg:
		return a, a.watched(msg)
	case soughtMsg:
		return a, a.sought(msg)
	case sourceEndedMsg:
		switch {
		case a.ctx.Err() != nil:
		case a.present != nil:
			a.pastEnded(msg.err)
		default:
			a.spent = msg.err
		}
		return a, nil
	case lateMsg:
		if msg.to == a.dialog {
			return a, a.carryOut(msg.then(a.look()))
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
	case tutor.StepMsg:
		return a, a.carryOut(a.panel.Stepped(a.look(), msg))
	case availableMsg:
		return a, a.available(msg)
	case helpMsg:
		msg.overlay.cannot, msg.overlay.asking = msg.whys, false
		return a, nil
	case outcomeMsg:
		return a, a.outcome(msg.out)
	case rankMsg:
		a.ranking = false
		tells := !a.frozen && a.rank(a.Frame())
		a.dirty = was || tells
		return a, nil
	}
	a.dirty = false
	return a, nil
}

// View returns the screen. Bubble Tea asks for it after every message, so it is
// painted only if something changed.
func (a *Shell) View() string {
	if a.dirty {
		a.dirty = false
		a.view = strings.Join(a.paint(), "\n")
	}
	return a.view
}

func (a *Shell) resize(w, h int) {
	a.w, a.h = w, h
	a.thaw()
}

// paint returns the lines of the screen, each exactly as wide as it.
func (a *Shell) paint() []string {
	if asks := a.panel.Asks(); asks != a.th.Asks {
		a.setAsks(asks)
	}
	if a.w <= 0 || a.h <= 0 {
		return nil
	}
	if !a.frozen {
		a.bringUp()
	}
	l := a.arrange()
	if a.frozen && l.main != a.frozenMain { // a lesson came, or went: what was painted has not its size
		a.thaw()
	}
	switch {
	case l.tiny:
		return draw.Fill([]string{a.tinyLine(a.w)}, a.w, a.h)
	case !a.booted:
		return a.booting.screen(a.th, a.o.labelled(a.th), a.tick, a.w, a.h)
	}
	if a.start != nil && a.overlay == nil {
		return a.palette.PaintOver(a.viewOf(a.Frame()), a.startScreen(), a.w)
	}
	top := a.header()
	upper := a.frozenLines
	if !a.frozen {
		upper = a.upper(top, l)
	}
	lines := draw.Fill(append([]string{top.status()}, upper...), a.w, l.main.y+l.main.h)
	if l.lesson.h > 0 {
		f := a.canvas()
		if a.present != nil && !a.inPast() { // what it tells of goes on elsewhere, and its keys do nothing here
			f.Th = a.old
		}
		if l.main.x > 0 {
			lines = a.beside(l, lines, f)
		} else {
			lines = append(draw.Fill(lines, a.w, l.lesson.y), a.panel.Lines(a.look(), f, a.w, l.lesson.h, false)...)
		}
	}
	lines = a.bottom(lines, l)
	if a.dialog != nil {
		lines = a.dialog.PaintOver(a.look(), lines)
	}
	return a.palette.PaintOver(a.viewOf(a.Frame()), draw.Fill(lines, a.w, a.h), a.w)
}

// upper paints what stands between the status line and the end of the page.
func (a *Shell) upper(top *header, l layout) (lines []string) {
	first := l.status.h
	if l.tabs.h > 0 {
		lines = append(lines, top.tabs())
	}
	if l.verdict.h > 0 {
		lines = append(draw.Fill(lines, a.w, l.verdict.y-first), a.verdict(l)...)
	}
	return append(draw.Fill(lines, a.w, l.main.y-first), a.body(l)...)
}

// noticeLines bounds how many lines a long notice takes.
const noticeLines = 3

// bottom paints the footer, and the notice above it: over the page where it has no line of
// its own, or is longer than that, and never over the keys.
func (a *Shell) bottom(lines []string, l layout) []string {
	lines = draw.Fill(lines, a.w, l.notice.y+1)
	if l.footer.h > 0 {
		lines = append(draw.Fill(lines, a.w, l.footer.y), a.footerLine())
	}
	note, edge := a.noticeSpans(), draw.Plain.Of(draw.Blank(margin(a.w)))
	switch {
	case len(note) == 0 && l.notice.h > 0 && l.notice.y >= l.main.y+l.main.h:
		lines[l.notice.y] = a.crumbs(l.notice.w)
	case len(note) == 1 && draw.Width(note[0].Text) > a.w-margin(a.w):
		text := a.th.Wrap(note[0].Text, a.w-margin(a.w), min(noticeLines, l.notice.y))
		for i, part := range text {
			lines[l.notice.y+1-len(text)+i] = a.th.Line(a.w, []draw.Span{edge, note[0].St.Of(part)}, nil)
		}
	case len(note) > 0:
		lines[l.notice.y] = a.th.Line(a.w, append([]draw.Span{edge}, note...), nil)
	}
	return lines
}

// settings are what is set now.
func (a *Shell) settings() Settings {
	s := Settings{Theme: a.themed, Grouped: a.viewState.Locks.Grouped()}
	if a.viewState.Locks.Order.By != page.SortState {
		s.Sort = dialog.SortNames[a.viewState.Locks.Order.By]
	}
	for name, t := range a.tables() {
		for _, c := range t.Cols {
			if t.Off[c.Title] {
				if s.Hidden == nil {
					s.Hidden = map[string][]string{}
				}
				s.Hidden[name] = append(s.Hidden[name], c.Name())
			}
		}
	}
	return s
}

// rememberChanges tells what was set, if it is not what came in.
func (a *Shell) rememberChanges() error {
	now := a.settings()
	if a.o.Remember == nil || reflect.DeepEqual(now, a.initial) {
		return nil
	}
	if err := a.o.Remember(now); err != nil {
		return fmt.Errorf("remember the columns, the order and the theme: %w", err)
	}
	return nil
}

// KeyHelp is a row of the table of keys, in words.
type KeyHelp struct {
	Keys, Where, What, Needs string
}

// Keys returns the table of keys in words, those of recordings too. Footer, help and manual
// come from it.
func Keys() []KeyHelp {
	var rows []KeyHelp
	a := NewShell(Options{})
	for _, k := range keyTable(a, true) {
		rows = append(rows, KeyHelp{Keys: host.Names(k.Keys), Where: k.Where.Words(a.titles()), What: text.English(model.Message{ID: k.What}), Needs: k.Needs})
	}
	return rows
}
