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
	"locktop/model/text"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// Context ends with the console.
func (a *Shell) Context() context.Context { return a.ctx }

// Actions is nil until the console has booted.
func (a *Shell) Actions() host.Actions { return a.live.Actions }

// Pressed is the key that is being done.
func (a *Shell) Pressed() string { return a.pressed }

// Close closes the dialog that is open.
func (a *Shell) Close() { a.dialog = nil }

// Target is what is under the cursor.
func (a *Shell) Target() page.Target { return a.target(a.Frame()) }

// Select puts the cursor on a lock, and says whether it did: only where locks are listed.
func (a *Shell) Select(lock string) bool {
	if a.state.Lock(lock) == nil || a.current().About().Shows&page.ShowRow == 0 {
		return false
	}
	a.current().Show(a.Frame(), page.Request{Show: page.ShowRow, Lock: lock})
	return true
}

// Rewind moves the cursor of the axis to a moment of what was seen, or to now for the zero time: the
// screen follows once the key that is being done is done.
func (a *Shell) Rewind(at time.Time) {
	axis, state := &a.viewState.Axis, a.presentFrame().S
	switch {
	case a.playback() == nil:
	case at.IsZero():
		axis.Now()
	default:
		axis.Go(at.Truncate(time.Microsecond), state.Timeline().Start(), state.Now())
	}
}

// Watching says that something is watched already.
func (a *Shell) Watching() bool { return a.start == nil }

// Idle is for how long no key was pressed.
func (a *Shell) Idle() time.Duration { return a.now.Sub(a.touched) }

// After calls f later.
func (a *Shell) After(d time.Duration, f func(time.Time) tea.Msg) tea.Cmd { return a.after(d, f) }

// Open opens a dialog over the page, and says whether it did.
func (a *Shell) Open(d host.Dialog, aboutLock bool) bool {
	if a.where()&host.AnyPage == 0 || aboutLock && !a.current().About().Targets {
		return false
	}
	a.thaw()
	a.dialog = d
	return true
}

// Ask asks beside the screen which of the actions can be done, and goes on with what was said.
func (a *Shell) Ask(on page.Target, acts []model.Action, then func(host.Said) tea.Cmd) tea.Cmd {
	actions, lang := a.Actions(), a.th.Lang
	return func() tea.Msg {
		return availableMsg{host.Said{Target: on, Acts: acts, Whys: host.WhysNot(lang, actions, acts)}, then}
	}
}

// Do carries out a plan beside the screen, for at most within if that is not 0.
func (a *Shell) Do(plan model.Plan, within time.Duration) tea.Cmd {
	actions := a.Actions()
	a.Say(draw.Dim, a.th.Message(plan.Action.Message())+" "+a.th.Sign.Unread)
	return func() tea.Msg {
		ctx, cancel := a.ctx, context.CancelFunc(func() {})
		if within > 0 {
			ctx, cancel = context.WithTimeout(ctx, within)
		}
		defer cancel()
		return outcomeMsg{actions.Do(ctx, plan)}
	}
}

// Pages are the titles of the pages that have a digit, in their order.
func (a *Shell) Pages() []string {
	var names []string
	for _, x := range a.pages {
		if about := x.About(); !about.Inner {
			names = append(names, about.Title)
		}
	}
	return names
}

// GoTo goes to a page by its title.
func (a *Shell) GoTo(title string) { a.turnTo(slices.Index(a.titles(), title)) }

// SetTheme changes how it looks, or says why it does not.
func (a *Shell) SetTheme(name string) string {
	if known(name) == "" {
		return a.th.Say("unknown-theme", model.Verbatim(strconv.Quote(name)), model.Verbatim(strings.Join(draw.Themes, ", ")))
	}
	if a.themed = name; a.o.Profile == termenv.Ascii {
		return a.th.Say("kept-for-next-time-there-are")
	}
	a.setTheme(name)
	return ""
}

// Screen writes the screen as text to a file that is not there yet, or says why not.
func (a *Shell) Screen(file string) (tea.Cmd, string) {
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

// KeysHere are the keys of the page under the palette that do something: not those that move, and not
// that of the palette.
func (a *Shell) KeysHere() []*host.Key {
	var all []*host.Key
	for i := range a.keys.Rows {
		k := &a.keys.Rows[i]
		here := k.Where&a.pageWhere() != 0 && k.Fold.What != host.FoldMoves && k.Keys[0] != ":"
		if here && (k.Hidden == nil || !k.Hidden()) && (k.Needs != page.NeedsLab || a.o.Lab) {
			all = append(all, k)
		}
	}
	return all
}

// Press does what a key does, or says why not.
func (a *Shell) Press(k *host.Key) tea.Cmd { return a.press(k, k.Keys[0]) }

// say says the message of that id.
func (a *Shell) say(id model.MessageID) string { return a.th.Say(id) }

// presentFrame is the frame of now, also while the past is shown.
func (a *Shell) presentFrame() page.Frame {
	if a.present != nil {
		return a.present.Frame(a.th)
	}
	return a.Frame()
}

// presentHost is the console for what goes on now while its past is shown.
type presentHost struct{ *Shell }

// Frame implements host.Host.
func (p presentHost) Frame() page.Frame { return p.presentFrame() }

// Record begins a recording of what is seen, or ends it.
func (a *Shell) Record() string {
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
	a.Say(draw.Plain, a.th.Say("recording-to", model.Verbatim(a.th.Clean(path))))
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
	a.Say(st, a.th.Clean(text))
	a.stays = true
}

// WhyFixed says why no other prefix can be watched, "" if one can.
func (a *Shell) WhyFixed() string {
	if a.o.Watch == nil {
		return a.th.Say("the-watched-prefixes-are-fixed-here")
	}
	return ""
}
