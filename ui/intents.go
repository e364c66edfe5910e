package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/muesli/termenv"

	"locktop/model"
	"locktop/model/text"
	"locktop/ui/dialog"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// Target is what is under the cursor.
func (a *Shell) Target() page.Target { return a.target(a.Frame()) }

// look is what a part reads of the console: of now, also while the past is shown.
func (a *Shell) look() host.View { return a.viewOf(a.presentFrame()) }

func (a *Shell) viewOf(f page.Frame) host.View {
	return host.View{Frame: f, Armed: a.o.Armed, Pressed: a.pressed, Idle: a.now.Sub(a.touched), Lists: a.current().About().Shows&page.ShowRow != 0, Hints: a.hints}
}

// carryOut does what is wanted.
func (a *Shell) carryOut(wants []host.Intent) tea.Cmd {
	var cmds []tea.Cmd
	for _, x := range wants {
		cmd, why := a.do(x)
		cmds = append(cmds, cmd)
		if why != "" {
			a.refuse(why)
		}
		if open, ok := x.(host.Open); ok && a.dialog != open.Dialog {
			break
		}
	}
	return tea.Batch(cmds...)
}

// do does one thing that is wanted, or says why it cannot be done.
func (a *Shell) do(x host.Intent) (cmd tea.Cmd, why string) {
	actions, ctx, lang := a.live.Actions, a.ctx, a.th.Lang
	switch x := x.(type) {
	case host.Say:
		a.say(x.St, x.Text)
	case page.Request:
		a.show(x)
	case host.GoTo:
		a.turnTo(slices.Index(a.titles(), string(x)))
	case host.Select:
		if lock := string(x); a.state.Lock(lock) != nil && a.current().About().Shows&page.ShowRow != 0 {
			a.current().Show(a.Frame(), page.Request{Show: page.ShowRow, Lock: lock})
		}
	case host.Rewind:
		a.rewind(time.Time(x))
	case host.Open:
		a.open(x)
	case host.Close:
		a.dialog = nil
	case host.Press:
		a.palette = nil // what a key does is for the page
		return a.press(x.Key, x.Key.Keys[0]), ""
	case host.Ask:
		return func() tea.Msg {
			return availableMsg{host.Said{Target: x.On, Acts: x.Acts, Whys: host.WhysNot(lang, actions, x.Acts)}, x.Then}
		}, ""
	case host.Check:
		return func() tea.Msg {
			whys := host.WhysNot(lang, actions, x.Acts)
			return lateMsg{x.To, func(v host.View) []host.Intent {
				for i := range whys {
					whys[i] = v.Th.Clean(whys[i])
				}
				return x.Then(v, whys)
			}}
		}, ""
	case host.Plan:
		return func() tea.Msg {
			ctx, cancel := context.WithTimeout(ctx, host.PlanTimeout)
			defer cancel()
			p, err := actions.Plan(ctx, x.Act)
			return lateMsg{x.To, func(v host.View) []host.Intent {
				why := v.Th.Message(p.Refused)
				if err != nil {
					why = v.Th.Clean(text.Refused(lang, err))
				}
				x.Then(p, why)
				return nil
			}}
		}, ""
	case host.Act:
		return a.act(x.Action), ""
	case host.Do:
		return a.doPlans(x), ""
	case host.Watch:
		return a.watch(x)
	case host.After:
		return a.after(x.For, func(time.Time) tea.Msg {
			return lateMsg{x.To, func(host.View) []host.Intent { x.Then(); return nil }}
		}), ""
	case host.Beside:
		return func() tea.Msg { return x(ctx) }, ""
	case host.Cmd:
		return tea.Cmd(x), ""
	case dialog.Theme:
		return nil, a.chooseTheme(string(x))
	case dialog.Moment:
		return a.moment(string(x))
	case dialog.Screen:
		return a.writeScreen(string(x))
	case dialog.Record:
		return nil, a.record()
	default:
		panic(fmt.Sprintf("ui: nothing does %T", x))
	}
	return nil, ""
}

// lateMsg is what came back for a dialog. It counts only if that one is still open.
type lateMsg struct {
	to   host.Dialog
	then func(host.View) []host.Intent
}

// rewind moves the cursor of the axis to a moment of what was seen, or to now for the zero time: the
// screen follows once the key that is being done is done.
func (a *Shell) rewind(at time.Time) {
	axis, state := &a.viewState.Axis, a.presentFrame().S
	switch {
	case a.playback() == nil:
	case at.IsZero():
		axis.Now()
	default:
		axis.Go(at.Truncate(time.Microsecond), state.Timeline().Start(), state.Now())
	}
}

