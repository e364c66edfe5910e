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
func (sh *Shell) playback() host.Playback {
	switch {
	case sh.o.Playback != nil:
		return sh.o.Playback
	case sh.o.Past != nil:
		return sh.o.Past
	}
	return nil
}

// stands says whether the time that is shown does not go on.
func (sh *Shell) stands() bool {
	return (sh.o.Playback != nil || sh.present != nil) && host.Stands(sh.playback())
}

// beneath takes in what comes while the past is shown.
func (sh *Shell) beneath(msg tea.Msg) tea.Cmd {
	on := sh.present
	b, ok := msg.(batchMsg)
	if !ok {
		on.spent = msg.(sourceEndedMsg).err
		return nil
	}
	other := on.state.Coverage().OtherCluster()
	if !on.state.ApplyWhile(model.Batch(b), sh.runs) {
		return nil
	}
	_, keep := sh.note(model.Batch(b), on.state)
	sh.cost = b.Cost
	sh.lookForAwaited()
	if now := on.state.Coverage().OtherCluster(); !now.Same(other) && !now.IsZero() {
		sh.leave()
		sh.otherCluster(now)
		sh.dirty = true
	}
	return sh.pullFrom(sh.live.Source, sh.sources, on.state, keep)
}

// pastEnded goes back to now: the past was played up to it, or cannot be read any further.
func (sh *Shell) pastEnded(why error) {
	sh.leave()
	if !errors.Is(why, io.EOF) {
		sh.say(draw.Late, sh.th.Say("what-is-kept-of-the-past", model.Verbatim(sh.th.Clean(why.Error()))))
	}
}

// seek goes to another moment of the recording or of the past, beside the screen.
func (sh *Shell) seek(g host.Goal) tea.Cmd {
	if sh.opening {
		sh.say(draw.Late, sh.th.Say("wait-another-moment-is-still-being"))
		return nil
	}
	sh.opening = true
	playback, ctx := sh.playback(), sh.ctx
	return func() tea.Msg {
		s, err := playback.Go(ctx, g)
		return soughtMsg{s, err}
	}
}

// sought shows the moment that was looked up. What a person has set stays, and what was
// selected, if it is there. Without such a moment the recording goes on where it was.
func (sh *Shell) sought(m soughtMsg) tea.Cmd {
	held := sh.pending
	sh.opening, sh.pending = false, nil
	switch {
	case m.err != nil && sh.o.Past != nil && sh.present == nil: // the axis and the journal know it perhaps
		sh.o.Past.Leave()
		sh.say(draw.Late, sh.th.Clean(m.err.Error()))
		return nil
	case m.err != nil:
		sh.say(draw.Late, sh.th.Clean(m.err.Error()))
		sh.viewState.Axis.Now() // the cursor stays where the recording is
		sh.mark()
		if held == nil {
			return nil
		}
		_, cmd := sh.update(held)
		return cmd
	}
	ahead := sh.viewState.Ahead
	if ahead == nil {
		ahead = sh.state.View
	}
	if sh.o.Past == nil {
		sh.sources++ // what is on its way is of the moment before
	} else {
		sh.moments++
		if sh.present == nil {
			sh.present = &present{state: sh.state, viewState: sh.viewState, now: sh.now, spent: sh.spent, actions: sh.live.Actions}
			sh.live.Actions = inThePast
		}
	}
	moved := !sh.viewState.Axis.At().Truncate(time.Microsecond).Equal(sh.cursor) // while this moment was looked up
	sh.turn(m.state)
	sh.viewState.Ahead = ahead
	if sh.present != nil {
		sh.viewState.Latest = sh.present.now
	}
	if moved {
		next := sh.follow()
		sh.complete()
		return tea.Batch(sh.pull(), next)
	}
	sh.complete()
	if sh.inPast() {
		sh.carryOut(sh.panel.Turned())
	}
	sh.notice = notice{}
	return sh.pull()
}

// turn shows another state, as it was chosen how to look at the one before.
func (sh *Shell) turn(to *store.Store) {
	at, pick, set, awaited, was, pages := sh.at, sh.viewState.Locks.Pick, sh.settings(), sh.awaited, sh.viewState, sh.pages
	sh.dialog = nil
	sh.thaw()
	sh.reset(set)
	sh.state, sh.now, sh.awaited = to, time.Time{}, awaited
	sh.at, sh.viewState.Locks.Pick = at, pick
	sh.viewState.Axis.Window, sh.viewState.Axis.Keyless = was.Axis.Window, was.Axis.Keyless
	for i, x := range pages {
		if about := x.About(); about.Inner || about.Shows&page.ShowJournal != 0 { // of which lock it is
			sh.pages[i].Return(sh.Frame(), x.Spot())
		}
		if f, ok := x.(page.Filtered); ok && f.Filter() != "" {
			sh.pages[i].(page.Filtered).SetFilter(f.Filter())
		}
	}
}

// leave shows now again, which went on underneath.
func (sh *Shell) leave() {
	on := sh.present
	sh.o.Past.Leave()
	sh.moments++ // what is on its way is of the past
	sh.present, sh.pending = nil, nil
	sh.turn(on.state)
	b := sh.viewState
	b.Counters, b.Uncertain, b.Sparkline, b.Picked = on.viewState.Counters, on.viewState.Uncertain, on.viewState.Sparkline, on.viewState.Picked
	b.Locks.Order.Force = true
	b.Axis.Now()
	sh.live.Actions, sh.spent, sh.cursor, sh.notice = on.actions, on.spent, time.Time{}, notice{}
	sh.complete()
	sh.carryOut(sh.panel.Now())
}

// follow moves the recording to where the cursor of the axis was moved: the whole console shows
// that moment. Without a cursor it goes back to the latest that was seen.
func (sh *Shell) follow() tea.Cmd {
	at := sh.viewState.Axis.At().Truncate(time.Microsecond)
	switch {
	case sh.opening:
		return nil
	case sh.present != nil && at.IsZero():
		sh.leave()
		return nil
	case at.Equal(sh.cursor):
		return nil
	}
	sh.cursor = at
	if at.IsZero() {
		if sh.viewState.Ahead == nil {
			return nil
		}
		at = sh.viewState.Ahead.Now()
	}
	return sh.seek(host.Goal{Kind: host.StopTime, At: at.Add(time.Microsecond - 1)}) // the axis has no smaller unit
}

// mark puts the cursor of the axis where the recording is, while something later was seen.
func (sh *Shell) mark() {
	b := sh.viewState
	if b.Ahead == nil || sh.opening {
		return
	}
	if now, last := sh.state.Now(), b.Ahead.Now(); now.Before(last) || sh.present != nil {
		b.Axis.Go(now.Truncate(time.Microsecond), b.Ahead.Timeline().Start(), last)
	} else {
		b.Ahead = nil
		b.Axis.Now()
	}
	sh.cursor = b.Axis.At()
}

// moment goes to a time of the recording or of the past, or back to now, or says why not.
func (sh *Shell) moment(text string) (tea.Cmd, string) {
	switch {
	case sh.playback() == nil:
		return nil, sh.th.Say("nothing-is-kept-here-of-what")
	case text == "now" && sh.viewState.Ahead == nil && sh.present == nil:
		return nil, sh.th.Say("the-screen-shows-now")
	case text == "now":
		sh.viewState.Axis.Now()
		return sh.follow(), ""
	}
	return sh.seek(host.Goal{Kind: host.StopTime, Text: text}), ""
}
