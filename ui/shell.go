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
func (sh *Shell) reset(s Settings) {
	sh.state = store.New(sh.o.Pins...)
	locks := page.NewLockList()
	sh.pages = page.All(locks, sh.o.Lab)
	sh.keys = host.NewKeymap(keyTable(sh, sh.o.Playback != nil || sh.o.Past != nil))
	sh.viewState = &page.ViewState{Locks: locks, Counters: page.NewCounters(), Uncertain: page.Uncertain{}, Marked: sh.viewState.Bookmarks(), Picked: page.NoBookmarks(), Lab: sh.o.Lab, NoLab: sh.o.NoLab}
	sh.backStack, sh.awaited, sh.spent = nil, nil, nil
	sh.themed = known(s.Theme)
	s.apply(locks, sh.tables())
}

// setTheme changes how it looks.
func (sh *Shell) setTheme(name string) {
	sh.th, sh.past = draw.NewTheme(name, sh.o.Profile, sh.o.Signs), draw.PastTheme(name, sh.o.Profile, sh.o.Signs)
	for _, th := range []*draw.Theme{sh.th, sh.past} {
		th.Past = sh.o.Playback != nil
		th.Brief, th.Lang = sh.o.Brief, sh.o.Lang
	}
	sh.old, sh.under = sh.th.Dimmed(), sh.th.Behind()
}

// setAsks hides or shows what a lesson asks about. That is another theme: what was painted with the one
// before is painted anew.
func (sh *Shell) setAsks(asks bool) {
	th, past := *sh.th, *sh.past
	th.Asks, past.Asks = asks, asks
	sh.th, sh.past, sh.old, sh.under = &th, &past, th.Dimmed(), th.Behind()
}

// Init starts the boot and the clock.
func (sh *Shell) Init() tea.Cmd {
	return tea.Batch(sh.booting.begin(sh.ctx, sh.o.Boot), everySecond(nil), sh.askGround())
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
func (sh *Shell) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m, cmd := sh.update(msg)
	if sh.ranking || sh.frozen || !sh.unranked(sh.Frame()) {
		return m, cmd
	}
	sh.ranking = true
	return m, tea.Batch(cmd, func() tea.Msg { return rankMsg{} })
}

func (sh *Shell) update(msg tea.Msg) (tea.Model, tea.Cmd) {
	was := sh.dirty
	sh.dirty = true
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		sh.resize(msg.Width, msg.Height)
		return sh, nil
	case tea.KeyMsg:
		return sh, sh.key(msg)
	case tea.MouseMsg:
		return sh, sh.mouse(msg)
	case tea.ResumeMsg: // suspending took the mouse from the terminal
		if !sh.mouseOff {
			return sh, tea.EnableMouseCellMotion
		}
		return sh, nil
	case tickMsg:
		return sh, sh.ticked(time.Time(msg))
	case bootLineMsg:
		sh.lines = append(sh.lines, msg.said)
		return sh, msg.more
	case bootedMsg:
		return sh, sh.bootDone(msg)
	case batchMsg:
		cmd, tells := sh.batch(model.Batch(msg))
		sh.dirty = was || tells
		return sh, cmd
	case pulledMsg:
		sh.dirty = was
		past := sh.present != nil && msg.source == -sh.moments
		switch {
		case msg.source != sh.sources && !past: // of what was watched before
			return sh, nil
		case sh.present != nil && !past:
			return sh, sh.beneath(msg.msg)
		case sh.opening && (sh.o.Playback != nil || past):
			sh.pending = msg.msg
			return sh, nil
		}
		return sh.update(msg.msg)
	case dialog.Scanned:
		sh.start.Scanned(msg)
		return sh, nil
	case dialog.SearchProgress:
		return sh, sh.start.Progressed(msg)
	case watchedMsg:
		return sh, sh.watched(msg)
	case soughtMsg:
		return sh, sh.sought(msg)
	case sourceEndedMsg:
		switch {
		case sh.ctx.Err() != nil:
		case sh.present != nil:
			sh.pastEnded(msg.err)
		default:
			sh.spent = msg.err
		}
		return sh, nil
	case lateMsg:
		if msg.to == sh.dialog {
			return sh, sh.carryOut(msg.then(sh.look()))
		}
		return sh, nil
	case saidMsg:
		sh.say(msg.st, msg.text)
		return sh, nil
	case groundMsg:
		if sh.themed == "" {
			sh.setTheme(draw.ThemeLight)
		}
		return sh, nil
	case tutor.StepMsg:
		return sh, sh.carryOut(sh.panel.Stepped(sh.look(), msg))
	case availableMsg:
		return sh, sh.available(msg)
	case helpMsg:
		msg.overlay.cannot, msg.overlay.asking = msg.whys, false
		return sh, nil
	case outcomeMsg:
		return sh, sh.outcome(msg)
	case rankMsg:
		sh.ranking = false
		tells := !sh.frozen && sh.rank(sh.Frame())
		sh.dirty = was || tells
		return sh, nil
	}
	sh.dirty = false
	return sh, nil
}

