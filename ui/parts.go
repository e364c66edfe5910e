package ui

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

func (p parts) Frame() page.Frame                      { return p.a.frame() }
func (p parts) Context() context.Context               { return p.a.ctx }
func (p parts) Actions() host.Actions                  { return p.a.live.Actions }
func (p parts) Say(st draw.Style, text string)         { p.a.say(st, text) }
func (p parts) Hints(in host.Where, w int) []draw.Span { return p.a.hints(in, w) }
func (p parts) Pressed() string                        { return p.a.pressed }
func (p parts) Close()                                 { p.a.dialog = nil }
func (p parts) Target() page.Target                    { return p.a.target(p.a.frame()) }
func (p parts) Show(r page.Request)                    { p.a.show(r) }
func (p parts) Select(lock string) bool {
	if p.a.state.Lock(lock) == nil || p.a.here().About().Shows&page.ShowRow == 0 {
		return false
	}
	p.a.here().Show(p.a.frame(), page.Request{Show: page.ShowRow, Lock: lock})
	return true
}
func (p parts) Rewind(at time.Time) {
	axis, state := &p.a.board.Axis, nowParts{p}.Frame().S
	switch {
	case p.a.self.tape() == nil:
	case at.IsZero():
		axis.Now()
	default:
		axis.Go(at.Truncate(time.Microsecond), state.Book.Start(), state.Now())
	}
}
func (p parts) Watch(prefixes []string) tea.Cmd { return p.a.watch(prefixes) }
func (p parts) Watching() bool                  { return p.a.start == nil }
func (p parts) Act(act model.Action) tea.Cmd    { return p.a.act(act) }

func (p parts) Idle() time.Duration { return p.a.now.Sub(p.a.touched) }

func (p parts) After(d time.Duration, f func(time.Time) tea.Msg) tea.Cmd { return p.a.after(d, f) }

func (p parts) Open(d host.Dialog, aboutLock bool) bool {
	a := p.a
	if a.where()&host.AnyPage == 0 || aboutLock && !a.here().About().Targets {
		return false
	}
	a.thaw()
	a.dialog = d
	return true
}

func (p parts) Ask(on page.Target, acts []model.Action, then func(host.Said) tea.Cmd) tea.Cmd {
	actions := p.Actions()
	return func() tea.Msg {
		return availableMsg{host.Said{On: on, Acts: acts, Whys: host.WhysNot(actions, acts)}, then}
	}
}

func (p parts) Do(plan model.Plan, within time.Duration) tea.Cmd {
	a, actions := p.a, p.Actions()
	a.say(draw.Dim, a.th.Clean(plan.Action.Describe())+" "+a.th.Sign.Unread)
	return func() tea.Msg {
		ctx, cancel := a.ctx, context.CancelFunc(func() {})
		if within > 0 {
			ctx, cancel = context.WithTimeout(ctx, within)
		}
		defer cancel()
		return outcomeMsg{actions.Do(ctx, plan)}
	}
}

func (p parts) Pages() []string {
	var names []string
	for _, x := range p.a.pages {
		if about := x.About(); !about.Inner {
			names = append(names, about.Title)
		}
	}
	return names
}

func (p parts) GoTo(title string) { p.turnTo(slices.Index(p.a.titles(), title)) }

func (p parts) SetTheme(name string) string {
	if known(name) == "" {
		return "unknown theme " + strconv.Quote(name) + " (" + strings.Join(draw.Themes, ", ") + ")"
	}
	if p.a.themed = name; p.a.o.Profile == termenv.Ascii {
		return "kept for next time: there are no colours here (NO_COLOR, --color or the terminal says so)"
	}
	p.a.setTheme(name)
	return ""
}

func (p parts) Screen(file string) (tea.Cmd, string) {
	a := p.a
	if a.o.Save == nil {
		return nil, "no file can be written here"
	}
	typed := a.palette
	a.palette = nil // it is not part of what was to be kept
	lines := a.paint()
	a.palette = typed
	for i, l := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(l), " ")
	}
	text, save, th := strings.Join(lines, "\n")+"\n", a.o.Save, a.th
	return func() tea.Msg {
		path, err := save(file, text)
		if err != nil {
			return saidMsg{draw.Bad, "the screen was not written: " + th.Clean(err.Error())}
		}
		return saidMsg{draw.Plain, "Wrote the screen to " + th.Clean(path)}
	}, ""
}

// nowParts is the console as it is now, for what goes on while its past is shown.
type nowParts struct{ parts }

// Frame implements host.Host.
func (p nowParts) Frame() page.Frame {
	if present := p.a.present; present != nil {
		return present.Frame(p.a.th)
	}
	return p.parts.Frame()
}

// Record begins a recording of what is seen, or ends it.
func (p parts) Record() string {
	log := p.a.o.Record
	switch {
	case log == nil:
		return "what is shown is recorded already"
	case log.On():
		p.recorded("")
		return ""
	}
	path, why := log.Begin(nowParts{p}.Frame().S)
	if why == "" {
		p.a.say(draw.Plain, "Recording, with the keys' values, to "+p.a.th.Clean(path)+": :record ends it")
		p.a.stays = true
	}
	return why
}

// recorded ends the recording, and says why if a person did not ask for that, and where it is.
func (p parts) recorded(why string) {
	said, err := p.a.o.Record.End()
	st, text := draw.Plain, said
	if why != "" {
		st, text = draw.Late, why+"; "+said
	}
	if err != nil {
		st, text = draw.Bad, text+"; "+err.Error()
	}
	p.a.say(st, p.a.th.Clean(text))
	p.a.stays = true
}

func (p parts) WhyFixed() string {
	if p.a.o.Watch == nil {
		return "the watched prefixes are fixed here: / filters what is shown"
	}
	return ""
}
