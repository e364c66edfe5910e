package ui

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"locktop/model"
	"locktop/model/locks"
	"locktop/model/store"
	"locktop/ui/dialog"
	"locktop/ui/draw"
)

// Messages. Whatever blocks runs in a tea.Cmd and comes back as one of these.
type (
	tickMsg        time.Time
	batchMsg       model.Batch
	sourceEndedMsg struct{ err error }
	watchedMsg     struct {
		prefixes []string
		live     Live
		err      error
	}
	// soughtMsg is another moment of a recording.
	soughtMsg struct {
		state *store.Store
		err   error
	}
	// saidMsg is a line for the person, of what was done beside the screen.
	saidMsg struct {
		st   draw.Style
		text string
	}
	// pulledMsg is what the nth source said.
	pulledMsg struct {
		source int
		msg    tea.Msg
	}
)

// everySecond tells the time, by the clock of the source.
func everySecond(by Clock) tea.Cmd {
	return tea.Every(tickEvery, func(t time.Time) tea.Msg {
		if by != nil {
			t = by.Now()
		}
		return tickMsg(t)
	})
}

// clockSet says it once when the machine's clock was set.
func (a *Shell) clockSet() {
	if a.live.Clock == nil {
		return
	}
	if set := a.live.Clock.Set(); set != a.set {
		a.say(draw.Bad, a.th.Message(draw.ClockWasSet(set-a.set)))
		a.set = set
	}
}

func (a *Shell) bootDone(m bootedMsg) tea.Cmd {
	if m.err != nil {
		a.err = m.err
		return tea.Quit
	}
	a.live, a.booted = m.live, true
	if m.live.State != nil {
		a.state = m.live.State
		a.complete()
	}
	if a.o.Notice != "" {
		a.say(draw.Late, a.th.Clean(a.o.Notice))
		a.stays = true
	}
	if a.live.Cut != nil {
		a.say(draw.Late, a.th.Say("the-recording-is-cut-off", model.Verbatim(a.th.Clean(a.live.Cut.Error()))))
		a.stays = true
	}
	if a.live.Start != nil {
		a.start = dialog.NewStartPage(a.live.Start)
		return a.start.Scan(a.ctx, &a.boots)
	}
	if a.panel.Showing() {
		a.panel.Booted(a.look())
	}
	return a.pull()
}

// pull asks the source for the next batch. There is one such command at a time:
// the next one starts when a batch was applied.
func (a *Shell) pull() tea.Cmd {
	return a.pullAfter(nil)
}

// pullAfter does so when what has to be done beside the screen was done, if it is not nil.
func (a *Shell) pullAfter(first func()) tea.Cmd {
	if a.present != nil {
		return a.pullFrom(a.o.Past, -a.moments, a.state, first)
	}
	return a.pullFrom(a.live.Source, a.sources, a.state, first)
}

// pullFrom asks a source for the next batch, for a state.
func (a *Shell) pullFrom(source model.Source, n int, s *store.Store, first func()) tea.Cmd {
	if source == nil {
		return nil
	}
	next, ctx := s.Ask(source, a.onScreen), a.ctx
	return func() tea.Msg {
		if first != nil {
			first()
		}
		batch, err := next(ctx)
		if err != nil {
			return pulledMsg{n, sourceEndedMsg{err}}
		}
		return pulledMsg{n, batchMsg(batch)}
	}
}

// batch takes a batch in, asks for the next one, and says whether it tells a person
// anything that cannot wait for the next second.
func (a *Shell) batch(b model.Batch) (next tea.Cmd, tells bool) {
	facts, version, listed, other := a.state.JournalVersion(), a.state.Version(), a.state.Coverage().Loaded(), a.state.Coverage().OtherCluster()
	if !a.state.ApplyWhile(b, a.runs) {
		return nil, false
	}
	why, keep := a.note(b, a.state)
	if now := a.state.Coverage().OtherCluster(); !now.Same(other) && !now.IsZero() {
		a.otherCluster(now)
	}
	if !listed && a.state.Coverage().Loaded() {
		a.viewState.Locks.Order.Force = true // the first page that is whole does not wait for its turn
	}
	a.cost = b.Cost
	a.setNow()
	a.lookForAwaited()
	if now := a.state.Now(); a.state.Coverage().Loaded() || now.Sub(a.listShown) >= listEvery || slices.ContainsFunc(b.Events, notListed) {
		a.listShown = now
	} else {
		return a.pullAfter(keep), false
	}
	tells = why != "" || a.state.JournalVersion() != facts || slices.ContainsFunc(b.Events, func(ev model.Event) bool {
		switch e := ev.(type) {
		case model.Tick:
			return a.state.Version() != version
		case model.LeaseRead:
			return worthShowing(e, a.state.Lease(e.ID), a.onScreen)
		}
		return true
	})
	return a.pullAfter(keep), tells
}

// runs says whether nobody has ended the console. A batch may take a moment.
func (a *Shell) runs() bool { return a.ctx.Err() == nil }

// note writes down what came in, if that is now: into the recording, and into what is kept of the
// past, which is packed beside the screen.
func (a *Shell) note(b model.Batch, s *store.Store) (why string, keep func()) {
	past := a.o.Past
	if a.present != nil && s != a.present.state {
		return "", nil
	}
	if why = a.o.Record.Note(b); why != "" {
		a.recorded(a.th.Say("the-recording-ended", model.Verbatim(why)))
	}
	if past == nil {
		return why, nil
	}
	var begin []model.Event
	if past.Due() {
		begin, _ = s.Checkpoint()
	}
	return why, func() { past.Note(b, begin) }
}

