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
func (sh *Shell) clockSet() {
	if sh.live.Clock == nil {
		return
	}
	if set := sh.live.Clock.Set(); set != sh.set {
		sh.say(draw.Bad, sh.th.Message(draw.ClockWasSet(set-sh.set)))
		sh.set = set
	}
}

func (sh *Shell) bootDone(m bootedMsg) tea.Cmd {
	if m.err != nil {
		sh.err = m.err
		return tea.Quit
	}
	sh.live, sh.booted = m.live, true
	if m.live.State != nil {
		sh.state = m.live.State
		sh.complete()
	}
	if sh.o.Notice != "" {
		sh.say(draw.Late, sh.th.Clean(sh.o.Notice))
		sh.stays = true
	}
	if sh.live.Cut != nil {
		sh.say(draw.Late, sh.th.Say("the-recording-is-cut-off", model.Verbatim(sh.th.Clean(sh.live.Cut.Error()))))
		sh.stays = true
	}
	if sh.live.Start != nil {
		sh.start = dialog.NewStartPage(sh.live.Start)
		return sh.start.Scan(sh.ctx, &sh.boots)
	}
	if sh.panel.Showing() {
		sh.panel.Booted(sh.look())
	}
	return sh.pull()
}

// pull asks the source for the next batch. There is one such command at a time:
// the next one starts when a batch was applied.
func (sh *Shell) pull() tea.Cmd {
	return sh.pullAfter(nil)
}

// pullAfter does so when what has to be done beside the screen was done, if it is not nil.
func (sh *Shell) pullAfter(first func()) tea.Cmd {
	if sh.present != nil {
		return sh.pullFrom(sh.o.Past, -sh.moments, sh.state, first)
	}
	return sh.pullFrom(sh.live.Source, sh.sources, sh.state, first)
}