// open opens a dialog over the page, if nothing else has come up.
func (a *Shell) open(x host.Open) {
	if a.where()&host.AnyPage == 0 || x.AboutLock && !a.current().About().Targets {
		return
	}
	a.thaw()
	a.dialog = x.Dialog
	if x.AboutLock { // the row of the lock stays while one reads
		a.presentFrame().Locks.Pick.Pinned = true
	}
}

// doPlans carries out plans beside the screen.
func (a *Shell) doPlans(x host.Do) tea.Cmd {
	actions, ctx := a.live.Actions, a.ctx
	if x.To == nil {
		a.say(draw.Dim, a.th.Message(x.Plans[0].Action.Message())+" "+a.th.Sign.Unread)
	}
	return func() tea.Msg {
		outs := make([]model.Outcome, len(x.Plans))
		for i, p := range x.Plans {
			within, cancel := ctx, context.CancelFunc(func() {})
			if x.Within > 0 {
				within, cancel = context.WithTimeout(ctx, x.Within)
			}
			outs[i] = actions.Do(within, p)
			cancel()
		}
		if x.To == nil {
			return outcomeMsg{outs[0]}
		}
		return lateMsg{x.To, func(v host.View) []host.Intent { x.Then(v, outs); return nil }}
	}
}

// chooseTheme changes how it looks, or says why it does not.
func (a *Shell) chooseTheme(name string) string {
	if known(name) == "" {
		return a.th.Say("unknown-theme", model.Verbatim(strconv.Quote(name)), model.Verbatim(strings.Join(draw.Themes, ", ")))
	}
	if a.themed = name; a.o.Profile == termenv.Ascii {
		return a.th.Say("kept-for-next-time-there-are")
	}
	a.setTheme(name)
	return ""
}

// writeScreen writes the screen as text to a file that is not there yet, or says why not.
func (a *Shell) writeScreen(file string) (tea.Cmd, string) {
	if a.o.Save == nil {
		return nil, a.th.Say("no-file-can-be-written-here")
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
			return saidMsg{draw.Bad, th.Say("the-screen-was-not-written", model.Verbatim(th.Clean(err.Error())))}
		}
		return saidMsg{draw.Plain, th.Say("wrote-the-screen-to", model.Verbatim(th.Clean(path)))}
	}, ""
}

// here is where a line of commands opens: the pages that have a digit, and the keys that do something on
// this one, which are not those that move and not that of the palette.
func (a *Shell) here() dialog.Here {
	h := dialog.Here{Watching: a.start == nil}
	for _, x := range a.pages {
		if about := x.About(); !about.Inner {
			h.Pages = append(h.Pages, about.Title)
		}
	}
	for i, v := 0, a.look(); i < len(a.keys.Rows); i++ {
		k := &a.keys.Rows[i]
		here := k.Where&a.pageWhere() != 0 && k.Fold.What != host.FoldMoves && k.Keys[0] != ":"
		if here && (k.Hidden == nil || !k.Hidden(v)) && (k.Needs != page.NeedsLab || a.o.Lab) {
			h.Keys = append(h.Keys, k)
		}
	}
	return h
}

// obey does what the line of commands wants. It closes, unless that cannot be done.
func (a *Shell) obey(wants []host.Intent, done bool) tea.Cmd {
	line := a.palette
	var cmds []tea.Cmd
	for _, x := range wants {
		cmd, why := a.do(x)
		cmds = append(cmds, cmd)
		if why != "" {
			line.Refuse(why)
			done = false
		}
	}
	if done && a.palette == line {
		a.palette = nil
	}
	return tea.Batch(cmds...)
}

// presentFrame is the frame of now, also while the past is shown.
func (a *Shell) presentFrame() page.Frame {
	if a.present != nil {
		return a.present.frame(a.th)
	}
	return a.Frame()
}

// record begins a recording of what is seen, or ends it.
func (a *Shell) record() string {
	log := a.o.Record
	switch {
	case log == nil:
		return a.th.Say("what-is-shown-is-recorded-already")
	case log.On():
		a.recorded("")
		return ""
	}
	path, err := log.Begin(a.presentFrame().S)
	if err != nil {
		return text.Refused(a.th.Lang, err)
	}
	a.say(draw.Plain, a.th.Say("recording-to", model.Verbatim(a.th.Clean(path))))
	a.stays = true
	return ""
}

// recorded ends the recording, and says why if a person did not ask for that, and where it is.
func (a *Shell) recorded(why string) {
	said, err := a.o.Record.End()
	st, text := draw.Plain, said
	if why != "" {
		st, text = draw.Late, why+"; "+said
	}
	if err != nil {
		st, text = draw.Bad, text+"; "+err.Error()
	}
	a.say(st, a.th.Clean(text))
	a.stays = true
}