// View returns the screen. Bubble Tea asks for it after every message, so it is
// painted only if something changed.
func (sh *Shell) View() string {
	if sh.dirty {
		sh.dirty = false
		sh.view = strings.Join(sh.paint(), "\n")
	}
	return sh.view
}

func (sh *Shell) resize(w, h int) {
	sh.w, sh.h = w, h
	sh.thaw()
}

// paint returns the lines of the screen, each exactly as wide as it.
func (sh *Shell) paint() []string {
	if asks := sh.panel.Asks(); asks != sh.th.Asks {
		sh.setAsks(asks)
	}
	if sh.w <= 0 || sh.h <= 0 {
		return nil
	}
	if !sh.frozen {
		sh.bringUp()
	}
	l := sh.arrange()
	if sh.frozen && l.main != sh.frozenMain { // a lesson came, or went: what was painted has not its size
		sh.thaw()
	}
	switch {
	case l.tiny:
		return draw.Fill([]string{sh.tinyLine(sh.w)}, sh.w, sh.h)
	case !sh.booted:
		return sh.booting.screen(sh.th, sh.o.labelled(sh.th), sh.tick, sh.w, sh.h)
	}
	if sh.start != nil && sh.overlay == nil {
		return sh.palette.PaintOver(sh.viewOf(sh.Frame()), sh.startScreen(), sh.w)
	}
	top := sh.header()
	upper := sh.frozenLines
	if !sh.frozen {
		upper = sh.upper(top, l)
	}
	lines := draw.Fill(append([]string{top.status()}, upper...), sh.w, l.main.y+l.main.h)
	if l.lesson.h > 0 {
		f := sh.canvas()
		if sh.present != nil && !sh.inPast() { // what it tells of goes on elsewhere, and its keys do nothing here
			f.Th = sh.old
		}
		if l.main.x > 0 {
			lines = sh.beside(l, lines, f)
		} else {
			lines = append(draw.Fill(lines, sh.w, l.lesson.y), sh.panel.Lines(sh.look(), f, sh.w, l.lesson.h, false)...)
		}
	}
	lines = sh.bottom(lines, l)
	if sh.dialog != nil {
		lines = sh.dialog.PaintOver(sh.look(), lines)
	}
	return sh.palette.PaintOver(sh.viewOf(sh.Frame()), draw.Fill(lines, sh.w, sh.h), sh.w)
}

// upper paints what stands between the status line and the end of the page.
func (sh *Shell) upper(top *header, l layout) (lines []string) {
	first := l.status.h
	if l.tabs.h > 0 {
		lines = append(lines, top.tabs())
	}
	if l.verdict.h > 0 {
		lines = append(draw.Fill(lines, sh.w, l.verdict.y-first), sh.verdict(l)...)
	}
	return append(draw.Fill(lines, sh.w, l.main.y-first), sh.body(l)...)
}

// noticeLines bounds how many lines a long notice takes.
const noticeLines = 3

// bottom paints the footer, and the notice above it: over the page where it has no line of
// its own, or is longer than that, and never over the keys.
func (sh *Shell) bottom(lines []string, l layout) []string {
	lines = draw.Fill(lines, sh.w, l.notice.y+1)
	if l.footer.h > 0 {
		lines = append(draw.Fill(lines, sh.w, l.footer.y), sh.footerLine())
	}
	note, edge := sh.noticeSpans(), draw.Plain.Of(draw.Blank(margin(sh.w)))
	switch {
	case len(note) == 0 && l.notice.h > 0 && l.notice.y >= l.main.y+l.main.h:
		lines[l.notice.y] = sh.crumbs(l.notice.w)
	case len(note) == 1 && draw.Width(note[0].Text) > sh.w-margin(sh.w):
		text := sh.th.Wrap(note[0].Text, sh.w-margin(sh.w), min(noticeLines, l.notice.y))
		for i, part := range text {
			lines[l.notice.y+1-len(text)+i] = sh.th.Line(sh.w, []draw.Span{edge, note[0].St.Of(part)}, nil)
		}
	case len(note) > 0:
		lines[l.notice.y] = sh.th.Line(sh.w, append([]draw.Span{edge}, note...), nil)
	}
	return lines
}

// settings are what is set now.
func (sh *Shell) settings() Settings {
	s := Settings{Theme: sh.themed, Grouped: sh.viewState.Locks.Grouped()}
	if sh.viewState.Locks.Order.By != page.SortState {
		s.Sort = dialog.SortNames[sh.viewState.Locks.Order.By]
	}
	for name, t := range sh.tables() {
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
func (sh *Shell) rememberChanges() error {
	now := sh.settings()
	if sh.o.Remember == nil || reflect.DeepEqual(now, sh.initial) {
		return nil
	}
	if err := sh.o.Remember(now); err != nil {
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
