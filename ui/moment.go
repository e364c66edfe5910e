package ui

import (
	"errors"
	"io"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/store"
	"locktop/ui/draw"
	"locktop/ui/host"
	"locktop/ui/page"
)

// playback is what can be moved: a recording, or what was seen so far; nil for neither.
func (a *Shell) playback() host.Playback {
	switch {
	case a.o.Playback != nil:
		return a.o.Playback
	case a.o.Past != nil:
		return a.o.Past
	}
	return nil
}

// stands says whether the time that is shown does not go on.
func (a *Shell) stands() bool {
	return (a.o.Playback != nil || a.present != nil) && host.Stands(a.playback())
}

// beneath takes in what comes while the past is shown.
func (a *Shell) beneath(msg tea.Msg) tea.Cmd {
	on := a.present
	b, ok := msg.(batchMsg)
	if !ok {
		on.spent = msg.(sourceEndedMsg).err
		return nil
	}
	other := on.state.Coverage().OtherCluster()
	if !on.state.ApplyWhile(model.Batch(b), a.runs) {
		return nil
	}
	_, keep := a.note(model.Batch(b), on.state)
	a.cost = b.Cost
	a.lookForAwaited()
	if now := on.state.Coverage().OtherCluster(); !now.Same(other) && !now.IsZero() {
		a.leave()
		a.otherCluster(now)
		a.dirty = true
	}
	return a.pullFrom(a.live.Source, a.sources, on.state, keep)
}

// pastEnded goes back to now: the past was played up to it, or cannot be read any further.
func (a *Shell) pastEnded(why error) {
	a.leave()
	if !errors.Is(why, io.EOF) {
		a.say(draw.Late, a.th.Say("what-is-kept-of-the-past", model.Verbatim(a.th.Clean(why.Error()))))
	}
}

// seek goes to another moment of the recording or of the past, beside the screen.
func (a *Shell) seek(g host.Goal) tea.Cmd {
	if a.opening {
		a.say(draw.Late, a.th.Say("wait-another-moment-is-still-being"))
		return nil
	}
	a.opening = true
	playback, ctx := a.playback(), a.ctx
	return func() tea.Msg {
		s, err := playback.Go(ctx, g)
		return soughtMsg{s, err}
	}
}

// sought shows the moment that was looked up. What a person has set stays, and what was
// selected, if it is there. Without such a moment the recording goes on where it was.
func (a *Shell) sought(m soughtMsg) tea.Cmd {
	held := a.pending
	a.opening, a.pending = false, nil
	switch {
	case m.err != nil && a.o.Past != nil && a.present == nil: // the axis and the journal know it perhaps
		a.o.Past.Leave()
		a.say(draw.Late, a.th.Clean(m.err.Error()))
		return nil
	case m.err != nil:
		a.say(draw.Late, a.th.Clean(m.err.Error()))
		a.viewState.Axis.Now() // the cursor stays where the recording is
		a.mark()
		if held == nil {
			return nil
		}
		_, cmd := a.update(held)
		return cmd
	}
	ahead := a.viewState.Ahead
	if ahead == nil {
		ahead = a.state.View
	}
	if a.o.Past == nil {
		a.sources++ // what is on its way is of the moment before
	} else {
		a.moments++
		if a.present == nil {
			a.present = &present{state: a.state, viewState: a.viewState, now: a.now, spent: a.spent, actions: a.live.Actions}
			a.live.Actions = inThePast
		}
	}
	moved := !a.viewState.Axis.At().Truncate(time.Microsecond).Equal(a.cursor) // while this moment was looked up
	a.turn(m.state)
	a.viewState.Ahead = ahead
	if a.present != nil {
		a.viewState.Latest = a.present.now
	}
	if moved {
		next := a.follow()
		a.complete()
		return tea.Batch(a.pull(), next)
	}
	a.complete()
	if a.inPast() {
		a.carryOut(a.panel.Turned())
	}
	a.notice = notice{}
	return a.pull()
}

// turn shows another state, as it was chosen how to look at the one before.
func (a *Shell) turn(to *store.Store) {
	at, pick, set, awaited, was, pages := a.at, a.viewState.Locks.Pick, a.settings(), a.awaited, a.viewState, a.pages
	a.dialog = nil
	a.thaw()
	a.reset(set)
	a.state, a.now, a.awaited = to, time.Time{}, awaited
	a.at, a.viewState.Locks.Pick = at, pick
	a.viewState.Axis.Window, a.viewState.Axis.Keyless = was.Axis.Window, was.Axis.Keyless
	for i, x := range pages {
		if about := x.About(); about.Inner || about.Shows&page.ShowJournal != 0 { // of which lock it is
			a.pages[i].Return(a.Frame(), x.Spot())
		}
		if f, ok := x.(page.Filtered); ok && f.Filter() != "" {
			a.pages[i].(page.Filtered).SetFilter(f.Filter())
		}
	}
}

// leave shows now again, which went on underneath.
func (a *Shell) leave() {
	on := a.present
	a.o.Past.Leave()
	a.moments++ // what is on its way is of the past
	a.present, a.pending = nil, nil
	a.turn(on.state)
	b := a.viewState
	b.Counters, b.Uncertain, b.Sparkline, b.Picked = on.viewState.Counters, on.viewState.Uncertain, on.viewState.Sparkline, on.viewState.Picked
	b.Locks.Order.Force = true
	b.Axis.Now()
	a.live.Actions, a.spent, a.cursor, a.notice = on.actions, on.spent, time.Time{}, notice{}
	a.complete()
	a.carryOut(a.panel.Now())
}

// follow moves the recording to where the cursor of the axis was moved: the whole console shows
// that moment. Without a cursor it goes back to the latest that was seen.
func (a *Shell) follow() tea.Cmd {
	at := a.viewState.Axis.At().Truncate(time.Microsecond)
	switch {
	case a.opening:
		return nil
	case a.present != nil && at.IsZero():
		a.leave()
		return nil
	case at.Equal(a.cursor):
		return nil
	}
	a.cursor = at
	if at.IsZero() {
		if a.viewState.Ahead == nil {
			return nil
		}
		at = a.viewState.Ahead.Now()
	}
	return a.seek(host.Goal{Kind: host.StopTime, At: at.Add(time.Microsecond - 1)}) // the axis has no smaller unit
}

// mark puts the cursor of the axis where the recording is, while something later was seen.
func (a *Shell) mark() {
	b := a.viewState
	if b.Ahead == nil || a.opening {
		return
	}
	if now, last := a.state.Now(), b.Ahead.Now(); now.Before(last) || a.present != nil {
		b.Axis.Go(now.Truncate(time.Microsecond), b.Ahead.Timeline().Start(), last)
	} else {
		b.Ahead = nil
		b.Axis.Now()
	}
	a.cursor = b.Axis.At()
}

// moment goes to a time of the recording or of the past, or back to now, or says why not.
func (a *Shell) moment(text string) (tea.Cmd, string) {
	switch {
	case a.playback() == nil:
		return nil, a.th.Say("nothing-is-kept-here-of-what")
	case text == "now" && a.viewState.Ahead == nil && a.present == nil:
		return nil, a.th.Say("the-screen-shows-now")
	case text == "now":
		a.viewState.Axis.Now()
		return a.follow(), ""
	}
	return a.seek(host.Goal{Kind: host.StopTime, Text: text}), ""
}