// pullFrom asks a source for the next batch, for a state.
func (sh *Shell) pullFrom(source model.Source, n int, s *store.Store, first func()) tea.Cmd {
	if source == nil {
		return nil
	}
	next, ctx := s.Ask(source, sh.onScreen), sh.ctx
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
func (sh *Shell) batch(b model.Batch) (next tea.Cmd, tells bool) {
	facts, version, listed, other := sh.state.JournalVersion(), sh.state.Version(), sh.state.Coverage().Loaded(), sh.state.Coverage().OtherCluster()
	if !sh.state.ApplyWhile(b, sh.runs) {
		return nil, false
	}
	why, keep := sh.note(b, sh.state)
	if now := sh.state.Coverage().OtherCluster(); !now.Same(other) && !now.IsZero() {
		sh.otherCluster(now)
	}
	if !listed && sh.state.Coverage().Loaded() {
		sh.viewState.Locks.Order.Force = true // the first page that is whole does not wait for its turn
	}
	sh.cost = b.Cost
	sh.setNow()
	sh.lookForAwaited()
	if now := sh.state.Now(); sh.state.Coverage().Loaded() || now.Sub(sh.listShown) >= listEvery || slices.ContainsFunc(b.Events, notListed) {
		sh.listShown = now
	} else {
		return sh.pullAfter(keep), false
	}
	tells = why != "" || sh.state.JournalVersion() != facts || slices.ContainsFunc(b.Events, func(ev model.Event) bool {
		switch e := ev.(type) {
		case model.Tick:
			return sh.state.Version() != version
		case model.LeaseRead:
			return worthShowing(e, sh.state.Lease(e.ID), sh.onScreen)
		}
		return true
	})
	return sh.pullAfter(keep), tells
}

// runs says whether nobody has ended the console. A batch may take a moment.
func (sh *Shell) runs() bool { return sh.ctx.Err() == nil }

// note writes down what came in, if that is now: into the recording, and into what is kept of the
// past, which is packed beside the screen.
func (sh *Shell) note(b model.Batch, s *store.Store) (why string, keep func()) {
	past := sh.o.Past
	if sh.present != nil && s != sh.present.state {
		return "", nil
	}
	if why = sh.o.Record.Note(b); why != "" {
		sh.recorded(sh.th.Say("the-recording-ended", model.Verbatim(why)))
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
func (sh *Shell) otherCluster(what model.Message) {
	sh.disarmed = sh.disarmed || sh.o.Armed
	sh.o.Armed, sh.dialog, sh.awaited = false, nil, nil
	sh.say(draw.Bad, sh.th.Message(what))
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

func (sh *Shell) ticked(t time.Time) tea.Cmd {
	sh.tick = t
	if sh.started.IsZero() {
		sh.started = t
	}
	if sh.present != nil {
		sh.present.look(sh.th, t)
		sh.viewState.Latest = sh.present.now
	}
	sh.setNow()
	sh.fade(t)
	sh.clockSet()
	cmds := []tea.Cmd{everySecond(sh.live.Clock), sh.askForHelp()}
	if m, ok := sh.dialog.(*dialog.Faults); ok {
		cmds = append(cmds, sh.carryOut(m.Ask(sh.look())))
	}
	return tea.Batch(cmds...)
}

// setNow moves the shown time on. It is cut to seconds, so that all that counts
// on the screen counts in step and a line is painted once a second at most for
// the passing of time.
func (sh *Shell) setNow() {
	t := sh.state.Now()
	switch {
	case sh.playback() != nil && (sh.o.Playback != nil || sh.present != nil):
		if at := sh.playback().Now(); at.After(t) {
			t = at
		}
	case sh.tick.After(t):
		t = sh.tick
	}
	if t = t.Truncate(time.Second); t.After(sh.now) {
		sh.now = t
	}
	if sh.touched.IsZero() {
		sh.touched = sh.now
	}
	sh.mark()
	sh.viewState.Uncertain.Look(sh.state.View, sh.now)
	sh.viewState.Sparkline.Update(sh.state.View, sh.viewState.Locks.Order.Waiting, sh.now)
	sh.panel.Look(sh.look())
}

// watch opens another source, beside the screen, or says why there is none.
func (sh *Shell) watch(prefixes []string) (cmd tea.Cmd, why string) {
	if sh.o.Watch == nil {
		return nil, sh.th.Say("the-watched-prefixes-are-fixed-here")
	}
	if sh.opening {
		sh.say(draw.Late, sh.th.Say("still-opening-what-you-asked-for"))
		return nil, ""
	}
	if sh.present != nil {
		sh.say(draw.Late, sh.th.NotNow(sh.th.Say("the-past-is-shown")))
		return nil, ""
	}
	sh.opening = true
	if sh.start != nil {
		sh.start.Stop()
	}
	open, ctx := sh.o.Watch, sh.ctx
	return func() tea.Msg {
		if !sh.boots.Enter() {
			return nil
		}
		defer sh.boots.Leave()
		live, err := open(ctx, prefixes)
		return watchedMsg{prefixes, live, err}
	}, ""
}

// watched goes on with another source. Nothing of what was seen before stays, but
// what a person has set.
func (sh *Shell) watched(m watchedMsg) tea.Cmd {
	sh.opening = false
	if m.err != nil {
		sh.say(draw.Bad, sh.th.Say("cannot-watch-that", model.Verbatim(sh.th.Clean(m.err.Error()))))
		return nil
	}
	if sh.o.Record.On() {
		sh.recorded(sh.th.Say("the-recording-ended-other-keys"))
	}
	set := sh.settings()
	sh.live, sh.start, sh.o.Prefixes = m.live, nil, m.prefixes
	sh.sources++
	sh.dialog = nil
	sh.overlay, sh.field = nil, nil
	sh.thaw()
	sh.reset(set)
	sh.goTo(0)
	sh.say(draw.Plain, sh.th.Say("watching-the-keys-under", model.Verbatim(sh.Frame().Watched())))
	var first func()
	if sh.o.Past != nil {
		first = sh.o.Past.Forget
	}
	return sh.pullAfter(first)
}

// bringUp brings up to the state what stands above every page, as far as that is due. What is
// worst comes first: its locks stand on top.
func (sh *Shell) bringUp() {
	b := sh.viewState
	f := sh.Frame()
	b.Counters.Update(sh.state.View, b.Locks.Order.Total, f.Clock())
	f.UpdateLocks()
	b.Sparkline.Update(sh.state.View, b.Locks.Order.Waiting, sh.now)
	b.Sparkline.Asks(sh.cost.ByKind)
}

// complete brings all up to a moment that was gone to before it is shown, long lists too.
func (sh *Shell) complete() {
	sh.setNow()
	sh.bringUp()
	for f := sh.Frame(); sh.unranked(f); {
		sh.rank(f)
	}
	sh.paint() // the page chooses its row where it paints its list, and the verdict above says whether it is about that
}