// otherCluster disarms the console: what a person meant to break is in another cluster
// than the one that answers now. Nothing that was asked for is waited for any more.
func (a *Shell) otherCluster(what model.Message) {
	a.disarmed = a.disarmed || a.o.Armed
	a.o.Armed, a.dialog, a.awaited = false, nil, nil
	a.say(draw.Bad, a.th.Message(what))
}

func notListed(ev model.Event) bool { _, ok := ev.(model.Listed); return !ok }

// worthShowing says whether a reading is one to be shown at once: of a lease that is not
// well, or the first of one on the screen. The rest only say that all is as it was, many
// times a second.
func worthShowing(e model.LeaseRead, l *locks.Lease, onScreen []model.LeaseID) bool {
	switch {
	case l == nil:
		return false
	case l.State() != model.LeaseHealthy:
		return true
	}
	return l.ReadOnce() && slices.Contains(onScreen, e.ID)
}

func (a *Shell) ticked(t time.Time) tea.Cmd {
	a.tick = t
	if a.started.IsZero() {
		a.started = t
	}
	if a.present != nil {
		a.present.look(a.th, t)
		a.viewState.Latest = a.present.now
	}
	a.setNow()
	a.fade(t)
	a.clockSet()
	cmds := []tea.Cmd{everySecond(a.live.Clock), a.askForHelp()}
	if m, ok := a.dialog.(*dialog.Faults); ok {
		cmds = append(cmds, a.carryOut(m.Ask(a.look())))
	}
	return tea.Batch(cmds...)
}

// setNow moves the shown time on. It is cut to seconds, so that all that counts
// on the screen counts in step and a line is painted once a second at most for
// the passing of time.
func (a *Shell) setNow() {
	t := a.state.Now()
	switch {
	case a.playback() != nil && (a.o.Playback != nil || a.present != nil):
		if at := a.playback().Now(); at.After(t) {
			t = at
		}
	case a.tick.After(t):
		t = a.tick
	}
	if t = t.Truncate(time.Second); t.After(a.now) {
		a.now = t
	}
	if a.touched.IsZero() {
		a.touched = a.now
	}
	a.mark()
	a.viewState.Uncertain.Look(a.state.View, a.now)
	a.viewState.Sparkline.Update(a.state.View, a.viewState.Locks.Order.Waiting, a.now)
	a.panel.Look(a.look())
}

// watch opens another source, beside the screen, or says why there is none.
func (a *Shell) watch(prefixes []string) (cmd tea.Cmd, why string) {
	if a.o.Watch == nil {
		return nil, a.th.Say("the-watched-prefixes-are-fixed-here")
	}
	if a.opening {
		a.say(draw.Late, a.th.Say("still-opening-what-you-asked-for"))
		return nil, ""
	}
	if a.present != nil {
		a.say(draw.Late, a.th.NotNow(a.th.Say("the-past-is-shown")))
		return nil, ""
	}
	a.opening = true
	if a.start != nil {
		a.start.Stop()
	}
	open, ctx := a.o.Watch, a.ctx
	return func() tea.Msg {
		if !a.boots.Enter() {
			return nil
		}
		defer a.boots.Leave()
		live, err := open(ctx, prefixes)
		return watchedMsg{prefixes, live, err}
	}, ""
}

// watched goes on with another source. Nothing of what was seen before stays, but
// what a person has set.
func (a *Shell) watched(m watchedMsg) tea.Cmd {
	a.opening = false
	if m.err != nil {
		a.say(draw.Bad, a.th.Say("cannot-watch-that", model.Verbatim(a.th.Clean(m.err.Error()))))
		return nil
	}
	if a.o.Record.On() {
		a.recorded(a.th.Say("the-recording-ended-other-keys"))
	}
	set := a.settings()
	a.live, a.start, a.o.Prefixes = m.live, nil, m.prefixes
	a.sources++
	a.dialog = nil
	a.overlay, a.field = nil, nil
	a.thaw()
	a.reset(set)
	a.goTo(0)
	a.say(draw.Plain, a.th.Say("watching-the-keys-under", model.Verbatim(a.Frame().Watched())))
	var first func()
	if a.o.Past != nil {
		first = a.o.Past.Forget
	}
	return a.pullAfter(first)
}

// bringUp brings up to the state what stands above every page, as far as that is due. What is
// worst comes first: its locks stand on top.
func (a *Shell) bringUp() {
	b := a.viewState
	f := a.Frame()
	b.Counters.Update(a.state.View, b.Locks.Order.Total, f.Clock())
	f.UpdateLocks()
	b.Sparkline.Update(a.state.View, b.Locks.Order.Waiting, a.now)
	b.Sparkline.Asks(a.cost.ByKind)
}

// complete brings all up to a moment that was gone to before it is shown, long lists too.
func (a *Shell) complete() {
	a.setNow()
	a.bringUp()
	for f := a.Frame(); a.unranked(f); {
		a.rank(f)
	}
	a.paint() // the page chooses its row where it paints its list, and the verdict above says whether it is about that
}
