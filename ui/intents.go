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
func (sh *Shell) Target() page.Target { return sh.target(sh.Frame()) }

// look is what a part reads of the console: of now, also while the past is shown.
func (sh *Shell) look() host.View { return sh.viewOf(sh.presentFrame()) }

func (sh *Shell) viewOf(f page.Frame) host.View {
	return host.View{Frame: f, Armed: sh.o.Armed, Pressed: sh.pressed, Idle: sh.now.Sub(sh.touched), Lists: sh.current().About().Shows&page.ShowRow != 0, Hints: sh.hints}
}

// carryOut does what is wanted.
func (sh *Shell) carryOut(wants []host.Intent) tea.Cmd {
	var cmds []tea.Cmd
	for _, x := range wants {
		cmd, why := sh.do(x)
		cmds = append(cmds, cmd)
		if why != "" {
			sh.refuse(why)
		}
		if open, ok := x.(host.Open); ok && sh.dialog != open.Dialog {
			break
		}
	}
	return tea.Batch(cmds...)
}

// do does one thing that is wanted, or says why it cannot be done.
func (sh *Shell) do(x host.Intent) (cmd tea.Cmd, why string) {
	actions, ctx, lang := sh.live.Actions, sh.ctx, sh.th.Lang
	switch x := x.(type) {
	case host.Say:
		sh.say(x.St, x.Text)
	case page.Request:
		sh.show(x)
	case host.GoTo:
		sh.turnTo(slices.Index(sh.titles(), string(x)))
	case host.Select:
		if lock := string(x); sh.state.Lock(lock) != nil && sh.current().About().Shows&page.ShowRow != 0 {
			sh.current().Show(sh.Frame(), page.Request{Show: page.ShowRow, Lock: lock})
		}
	case host.Rewind:
		sh.rewind(time.Time(x))
	case host.Open:
		sh.open(x)
	case host.Close:
		sh.dialog = nil
	case host.Press:
		sh.palette = nil // what a key does is for the page
		return sh.press(x.Key, x.Key.Keys[0]), ""
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
		return sh.act(x.Action), ""
	case host.Do:
		return sh.doPlans(x), ""
	case host.Watch:
		return sh.watch(x)
	case host.After:
		return sh.after(x.For, func(time.Time) tea.Msg {
			return lateMsg{x.To, func(host.View) []host.Intent { x.Then(); return nil }}
		}), ""
	case host.Beside:
		return func() tea.Msg { return x(ctx) }, ""
	case host.Cmd:
		return tea.Cmd(x), ""
	case dialog.Theme:
		return nil, sh.chooseTheme(string(x))
	case dialog.Moment:
		return sh.moment(string(x))
	case dialog.Screen:
		return sh.writeScreen(string(x))
	case dialog.Record:
		return nil, sh.record()
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
func (sh *Shell) rewind(at time.Time) {
	axis, state := &sh.viewState.Axis, sh.presentFrame().S
	switch {
	case sh.playback() == nil:
	case at.IsZero():
		axis.Now()
	default:
		axis.Go(at.Truncate(time.Microsecond), state.Timeline().Start(), state.Now())
	}
}

// open opens a dialog over the page, if nothing else has come up.
func (sh *Shell) open(x host.Open) {
	if sh.where()&host.AnyPage == 0 || x.AboutLock && !sh.current().About().Targets {
		return
	}
	sh.thaw()
	sh.dialog = x.Dialog
	if x.AboutLock { // the row of the lock stays while one reads
		sh.presentFrame().Locks.Pick.Pinned = true
	}
}

// doPlans carries out plans beside the screen.
func (sh *Shell) doPlans(x host.Do) tea.Cmd {
	actions, ctx := sh.live.Actions, sh.ctx
	number := 0
	if x.To == nil {
		number = sh.sayUnderWay(x.Plans[0].Action)
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
			return outcomeMsg{outs[0], number}
		}
		return lateMsg{x.To, func(v host.View) []host.Intent { x.Then(v, outs); return nil }}
	}
}

// chooseTheme changes how it looks, or says why it does not.
func (sh *Shell) chooseTheme(name string) string {
	if known(name) == "" {
		return sh.th.Say("unknown-theme", model.Verbatim(strconv.Quote(name)), model.Verbatim(strings.Join(draw.Themes, ", ")))
	}
	if sh.themed = name; sh.o.Profile == termenv.Ascii {
		return sh.th.Say("kept-for-next-time-there-are")
	}
	sh.setTheme(name)
	return ""
}

// writeScreen writes the screen as text to a file that is not there yet, or says why not.
func (sh *Shell) writeScreen(file string) (tea.Cmd, string) {
	if sh.o.Save == nil {
		return nil, sh.th.Say("no-file-can-be-written-here")
	}
	typed := sh.palette
	sh.palette = nil // it is not part of what was to be kept
	lines := sh.paint()
	sh.palette = typed
	for i, l := range lines {
		lines[i] = strings.TrimRight(ansi.Strip(l), " ")
	}
	text, save, th := strings.Join(lines, "\n")+"\n", sh.o.Save, sh.th
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
func (sh *Shell) here() dialog.Here {
	h := dialog.Here{Watching: sh.start == nil}
	for _, x := range sh.pages {
		if about := x.About(); !about.Inner {
			h.Pages = append(h.Pages, about.Title)
		}
	}
	for i, v := 0, sh.look(); i < len(sh.keys.Rows); i++ {
		k := &sh.keys.Rows[i]
		here := k.Where&sh.pageWhere() != 0 && k.Fold.What != host.FoldMoves && k.Keys[0] != ":"
		if here && (k.Hidden == nil || !k.Hidden(v)) && (k.Needs != page.NeedsLab || sh.o.Lab) {
			h.Keys = append(h.Keys, k)
		}
	}
	return h
}

// obey does what the line of commands wants. It closes, unless that cannot be done.
func (sh *Shell) obey(wants []host.Intent, done bool) tea.Cmd {
	line := sh.palette
	var cmds []tea.Cmd
	for _, x := range wants {
		cmd, why := sh.do(x)
		cmds = append(cmds, cmd)
		if why != "" {
			line.Refuse(why)
			done = false
		}
	}
	if done && sh.palette == line {
		sh.palette = nil
	}
	return tea.Batch(cmds...)
}

// presentFrame is the frame of now, also while the past is shown.
func (sh *Shell) presentFrame() page.Frame {
	if sh.present != nil {
		return sh.present.frame(sh.th)
	}
	return sh.Frame()
}

// record begins a recording of what is seen, or ends it.
func (sh *Shell) record() string {
	log := sh.o.Record
	switch {
	case log == nil:
		return sh.th.Say("what-is-shown-is-recorded-already")
	case log.On():
		sh.recorded("")
		return ""
	}
	path, err := log.Begin(sh.presentFrame().S)
	if err != nil {
		return text.Refused(sh.th.Lang, err)
	}
	sh.say(draw.Plain, sh.th.Say("recording-to", model.Verbatim(sh.th.Clean(path))))
	sh.stays = true
	return ""
}

// recorded ends the recording, and says why if a person did not ask for that, and where it is.
func (sh *Shell) recorded(why string) {
	said, err := sh.o.Record.End()
	st, text := draw.Plain, said
	if why != "" {
		st, text = draw.Late, why+"; "+said
	}
	if err != nil {
		st, text = draw.Bad, text+"; "+err.Error()
	}
	sh.say(st, sh.th.Clean(text))
	sh.stays = true
}
